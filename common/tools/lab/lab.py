"""What the tools of the lab share: a config becomes a program, a program runs to an end, and what
it and Nsight Compute say is read. A table is written whole or not at all. make calls the tools in
the root of the repository; they need the standard library of Python 3.8 and nothing else.
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from output_files import write_whole

BREAK = "common/tools/broken/break.sh"
LIMIT = 300  # seconds for a program, generously: longer is a hang
NO_NCU = """\
ncu was not found. It is Nsight Compute: part of the CUDA Toolkit, at times in a package of its
own (apt-get install nsight-compute-2025.3.1, or https://developer.nvidia.com/nsight-compute).
'make compare' counts bank conflicts without it, and './NN/run --explain' predicts the rest."""
NO_COUNTERS = """\
the driver refuses its counters to this user (ERR_NVGPUCTRPERM). Run it as root,
  sudo env "PATH=$PATH" make {goal}
or allow them to everyone: put 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into
/etc/modprobe.d/nvidia-profiling.conf and load the driver again (reboot). A container also
needs --cap-add=SYS_ADMIN. https://developer.nvidia.com/ERR_NVGPUCTRPERM"""


class Failure(Exception):
    """What was to be built or measured failed."""
    status = 1


class Refusal(Failure):
    """The machine lacks something: what to do."""
    status = 2


def call(tool):
    """A tool as a program: of a failure its words and its status."""
    try:
        tool(*sys.argv[1:])
    except Failure as failure:
        sys.stdout.flush()
        print(failure, file=sys.stderr)
        sys.exit(failure.status)


def text_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def last_line(text):
    return ([line for line in text.splitlines() if line.strip()] or ["(nothing)"])[-1]


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def gpu():
    """Name and driver of the first GPU, without commas."""
    try:
        query = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
        return query.splitlines()[0].replace(",", "")
    except (OSError, subprocess.CalledProcessError, IndexError):
        raise Refusal("This needs a GPU, and nvidia-smi shows none; nothing was changed") from None


def program_beside(other, name, sentence):
    """Path of a program on the PATH or in the folder of another one."""
    beside = os.path.join(os.path.dirname(shutil.which(other) or "none/"), name)
    path = shutil.which(name) or shutil.which(os.path.abspath(beside))
    if not path:
        raise Refusal(sentence)
    return path


def run(command, log, limit=LIMIT, fine=(0,)):
    """Runs a command, which must end in time and with a status among `fine`. What it prints goes to
    the file `log`; what it has started ends with it, and with Ctrl-C."""
    pathlib.Path(log).parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w", encoding="utf-8") as output:
        try:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output, start_new_session=True)
        except OSError as error:
            raise Failure(f"{command[0]} does not start: {error.strerror}") from None
        try:
            status = process.wait(limit)
            end = f"status {status}" if status >= 0 else signal.Signals(-status).name
        except subprocess.TimeoutExpired:
            status, end = None, f"no end after {limit} s"
        finally:
            with contextlib.suppress(OSError):  # nothing is left
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status not in fine:
        raise Failure(f"{command[0]}: {end}: {last_line(text_of(log))} ({log})")


def changed(here, name, stage):
    """Makes `here` the sources of a stage with a change of broken.txt, or of the table $TABLE."""
    shutil.rmtree(here, ignore_errors=True)
    run([BREAK, name, stage, here], f"{here}/break.txt")


def build(program, stage, fields, toolchain, arch=90, source="."):
    """Builds the program of a stage with these fields, from the folder `source`. A toolchain is two
    command lines: what compiles a main.cu, and what is linked."""
    compiler, link = map(shlex.split, toolchain)
    run(["common/make/options.sh", "header", stage, arch, "", "", *fields], f"{program}.h")
    run([*compiler, "-include", f"{program}.h", f"{source}/{stage}/main.cu", *link, "-o", program],
        f"{program}.log", 4 * LIMIT)


def result(program, *options, fine=(0,)):
    """The object that a run writes with --json; its numbers stay the text that they are."""
    run([program, *options, "--json", f"{program}.json"], f"{program}.txt", fine=fine)
    return json.loads(text_of(f"{program}.json"), parse_float=str, parse_int=str)


def counters_of(text):
    """Metric -> number, of the first launch in the CSV of ncu's page `raw`: a line of names, one of
    units, a line for each launch. Before them ncu says what it likes."""
    table = re.search('^"ID",.*', text, re.MULTILINE | re.DOTALL)
    launches = csv.DictReader(table[0].splitlines() if table else [])
    launch = next((row for row in launches if row["ID"]), {})
    return {name: float(value.replace(",", "")) for name, value in launch.items()
            if "__" in (name or "") and re.fullmatch("[0-9.,]+", value or "")}  # else n/a


def count(program, metrics, log, goal, strict=True):
    """Metric -> number for one launch of the kernel of `program`, be it right or wrong; strict: for
    all metrics. The clock is left as it is, since a locked one would hide the power limit."""
    run([program_beside("nvcc", "ncu", NO_NCU), "--csv", "--page", "raw", "--print-units", "base",
         "--clock-control", "none", "--kernel-name", "regex:matmul_kernel", "--launch-count", "1",
         "--metrics", ",".join(metrics), program, "--check"], log, fine=range(256))
    words = text_of(log)
    if "ERR_NVGPUCTRPERM" in words:
        raise Refusal(NO_COUNTERS.format(goal=goal))
    counters = counters_of(words)
    # Some versions refuse all metrics for one that they do not know.
    known = [metric for metric in metrics if metric not in words]
    if not (counters or strict or len(known) in (0, len(metrics))):
        return count(program, known, log, goal, strict)
    if not counters or strict and not set(metrics) <= set(counters):
        raise Failure(f"ncu does not count {program}: {last_line(words)} ({log})")
    return counters


def in_parallel(jobs):
    """Calls the jobs, (name, function) each, on all cores. Name -> failure."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [(name, pool.submit(job)) for name, job in jobs]
    return {name: job.exception() for name, job in done if job.exception()}


def measure(path, columns, builds, rows, kept=()):
    """Writes what is kept and a row for each job of `rows`, after the jobs `builds`. Where one
    fails, the others are tried, what failed is named, and the file stays as it was."""
    failures, done = in_parallel(builds), []
    for name, job in rows:
        try:
            if name not in failures:
                done.append([str(cell) for cell in job()])
                print(",".join(done[-1]), flush=True)
        except Refusal:
            raise
        except (Failure, OSError, ValueError, KeyError) as failure:
            failures[name] = failure
    if failures or not done:
        raise Failure("\n".join([f"{name}: {failure}" for name, failure in failures.items()] + [
            f"{path} stays as it was: of {len(rows)} rows {len(rows) - len(done)} failed"]))
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows([columns, *kept, *done])
    write_whole(path, table.getvalue())
