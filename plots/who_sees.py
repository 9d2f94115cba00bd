"""docs/race.md: the table of who notices which defect, from plots/data/who_sees_the_fault.csv.

Without measurements the page stays as it is. Needs no matplotlib.
"""

import subprocess
import textwrap

from repository import DATA, ROOT, gpus_of, read_csv, write_between

COLUMNS = ("break", "stage", "launches", "wrong_launches", "racecheck_hazards", "emulator_report")


def result_check(row):
    """In how many launches the comparison of the results found something."""
    if row["wrong_launches"] == "error":
        return "the launch ends with an error"
    return f"{row['wrong_launches']} of {row['launches']} launches"


def racecheck(row):
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


def not_run(measured):
    """The defects that nobody runs on a GPU: each with its stages, of those that were measured."""
    stages = {}
    table = subprocess.run(["common/tools/broken/break.sh", "table"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, encoding="utf-8").stdout
    for line in table.splitlines():
        name, stage, _, hangs = line.split("\t")[:4]
        if hangs == "hangs" and stage in measured:
            stages.setdefault(name, []).append(stage[:2])
    parts = [f"`{name}` ({', '.join(numbers)})" for name, numbers in stages.items()]
    return (
        "Not run, since on a GPU they may never end: " + ", ".join(parts)
        + ". `make test-all` demands the emulator's report of these, too.")


def main():
    rows = read_csv(DATA / "who_sees_the_fault.csv", COLUMNS)
    if not rows:
        print("plots/data/who_sees_the_fault.csv has no rows: docs/race.md stays as it is")
        return
    notes = [f"Measured on an {gpu}." for gpu in gpus_of(rows)]
    notes.append(not_run({row["stage"] for row in rows}))
    text = textwrap.fill(" ".join(notes), 100, break_on_hyphens=False)
    write_between("docs/race.md", "who-sees", table(rows) + "\n\n" + text)


main()
