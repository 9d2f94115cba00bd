"""Who notices each defect of broken.txt? Builds every one that cannot hang for the GPU and for the
emulator, and writes plots/data/who_sees_the_fault.csv: of 60 launches at M = N = K = 8192, in how
many the result check finds a wrong result; what racecheck of compute-sanitizer counts at 512; what
the emulator reports. With ONLY=02 in the environment the rows with that text are measured, and the
others kept.

    who_sees.py CUDA_COMPILE CUDA_LINK EMULATOR_COMPILE EMULATOR_LINK     `make who-sees`
"""

import csv
import os
import re
from functools import partial

import lab

FOLDER, CSV, LAUNCHES = "build/who_sees", "plots/data/who_sees_the_fault.csv", 60
COLUMNS = """break stage launches wrong_launches racecheck_hazards emulator_report gpu
    command""".split()
NO_SANITIZER = """\
compute-sanitizer was not found. It is part of the CUDA Toolkit, at times in a package of its own
(apt-get install cuda-sanitizer-13-0)."""


def build(here, name, stage, fields, cuda, emulator):
    lab.changed(here, name, stage)
    for program, size, toolchain in (
            ("large", 8192, cuda), ("small", 512, cuda), ("emulated", 512, emulator)):
        cube = [f"{extent}={size}" for extent in "MNK"]
        lab.build(f"{here}/{program}", stage, cube + fields.split(), toolchain, source=here)


def wrong_launches(here):
    """How many; "error" where CUDA ended the launch, as it does with one that never waits."""
    run = lab.result(f"{here}/large", "--check", "--inputs", "integers", "--launches", LAUNCHES,
                     fine=(0, 1, 2))
    if run["wrong_launches"] is not None:
        return run["wrong_launches"]
    print(f"{here}: {run['error']}")
    if "failed with cuda" not in run["error"]:
        raise lab.Failure(f"{here}/large: {run['error']}")
    return "error"


def row(here, name, stage, sanitizer, gpu):
    wrong = wrong_launches(here)
    said = f"{here}/racecheck.txt"
    lab.run([sanitizer, "--tool", "racecheck", f"{here}/small", "--check", "--inputs", "integers"],
            said, fine=range(256))
    hazards = re.search(r"RACECHECK SUMMARY: (\d+) hazard", lab.text_of(said))
    if not hazards:
        raise lab.Failure(f"racecheck gave no summary: {lab.last_line(lab.text_of(said))} ({said})")
    lab.run([f"{here}/emulated", "--check"], f"{here}/emulated.txt", fine=(0, 1))
    report = re.search(
        "^(Read too|Refill too|Overlap|Protocol|Divergent|Wrong frag|Bad addr|Deadlock).*",
        lab.text_of(f"{here}/emulated.txt"), re.MULTILINE)
    return [name, stage, LAUNCHES, wrong, hazards[1], report[0] if report else "", gpu,
            "make who-sees"]


def main(*words):
    gpu, builds, rows, chosen = lab.gpu(), [], [], os.environ.get("ONLY", "")
    sanitizer = lab.program_beside("nvcc", "compute-sanitizer", NO_SANITIZER)
    for line in lab.output_of(lab.BREAK, "table").splitlines():
        name, stage, _, hangs, fields, _ = line.split("\t")
        here, what = f"{FOLDER}/{name}.{stage}", f"{name} {stage}"
        if hangs != "hangs" and chosen in what:
            builds.append((what, partial(build, here, name, stage, fields, words[:2], words[2:])))
            rows.append((what, partial(row, here, name, stage, sanitizer, gpu)))
    kept = []
    if chosen:
        with open(CSV, newline="", encoding="utf-8") as file:
            kept = [old for old in list(csv.reader(file))[1:] if chosen not in " ".join(old[:2])]
    lab.measure(CSV, COLUMNS, builds, rows, kept)


if __name__ == "__main__":
    lab.call(main)
