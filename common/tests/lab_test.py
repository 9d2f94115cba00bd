"""The tools of the lab, with programs that stand in for the GPU's."""

import contextlib
import csv
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import evidence
import experiments
import lab
import profile
import sass
import who_sees

# As ncu --csv --page raw prints it, with what it says before: names, units, a launch.
NCU = '''\
==PROF== Connected to process 4242 (/home/me/01_swizzle/run)
==PROF== Profiling "matmul_kernel" - 0: 0%....50%....100% - 9 passes
verified: "ID" is no column here
==PROF== Disconnected from process 4242
"ID","Process ID","Host Name","Kernel Name","Block Size","CC","dram__bytes_read.sum",\
"gpu__time_duration.sum","lts__t_sector_hit_rate.pct","sm__warps_active.avg.per_cycle_active",\
"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",\
"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",\
"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio","smsp__inst_executed.sum"
"","","","","","","byte","ns","%","warp","inst","inst","inst","inst"
"0","4242","127.0.0.1","void matmul_kernel<Cfg>(CUtensorMap, CUtensorMap, float *)","(128, 1, 1)",\
"9.0","1,234,567,890","2,609,376","87.65","7.93","0.50","2.00","n/a","1,048,576"
"1","4242","127.0.0.1","void matmul_kernel<Cfg>(CUtensorMap, CUtensorMap, float *)","(128, 1, 1)",\
"9.0","5","5","5","5","5","5","5","5"
'''

