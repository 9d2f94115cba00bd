"""One bar chart for each card that was measured, and the table of the README.

Reads every plots/data/<card>.csv that holds rows of `run --csv`, draws plots/benchmark_<card>.svg
and writes the part of README.md between its two benchmark marks. Without measurements it does
neither. `benchmark.py FILE` draws FILE alone and leaves the README as it is.
"""

import csv
import pathlib
import statistics
import sys

from style import INK, MUTED, PAPER, PLOTS, plt, save

STAGES = ["00_naive", "01_swizzle", "02_warp_specialized", "03_fused_pipeline"]
COLORS = ["#b8c4ce", "#8fb3d1", "#5b93bf", "#2f6690"]
# Column, name, colour and dash of what the stages are compared with.
PEERS = [
    ("mma_peak_tflops", "mma.sync from registers alone", "#1f2328", (0, ())),
    ("cublas_tflops", "cuBLAS, fp32 output", "#c4320a", (0, (6, 2))),
    ("cublas_bf16out_tflops", "cuBLAS, bf16 output", "#a86a00", (0, (2, 2))),
]
README = PLOTS.parent / "README.md"
BEGIN, END = "<!-- benchmark:begin -->", "<!-- benchmark:end -->"


def rows_of(path):
    """Rows of verified GPU runs at the largest problem in the file; empty for any other table."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        if not {"stage", "backend", "tflops", "M", "N", "K"} <= set(reader.fieldnames or []):
            return []
        rows = [
            row for row in reader
            if row["backend"] == "cuda" and row["verified"] == "true" and row["tflops"]]
    if not rows:
        return []
    largest = max(rows, key=lambda row: work_of(row))
    return [row for row in rows if shape_of(row) == shape_of(largest)]


def shape_of(row):
    return tuple(int(row[name]) for name in "MNK")


def work_of(row):
    m, n, k = shape_of(row)
    return m * n * k


def median(rows, column):
    """Median of what the rows have in this column, None where none has anything."""
    values = [float(row[column]) for row in rows if row.get(column)]
    return statistics.median(values) if values else None


def environment(rows):
    """What was measured, on what and when, in one line."""
    m, n, k = shape_of(rows[0])
    parts = [rows[0]["device"], f"M={m} N={n} K={k}"]
    for column, name in (("inputs", "inputs"), ("driver", "driver"), ("cuda", "CUDA")):
        values = sorted({row[column] for row in rows if row.get(column)})
        if values:
            parts.append(f"{name} {'/'.join(values)}")
    clock, power = median(rows, "clock_mhz"), median(rows, "power_w")
    if clock:
        parts.append(f"{clock:.0f} MHz")
    if power:
        parts.append(f"{power:.0f} W")
    days = sorted({row["date"][:10] for row in rows if row.get("date")})
    if days:
        parts.append(days[-1])
    return ", ".join(parts)


def draw(rows, name):
    figure = plt.figure(figsize=(10, 3.4))
    axes = figure.add_axes([0.165, 0.285, 0.80, 0.59])
    measured = [stage for stage in STAGES if any(row["stage"] == stage for row in rows)]
    longest = 0.0
    for index, stage in enumerate(measured):
        own = [row for row in rows if row["stage"] == stage]
        speed = median(own, "tflops")
        low, high = median(own, "tflops_p20"), median(own, "tflops_p80")
        axes.barh(index, speed, height=0.64, color=COLORS[STAGES.index(stage)])
        if low and high:
            axes.plot([low, high], [index, index], color=INK, linewidth=1.2, marker="|",
                      markersize=6)
        axes.annotate(f"{speed:.0f}", (0, index), xytext=(6, 0), textcoords="offset points",
                      va="center", fontsize=9, weight="bold",
                      color=INK if STAGES.index(stage) < 2 else PAPER)
        longest = max(longest, speed, high or 0)
    for column, label, color, dash in PEERS:
        value = median(rows, column)
        if value:
            axes.axvline(value, color=color, linestyle=dash, linewidth=1.5,
                         label=f"{label}: {value:.0f}")
            longest = max(longest, value)
    axes.set_yticks(range(len(measured)), measured)
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, longest * 1.04)
    axes.set_xlabel("TFLOP/s, more is better; whiskers: 20 % and 80 % quantile")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.text(0.02, 0.93, environment(rows), fontsize=8.5, color=MUTED, va="center")
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="lower left", bbox_to_anchor=(0.155, 0.01), ncol=3, frameon=False,
                      fontsize=8.5)
    save(figure, name)


def percent(value, whole):
    return f"{100 * value / whole:.0f} %" if whole else ""


def markdown(rows, name):
    """The table and the figure for the README."""
    peers = [(label, median(rows, column)) for column, label, _, _ in PEERS]
    peers = [(label, value) for label, value in peers if value]
    heads = ["stage", "TFLOP/s"] + [f"of {label}" for label, _ in peers]
    lines = [f"{environment(rows)}. Median of each stage's runs.", ""]
    lines.append("| " + " | ".join(heads) + " |")
    lines.append("|---|" + "---:|" * (len(heads) - 1))
    for stage in STAGES:
        own = [row for row in rows if row["stage"] == stage]
        if own:
            speed = median(own, "tflops")
            cells = [stage, f"{speed:.0f}"] + [percent(speed, value) for _, value in peers]
            lines.append("| " + " | ".join(cells) + " |")
    for label, value in peers:
        lines.append(f"| {label} | {value:.0f} |" + " |" * len(peers))
    lines += ["", f"![TFLOP/s of the four stages on {rows[0]['device']}](plots/{name}.svg)"]
    return "\n".join(lines)


def update_readme(text):
    page = README.read_text()
    before, after = page.index(BEGIN) + len(BEGIN), page.index(END)
    updated = page[:before] + "\n\n" + text + "\n\n" + page[after:]
    if updated != page:
        README.write_text(updated)
        print("wrote the benchmark table of README.md")


def main(files):
    parts = []
    for path in files or sorted((PLOTS / "data").glob("*.csv")):
        path = pathlib.Path(path)
        rows = rows_of(path)
        if not rows:
            print(f"{path}: no verified GPU runs in it, skipped")
            continue
        name = f"benchmark_{path.stem}"
        draw(rows, name)
        parts.append(markdown(rows, name))
    if not parts:
        print("plots/data holds no measurements: no benchmark figure")
    elif not files:
        update_readme("\n\n".join(parts))


main(sys.argv[1:])
