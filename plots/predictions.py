"""docs/explain.md: what the model predicted beside what was measured, from plots/data/<card>.csv.

The model gets a row's config, registers and SM clock, and nothing else of it. Writes what stands
between the two marks. Without measurements the page stays as it is. Needs no matplotlib.
"""

import csv
import os
import pathlib
import statistics
import subprocess
import tempfile

from page import write_between

PLOTS = pathlib.Path(__file__).resolve().parent
PAGE = PLOTS.parent / "docs" / "explain.md"
SOURCES = ["plots/dump_predictions.cpp"] + [
    f"common/host/{name}.cpp" for name in ("explain", "cards", "config_values", "text")]
SHOWN = ("8192", "8192", "8192")


def measured():
    """The newest row of each stage, preset, device and size that has a clock."""
    newest = {}
    for path in sorted((PLOTS / "data").glob("*.csv")):
        with open(path, newline="") as file:
            reader = csv.DictReader(file)
            if not {"clock_mhz", "smem_bytes", "tflops_p20"} <= set(reader.fieldnames or []):
                continue
            for row in reader:
                if not row["stage"][:1].isdigit() or not row["clock_mhz"]:
                    continue
                if row["verified"] != "true":
                    continue
                key = tuple(row[name] for name in ("device", "M", "N", "K", "stage", "preset"))
                if key not in newest or row["date"] >= newest[key]["date"]:
                    newest[key] = row
    return list(newest.values())


def predict(rows):
    """Adds `predicted` and `bound` to the rows of cards that the model knows, and returns these."""
    lines = "".join(
        ";".join(row[name] for name in (
            "device", "sms", "stage", "registers", "smem_bytes", "clock_mhz", "config")) + "\n"
        for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "dump_predictions")
        subprocess.run(
            [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-w", "-o", program] + SOURCES,
            check=True, cwd=PLOTS.parent)
        answers = subprocess.run(
            [program], input=lines, check=True, stdout=subprocess.PIPE, text=True).stdout
    known = []
    for row, answer in zip(rows, answers.splitlines()):
        if answer:
            predicted, row["bound"] = answer.split(";")
            row["predicted"] = float(predicted)
            row["error"] = row["predicted"] / float(row["tflops"]) - 1
            known.append(row)
    return known


def table(rows):
    lines = ["| M = N = K = 8192 | SM clock | measured | predicted | | held by |",
             "|---|---:|---:|---:|---:|---|"]
    shown = [row for row in rows if (row["M"], row["N"], row["K"]) == SHOWN]
    devices = sorted({row["device"] for row in rows})
    for row in sorted(shown, key=lambda row: (row["device"], row["stage"], row["preset"])):
        name = row["stage"] + (f", preset {row['preset']}" if row["preset"] else "")
        if len(devices) > 1:
            name = f"{row['device']}: {name}"
        lines.append(
            f"| {name} | {float(row['clock_mhz']):.0f} MHz | {float(row['tflops']):.1f} TFLOP/s |"
            f" {row['predicted']:.1f} | {100 * row['error']:+.1f} % | {row['bound']} |")
    lines += ["", f"Measured by `make bench PRESET=...` on an {' and an '.join(devices)}; "
              "predicted for the clock that was measured."]
    others = [row for row in rows if row not in shown]
    if others:
        errors = [abs(row["error"]) for row in others]
        close = sum(error <= 0.1 for error in errors)
        worst = max(others, key=lambda row: abs(row["error"]))
        lines += ["", f"Of the {len(others)} measurements at other sizes {close} are within 10 %, "
                  f"half within {100 * statistics.median(errors):.1f} %. "
                  f"The farthest is {worst['stage']}"
                  f"{', preset ' + worst['preset'] if worst['preset'] else ''} at "
                  f"{worst['M']} x {worst['N']} x {worst['K']}: {100 * worst['error']:+.0f} %."]
    return "\n".join(lines)


def main():
    rows = predict(measured())
    if not rows:
        print("no measurement of a known card in plots/data: docs/explain.md stays as it is")
        return
    write_between(PAGE, "predictions", table(rows), "the table of docs/explain.md")


main()