# As nvdisasm -c -gi prints it: two k-steps of two HMMA, of which one stands behind the barrier.
SASS = '''\
.L_x_1:
        //## File "/r/common/gemm_maker.cuh", line 50 inlined at "/r/03/kernel.cuh", line 3
        //## File "/r/03/kernel.cuh", line 3 inlined at "/r/main.cu", line 9
        /*0100*/                   LDSM.16.M88.4 R4, [R0] ;
        /*0110*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;
        /*0120*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;
        //## File "/r/03/kernel.cuh", line 2
        /*0130*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0140*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;
        /*0150*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;
        /*0160*/              @!P0 BRA `(.L_x_1) ;
        /*0170*/                   EXIT ;
'''


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        path = os.environ["PATH"]
        self.addCleanup(lambda: os.environ.update(PATH=path))
        os.environ["PATH"] = f"{self.folder}:{path}"

    def fake(self, name, script):
        """A program of that name."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def words_of(self, call, *arguments, kind=lab.Failure, **options):
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        return str(caught.exception)

    def run_tool(self, tool, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-B", f"common/tools/lab/{tool}.py", *arguments], encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})


class Running(Case):
    def test_status(self):
        """a program that fails is named, with its status and its last word"""
        program = self.fake("bad", "echo out of luck; exit 3")
        self.assertRegex(self.words_of(lab.run, [program], self.folder / "log"),
                         "bad: status 3: out of luck")

    def test_signal(self):
        """a program that dies is named, with the signal"""
        program = self.fake("bad", "kill -SEGV $$")
        self.assertIn("bad: SIGSEGV", self.words_of(lab.run, [program], self.folder / "log"))

    def test_hang(self):
        """a program that hangs is named and ended, with what it has started"""
        start = f"sleep 60 > {self.folder}/held & "
        program = self.fake("bad", start + "wait")
        with self.held_until_the_end():
            words = self.words_of(lab.run, [program], self.folder / "log", limit=1)
        self.assertIn("bad: no end after 1 s", words)
        with self.held_until_the_end():
            lab.run([self.fake("good", start + "exit 0")], self.folder / "log")

    @contextlib.contextmanager
    def held_until_the_end(self):
        """Whoever writes to `held` in this context has gone after it."""
        held = self.folder / "held"
        if not held.exists():
            os.mkfifo(held)
        reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
        try:
            yield
            os.set_blocking(reader, True)
            signal.alarm(30)  # else, what is left is waited for
            self.assertEqual(os.read(reader, 1), b"")
        finally:
            signal.alarm(0)
            os.close(reader)

    def test_missing(self):
        """a program that is not there is named"""
        words = self.words_of(lab.run, [str(self.folder / "none")], self.folder / "log")
        self.assertIn("none does not start: No such file", words)


class Tables(Case):
    def measured(self, builds, rows):
        path = self.folder / "table.csv"
        path.write_text("as it was\n", encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                lab.measure(path, ["a", "b"], builds, rows, kept=[["kept", "1"]])
                words = ""
            except lab.Failure as failure:
                words = str(failure)
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["table.csv"])
        return words, path.read_text(encoding="utf-8")

    def test_whole(self):
        """a table is written with its columns, what is kept, and all rows"""
        self.assertEqual(
            self.measured([], [("one", lambda: ["x, y", 2])]),
            ("", 'a,b\nkept,1\n"x, y",2\n'))

    def test_fails_closed(self):
        """where a build or a row fails, both are named, and the table stays as it was"""
        def fail(word):
            raise lab.Failure(word)

        words, text = self.measured(
            [("one", lambda: fail("does not build"))],
            [("one", lambda: [1, 2]), ("two", lambda: fail("hangs")), ("three", lambda: [1, 2])])
        self.assertEqual(text, "as it was\n")
        for part in ("one: does not build", "two: hangs", "stays as it was: of 3 rows 2 failed"):
            self.assertIn(part, words)

    def test_bad_json(self):
        """a result that is no JSON is a failure of its row"""
        words, text = self.measured([], [("one", lambda: lab.json.loads("{"))])
        self.assertEqual((text, words[:4]), ("as it was\n", "one:"))

    def test_nothing(self):
        """a table without rows is not written"""
        self.assertEqual(self.measured([], [])[1], "as it was\n")


class Counters(Case):
    METRICS = ["gpu__time_duration.sum", "smsp__inst_executed.sum"]

    def count(self, script, metrics=METRICS, **options):
        self.fake("ncu", script)
        return lab.count("run", metrics, self.folder / "log", "profile STAGE=01", **options)

    def test_reads(self):
        """ncu's CSV is read: the first launch, thousands without commas, n/a and names left out"""
        self.assertEqual(lab.counters_of(NCU), {
            "dram__bytes_read.sum": 1234567890, "gpu__time_duration.sum": 2609376,
            "lts__t_sector_hit_rate.pct": 87.65, "sm__warps_active.avg.per_cycle_active": 7.93,
            profile.STALL.format("barrier"): 0.5, profile.STALL.format("math_pipe_throttle"): 2,
            "smsp__inst_executed.sum": 1048576})

    def test_table(self):
        """the table of make profile: rounded rows, n/a, and stalls as shares, the largest first"""
        lines = list(profile.table("01_swizzle", lab.counters_of(NCU)))
        self.assertEqual(len(lines), 1 + len(profile.ROWS) + 3)
        for line in ("  time                                                       2.6 ms",
                     "  SM clock                                                      n/a",
                     "  all warp instructions                                   1,048,576",
                     "  L2 hit rate                                                87.7 %",
                     "  bytes read from DRAM                                       1.2 GB",
                     "  warps on an SM                                               7.9 "):
            self.assertIn(line, lines)
        self.assertEqual(lines[-1].split(), ["barrier", "20.0", "%", "__syncthreads"])
        self.assertIn("math_pipe_throttle", lines[-2])

    def test_permission(self):
        """case 33: ncu without permission, and what to do about it"""
        words = self.words_of(
            self.count, "echo '==ERROR== ERR_NVGPUCTRPERM'; exit 1", kind=lab.Refusal)
        self.assertIn("make profile STAGE=01", words)
        self.assertIn("NVreg_RestrictProfilingToAdminUsers=0", words)

    def test_unknown_metric(self):
        """a metric that ncu refuses is left out by make profile, and is a failure elsewhere"""
        script = ("case \"$*\" in *no__such.sum*) echo unknown metric no__such.sum; exit 1; esac\n"
                  f"cat {self.folder}/ncu.csv")
        (self.folder / "ncu.csv").write_text(NCU, encoding="utf-8")
        metrics = [*self.METRICS, "no__such.sum"]
        self.assertEqual(self.count(script, metrics, strict=False)[self.METRICS[1]], 1048576)
        self.assertIn("unknown metric", self.words_of(self.count, script, metrics))

    def test_no_launch(self):
        """a program that ncu sees no launch of is named, with the last word"""
        words = self.words_of(self.count, "echo refused: no memory; exit 2", strict=False)
        self.assertIn("ncu does not count run: refused: no memory", words)

    def test_lacking(self):
        """a metric that this GPU does not have fails a measurement that needs it"""
        (self.folder / "ncu.csv").write_text(NCU, encoding="utf-8")
        self.words_of(self.count, f"cat {self.folder}/ncu.csv", [*self.METRICS, "sm__none.sum"])


