"""docs/explain.md: what the model predicted beside what was measured, from plots/data/<card>.csv.

The model gets a row's config, registers and SM clock, and nothing else of it. Without
measurements the page stays as it is. Needs no matplotlib.
"""

import re
import statistics

from repository import DATA, ROOT, output_of, read_csv, stages, write_between

PARTS = ("explain", "cards", "config_values", "text")
COLUMNS = ("device", "stage", "preset", "clock_mhz", "smem_bytes", "tflops_p20")
SHOWN = ("8192", "8192", "8192")


def measured():
    """The newest row of each stage, preset, device and size that has a clock."""
    newest = {}
    for path in sorted(DATA.glob("*.csv")):
        for row in read_csv(path, COLUMNS):
            if row["stage"] not in stages() or not row["clock_mhz"] or row["verified"] != "true":
                continue
            key = tuple(row[name] for name in ("device", "M", "N", "K", "stage", "preset"))
            if key not in newest or row["date"] >= newest[key]["date"]:
                newest[key] = row
    return list(newest.values())


def producer_warps(stage):
    """How many warps of a block do not multiply, which is no field."""
    text = (ROOT / stage / "config.h").read_text(encoding="utf-8")
    found = re.search(r"int producer_warps = (\d+);", text)
    return found[1] if found else "0"


def predict(rows):
    """Adds `predicted` and `bound` to the rows of cards that the model knows, and returns these."""
    lines = ""
    for row in rows:
        lines += ";".join([row["device"], row["sms"], producer_warps(row["stage"])] + [
            row[name] for name in ("registers", "smem_bytes", "clock_mhz", "config")]) + "\n"
    sources = [path for part in PARTS for path in ROOT.glob(f"common/host/*/{part}.cpp")]
    answers = output_of(["plots/dump_predictions.cpp", *sources], text=lines)
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
    write_between("docs/explain.md", "predictions", table(rows))


main()
