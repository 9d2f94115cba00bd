"""What a kernel inherits from the one before, as `make curve` recorded it: plots/after_<card>.svg,
TFLOP/s and SM clock against time after each predecessor, and the tables of docs/steady_state.md.

Without measurements nothing is drawn and the page stays as it is.
"""

import os
import statistics

from repository import DATA, read_csv, write_between

FIGURES = "PAGES" not in os.environ  # `make docs` wants the tables alone
if FIGURES:
    from style import FAINT, INK, MUTED, plt, save

COLUMNS = ("stage", "after", "from_ms", "to_ms", "tflops", "clock_mhz", "power_limit_w", "command")
SPANS = [(0, 20), (20, 60), (60, 100), (100, 200), (200, 500), (500, 1000), (1000, 1500)]
COLORS = ["#1f2328", "#2f6690", "#c4320a", "#a86a00", "#3d7a4e"]  # of predecessors, by their order
NAMES = {"rest": "rest", "cublas_fp32": "cuBLAS, fp32 output"}


def curves(rows):
    """The rows of each predecessor: rest first, then as they stand in the file."""
    found = {}
    for row in rows:
        found.setdefault(row["after"], []).append(row)
    return sorted(found.items(), key=lambda each: each[0] != "rest")


def name_of(predecessor):
    return NAMES.get(predecessor, predecessor)


def median_in(rows, span, column):
    """Of the bins that begin within the span; None where nothing is known."""
    values = [float(row[column]) for row in rows
              if span[0] <= float(row["from_ms"]) < span[1] and row[column]]
    return statistics.median(values) if values else None


def conditions(row):
    size = ", ".join(row[name] for name in "MNK")
    limit = f", {float(row['power_limit_w']):.0f} W limit" if row["power_limit_w"] else ""
    return (f"{row['device']}, {row['stage']} at M, N, K = {size}, {row['inputs']} inputs, driver "
            f"{row['driver']}, CUDA {row['cuda']}{limit}, {row['date'][:10]}")


def draw(rows, name):
    figure = plt.figure(figsize=(10, 5.6))
    speed = figure.add_axes([0.065, 0.49, 0.92, 0.43])
    clock = figure.add_axes([0.065, 0.155, 0.92, 0.27], sharex=speed)
    for (predecessor, members), color in zip(curves(rows), COLORS):
        for axes, column in ((speed, "tflops"), (clock, "clock_mhz")):
            points = [((float(row["from_ms"]) + float(row["to_ms"])) / 2, float(row[column]))
                      for row in members if row[column]]
            axes.plot([x for x, _ in points], [y for _, y in points], color=color, linewidth=1.3,
                      label=f"after {name_of(predecessor)}")
    # Where do_bench, which begins with the kernel, takes its times.
    speed.axvspan(25, 125, color=FAINT, alpha=0.6, linewidth=0, label="what do_bench times")
    speed.set_ylabel("TFLOP/s")
    speed.tick_params(labelbottom=False)
    clock.set_ylabel("SM clock, MHz")
    clock.set_xlabel("milliseconds since its first launch")
    clock.set_xlim(0, max(float(row["to_ms"]) for row in rows))
    for axes in (speed, clock):
        axes.grid(color=FAINT, linewidth=0.5)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    handles, labels = speed.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.055, 0.0), ncol=5,
                  frameon=False, fontsize=8.5)
    figure.text(0.015, 0.965, conditions(rows[0]), fontsize=7.5, color=MUTED, va="center")
    speed.yaxis.label.set_color(INK)
    save(figure, name)


def table(rows):
    """TFLOP/s in spans of time after each predecessor, and how far apart they begin and end."""
    heads = [f"{begin} to {end} ms" for begin, end in SPANS]
    lines = ["| TFLOP/s after 3 s of | " + " | ".join(heads) + " | SM clock at the end |",
             "|---|" + "---:|" * (len(heads) + 1)]
    speeds = {span: [] for span in SPANS}
    for predecessor, members in curves(rows):
        cells = []
        for span in SPANS:
            value = median_in(members, span, "tflops")
            cells.append("" if value is None else f"{value:.0f}")
            if value is not None and predecessor != "rest":  # which is no contestant
                speeds[span].append(value)
        mhz = median_in(members, SPANS[-1], "clock_mhz")
        cells.append("" if mhz is None else f"{mhz:.0f} MHz")
        lines.append(f"| {name_of(predecessor)} | " + " | ".join(cells) + " |")
    apart = [f"{100 * (max(values) / min(values) - 1):.1f} %" if len(values) > 1 else ""
             for values in speeds.values()]
    lines.append("| *farthest apart, but for rest* | " + " | ".join(apart) + " | |")
    return lines


def part(rows, name):
    repetitions = rows[0]["repetitions"]
    return "\n".join([
        f"![TFLOP/s and SM clock of {rows[0]['stage']} from its start, after rest, after light and "
        f"after heavy kernels, on {rows[0]['device']}](../plots/{name}.svg)", "",
        *table(rows), "",
        f"Medians of {repetitions} repetitions, in an order drawn for each (seed "
        f"{rows[0]['order_seed']}), by `{rows[0]['command']}`: {conditions(rows[0])}."])


def main():
    parts = []
    for path in sorted(DATA.glob("after_*.csv")):
        rows = read_csv(path, COLUMNS)
        if not rows:
            continue
        if FIGURES:
            draw(rows, path.stem)
        parts.append(part(rows, path.stem))
    if parts:
        write_between("docs/steady_state.md", "after", "\n\n".join(parts))
    else:
        print("no plots/data/after_<card>.csv of make curve: docs/steady_state.md stays as it is")


main()