class Tools(Case):
    def test_no_gpu(self):
        """without a GPU every tool refuses with status 2, in a sentence, and changes nothing"""
        self.fake("nvidia-smi", "exit 9")
        for tool, words in (("evidence", 4), ("who_sees", 4), ("experiments", 3)):
            done = self.run_tool(tool, *["false"] * words)
            self.assertEqual((done.returncode, "This needs a GPU" in done.stdout), (2, True), tool)

    def test_experiments_fail(self):
        """experiments that do not build leave what was measured"""
        before = pathlib.Path("plots/data/experiments.csv").read_bytes()
        self.fake("nvidia-smi", "echo 'a GPU, 580.0'")
        done = self.run_tool("experiments", "false", "", "90")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("false: status 1", done.stdout)
        self.assertEqual(before, pathlib.Path("plots/data/experiments.csv").read_bytes())

    def test_no_nvdisasm(self):
        """no nvdisasm, and where to get it"""
        os.environ["PATH"] = str(self.folder)
        words = self.words_of(sass.main, "nvcc", "build/03/ptxas.90a", kind=lab.Refusal)
        self.assertIn("pip install --target ~/nvdisasm nvidia-cuda-nvdisasm", words)

    def test_python(self):
        """no Python, and one that is too old"""
        for python, sentence in (
                ("no-such-python", "install Python 3"), (self.fake("old", "exit 1"), "too old")):
            done = subprocess.run(["common/make/python.sh", python, "x.py"], encoding="utf-8",
                                  stdout=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stdout, f"{sentence}.*PYTHON=")


# Stand-ins: a compiler whose programs write what a run of the course writes, and NVIDIA's tools.
PROGRAM = '''
while [ $# -gt 0 ]; do [ "$1" != --json ] || file=$2; shift; done
echo "Read too early (rule 1)"
[ -z "$file" ] || cat > "$file" << END
{"ldmatrix": 131072, "bank_conflicts": 0, "max_rel_error": 1.5e-07, "tolerance": 2e-05,
 "wrong_launches": 0, "tflops": 451.9264, "mma_peak_tflops": 597, "clock_mhz": 1438.943,
 "power_w": null}
END'''
STANDINS = {
    "nvidia-smi": "echo 'NVIDIA X, 580.1'",
    "compiler": "until [ $1 = -o ]; do shift; done; cp \"${0%/*}/program\" \"$2\"",
    "program": PROGRAM,
    "compute-sanitizer": "echo '========= RACECHECK SUMMARY: 12 hazards displayed (12 errors)'",
    "ncu": '''until [ $1 = --metrics ]; do shift; done
line() { echo "$metrics" | sed "s/[^ ][^ ]*/\\"$2\\"/g; s/ /,/g; s/^/\\"$1\\",/"; }
metrics=$(echo "$2" | tr , ' ')
line ID '&'; line '' inst; line 0 1,234.50''',
}


MAP = "b/host/device/tensor_map_cuda"


