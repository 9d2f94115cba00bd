"""docs/race.md: the table of who notices which defect, from plots/data/who_sees_the_fault.csv.

Writes what stands between the two marks. Without measurements the page stays as it is. Needs no
matplotlib.
"""

import csv
import pathlib
import subprocess
import textwrap

from page import write_between

PLOTS = pathlib.Path(__file__).resolve().parent
DATA = PLOTS / "data" / "who_sees_the_fault.csv"
PAGE = PLOTS.parent / "docs" / "race.md"
COLUMNS = ["break", "stage", "launches", "wrong_launches", "racecheck_hazards", "emulator_report"]


def result_check(row):
    """In how many launches the comparison of the results found something."""
    if row["wrong_launches"] == "error":
        return "the launch ends with an error"
    return f"{row['wrong_launches']} of {row['launches']} launches"


def racecheck(row):
    if row["racecheck_hazards"] == "":
        return "no result"
    count = int(row["racecheck_hazards"])
    return "nothing" if count == 0 else f"{count:,} hazards"


def table(rows):
    lines = [
        "| `BREAK=` | stage | wrong results | `racecheck` | the emulator, in every schedule |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| `{row['break']}` | {row['stage']} | {result_check(row)} | {racecheck(row)} | "
            f"{row['emulator_report'] or 'nothing'} |")
    return "\n".join(lines)


def not_run():
    """The defects of common/tools/broken that nobody runs on a GPU: each with its stages."""
    stages = {}
    table = subprocess.run(["common/tools/broken/break.sh", "table"], cwd=PLOTS.parent,
                           capture_output=True, text=True, check=True).stdout
    for line in table.splitlines():
        name, stage, _, hangs = line.split("\t")[:4]
        if hangs == "hangs":
            stages.setdefault(name, []).append(stage[:2])
    parts = [f"`{name}` ({', '.join(numbers)})" for name, numbers in stages.items()]
    return (
        "Not run, since on a GPU they may never end: " + ", ".join(parts)
        + ". `make test-all` demands the emulator's report of these, too.")


def main():
    if not DATA.exists():
        print(f"plots/data/{DATA.name} is not there: the table of docs/race.md stays as it is")
        return
    with open(DATA, newline="") as file:
        reader = csv.DictReader(file)
        if (reader.fieldnames or [])[:len(COLUMNS)] != COLUMNS:
            raise SystemExit(f"{DATA}: the columns are {reader.fieldnames}, not {COLUMNS}")
        rows = list(reader)
    # A name and the version of its driver.
    where = sorted({", driver ".join(row["gpu"].rsplit(" ", 1)) for row in rows if row.get("gpu")})
    notes = [f"Measured on an {gpu}." for gpu in where] + [not_run()]
    text = table(rows) + "\n\n" + textwrap.fill(" ".join(notes), 100, break_on_hyphens=False)
    write_between(PAGE, "who-sees", text, "the table of docs/race.md")


main()
