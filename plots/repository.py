"""What the scripts take from the repository and write into its pages. Needs no matplotlib.

    repository.py     prints the stages that the figures know: each is a folder
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "common/tools/lab"))
from output_files import write_whole

DATA = ROOT / "plots" / "data"


def stages():
    """The folders of the stages, in their order."""
    return sorted(config.parent.name for config in ROOT.glob("[0-9][0-9]_*/config.h"))


def read_csv(path, columns):
    """The rows of a file, as dicts; none where it is not there or lacks one of `columns`."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        return list(reader) if set(columns) <= set(reader.fieldnames or []) else []


def gpus_of(rows):
    """"NVIDIA X, driver 1.2" for each that stands in the column `gpu`."""
    return sorted({", driver ".join(row["gpu"].rsplit(" ", 1)) for row in rows})


def output_of(sources, *arguments, text=""):
    """What a program prints that CXX builds from its sources, which are named from the root."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        compiler = os.environ.get("CXX", "g++")
        subprocess.run([compiler, "-std=c++17", "-O1", "-w", "-o", program, *sources], check=True,
                       cwd=ROOT)
        return subprocess.run([program, *arguments], input=text, check=True, encoding="utf-8",
                              stdout=subprocess.PIPE).stdout


def write_between(page, name, text):
    """Puts `text` between <!-- name:begin --> and <!-- name:end --> of a page, which is named from
    the root (or from the folder PAGES: `make docs`), and says so where that changes it."""
    path = pathlib.Path(os.environ.get("PAGES", ROOT)) / page
    old = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, after = old.index(begin) + len(begin), old.index(end)
    new = f"{old[:before]}\n\n{text}\n\n{old[after:]}"
    if new != old:
        write_whole(path, new)
        print(f"wrote the part {name} of {page}")


if __name__ == "__main__":
    print("\n".join(stages()))