class Whole(Case):
    """Tools as make calls them, in a tree like this one with fewer stages and changes."""

    def setUp(self):
        super().setUp()
        for name, script in STANDINS.items():
            self.fake(name, script)
        self.repository = pathlib.Path.cwd()
        for name in ("common", "00_naive", "02_warp_specialized", "03_fused_pipeline"):
            (self.folder / name).symlink_to(self.repository / name)
        (self.folder / "plots/data").mkdir(parents=True)
        self.addCleanup(os.chdir, self.repository)
        os.chdir(self.folder)

    def changes(self, path, *names):
        """A table of changes with these alone."""
        blocks = lab.text_of(path).split("\n\n")
        table = [block for name in names for block in blocks if f"defect {name} " in block]
        pathlib.Path("table.txt").write_text("\n\n".join(table) + "\n", encoding="utf-8")
        return mock.patch.dict(os.environ, TABLE="table.txt")

    def measured(self, tool, name, *words):
        """The rows that a tool writes, whose columns must be those of the repository's table."""
        with contextlib.redirect_stdout(io.StringIO()):
            tool("compiler", f"a.o {MAP}.o", *words)
        columns, *rows = self.rows_of(f"plots/data/{name}.csv")
        self.assertEqual(columns, self.rows_of(self.repository / f"plots/data/{name}.csv")[0])
        self.assertEqual({len(row) for row in rows}, {len(columns)})
        return rows

    def rows_of(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    @mock.patch.object(evidence, "CONFIGS", "00_naive BK=16 K=1024\n02_warp_specialized K=1024")
    def test_evidence(self):
        """make evidence writes a row for each config, or names what failed and leaves the table"""
        rows = self.measured(evidence.measure, "emulator_evidence", "compiler", "")
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0], ["00_naive", "BK=16 K=1024"] + "1234 131072 1234 1234 0".split()
                         + ["1.5e-07"] * 4 + ["2e-05", "NVIDIA X 580.1", "make evidence"])
        before = self.rows_of("plots/data/emulator_evidence.csv")
        self.fake("program", PROGRAM + "\ncase $0 in */2/gpu) kill -SEGV $$;; esac")
        words = self.words_of(self.measured, evidence.measure, "emulator_evidence", "compiler", "")
        self.assertIn("02_warp_specialized K=1024: build/evidence/2/gpu: SIGSEGV", words)
        self.assertIn("stays as it was: of 2 rows 1 failed", words)
        self.assertEqual(os.listdir("plots/data"), ["emulator_evidence.csv"])
        self.assertEqual(self.rows_of("plots/data/emulator_evidence.csv"), before)

    def test_profile(self):
        """make profile prints a table for each stage"""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            profile.main("build", "00_naive/run", "02_warp_specialized/run")
        lines = said.getvalue().splitlines()
        self.assertEqual(len(lines), 2 * (1 + len(profile.ROWS) + 1 + 6))
        self.assertIn("  registers per thread                                        1,234", lines)

    @mock.patch.object(experiments, "TABLE", "table.txt")
    def test_experiments(self):
        """make experiments writes a row for each change of each config that keeps the limits"""
        self.fake("compiler", "words=$*\n" + STANDINS["compiler"] + "\necho $words > \"$2.link\"\n"
                  "! grep -q bk_stages.*5 \"$2.h\" || { echo static_assert; exit 1; }")
        with self.changes("common/tools/lab/experiments.txt", "unfused", "l2_promotion_none"):
            rows = self.measured(experiments.main, "experiments", "90")
        self.assertEqual([row[0] for row in rows], ["as_it_is", "unfused", "l2_promotion_none"] * 2)
        self.assertEqual(rows[0][1:], ["BM=128 BN=128 bk_stages=3", "1234", "1234.50"]
                         + "451.9264 597 1438.943".split()
                         + ["", "60", "0", "NVIDIA X 580.1", "make experiments"])
        here = "build/experiments/1."
        self.assertIn(f"a.o {MAP}.o -o", lab.text_of(f"{here}unfused/run.link"))
        self.assertIn(f"a.o {here}l2_promotion_none/{MAP.replace('b/', 'common/')}.cu -o",
                      lab.text_of(f"{here}l2_promotion_none/run.link"))

    def test_who_sees(self):
        """make who-sees writes a row for each defect that ends, and with ONLY keeps the others"""
        table = f"{os.path.dirname(lab.BREAK)}/broken.txt"
        with self.changes(table, "no_full_wait", "divergent_mma"):
            rows = self.measured(who_sees.main, "who_sees_the_fault", "compiler", "")
            names = [["no_full_wait", stage] for stage in os.listdir(".") if "_" in stage]
            self.assertEqual([row[:2] for row in rows], sorted(names))
            self.assertEqual(rows[0][2:], ["60", "0", "12", "Read too early (rule 1)",
                                           "NVIDIA X 580.1", "make who-sees"])
            error = '"wrong_launches": null, "error": "x failed with cudaErrorLaunch"'
            self.fake("program", PROGRAM.replace('"wrong_launches": 0', error)
                      + "\ncase $0 in */large) exit 2;; esac")
            os.environ["ONLY"] = "02_"
            again = self.measured(who_sees.main, "who_sees_the_fault", "compiler", "")
        rows[1][3] = "error"
        self.assertEqual(sorted(again), rows)


class MainLoop(Case):
    def test_listing(self):
        """make sass shows the main loop with the kernel's lines, and what passes a barrier"""
        (self.folder / "kernel.cuh").write_text("one\n  two\n  three\n", encoding="utf-8")
        lines = list(sass.listing(str(self.folder), "90a", (2, 2, 2), SASS))
        self.assertIn("    3 LDSM     0100  LDSM.16.M88.4 R4, [R0]", lines)
        self.assertIn("    2 BAR      0130  BAR.SYNC.DEFER_BLOCKING 0x0", lines)
        self.assertIn("    3  three", lines)
        self.assertIn("7 instructions for 1 k-tile: 4 HMMA, 1 LDSM, 1 BAR, 0 SYNCS, 0 UTMALDG; "
                      "0.75 others per HMMA", lines)
        self.assertIn(
            "BAR 1: of the 4 HMMA that stand before it in the source, 2 come after it", lines)

    def test_seldom(self):
        """code behind EXIT is no main loop, and none at all is a failure"""
        moved = SASS.replace("/*0120*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8",
                             "/*0120*/                   EXIT")
        words = self.words_of(lambda: list(sass.listing("03", "90a", (2, 2, 2), moved)))
        self.assertIn("no loop with HMMA was found in 8 instructions", words)
