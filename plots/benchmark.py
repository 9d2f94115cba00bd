"""What `make bench` measured: figures for each card, and the part of README.md between its marks.

Reads every plots/data/<card>.csv, of each size the newest run, and draws

  plots/benchmark_<card>.svg           the stages at the article's size, with what they compare to
  plots/benchmark_<card>_sizes.svg     TFLOP/s at every size
  plots/benchmark_<card>_roofline.svg  the same against operations per byte

A stage whose kernel has changed since is marked as stale. Without measurements nothing is drawn and
README.md stays as it is. `benchmark.py FILE` draws FILE alone and prints what would go there.
"""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

from repository import DATA, ROOT, read_csv, stages, write_between

FIGURES = "PAGES" not in os.environ  # `make docs` wants the part of README.md alone
if FIGURES:
    from style import EMPTY, FAINT, INK, MUTED, PAPER, plt, save

STAGES = stages()
COLORS = ["#b8c4ce", "#8fb3d1", "#5b93bf", "#2f6690", "#1d4463", "#122a3d"]  # by their order
# What the stages are compared with: name in the file, name for people, colour, dash.
CEILING, LT = "mma_sync_registers", "cublaslt_mma_sync"
TWIN = "again_"  # before the name of the stage that is entered twice
CUTLASS = "cutlass_sm80"  # where `make bench` was given CUTLASS=
FP32, BF16 = "cublas_fp32", "cublas_bf16"
PEERS = [
    (CEILING, "mma.sync from registers alone", "#1f2328", (0, ())),
    (LT, "best cuBLASLt algorithm", "#3d7a4e", (0, (8, 2, 2, 2))),
    (CUTLASS, "best CUTLASS 2.x kernel", "#6f42c1", (0, (4, 2, 1, 2, 1, 2))),
    (FP32, "cuBLAS, fp32 output", "#c4320a", (0, (6, 2))),
    (BF16, "cuBLAS, bf16 output", "#a86a00", (0, (2, 2))),
]
ARTICLE_SIZE = (8192, 8192, 8192)
SM120_BLOCK_BYTES = 101376  # of shared memory
COLUMNS = {"stage", "preset", "kernel_hash", "tflops", "ms", "rounds", "instruction", "M", "N", "K"}


class Run:
    """The rows of one run at one size: contestants that took turns."""

    def __init__(self, rows):
        self.rows = rows
        self.size = shape_of(rows[0])
        self.presets = sorted({row["preset"] for row in rows if row["stage"] in STAGES})

    def find(self, stage, preset=""):
        for row in self.rows:
            if row["stage"] == stage and row["preset"] == preset:
                return row
        return None

    def tflops(self, stage, preset=""):
        row = self.find(stage, preset)
        return speed(row) if row else None

    def stages(self):
        """(stage, preset, row), by stage and then by preset."""
        found = [(stage, preset, self.find(stage, preset))
                 for stage in STAGES for preset in self.presets]
        return [each for each in found if each[2]]


def is_steady(row):
    """Whether it was measured in steady state, too; rows from before that lack the columns."""
    return bool(row.get("steady_tflops"))


def speed(row):
    """TFLOP/s: in steady state, where that was measured."""
    return float(row["steady_tflops" if is_steady(row) else "tflops"])


def spread(row):
    """The slowest and the fastest round in steady state, else two quantiles of the cold runs."""
    names = ("steady_slowest", "steady_fastest") if is_steady(row) else ("tflops_p20", "tflops_p80")
    return tuple(float(row[name]) for name in names)


def measured(runs):
    """The stages that have rows, in their order."""
    known = {row["stage"] for run in runs for row in run.rows}
    return [stage for stage in STAGES if stage in known]


def color_of(stage):
    return COLORS[min(STAGES.index(stage), len(COLORS) - 1)]


def shape_of(row):
    return tuple(int(row[name]) for name in "MNK")


def size_text(size):
    m, n, k = size
    return f"{m}³" if m == n == k else f"{m} x {n} x {k}"


def runs_of(path):
    """The newest run of each size, the article's first, then squares, then the others."""
    rows = [row for row in read_csv(path, COLUMNS) if row["verified"] != "false"]
    by_run = {}
    for row in rows:
        by_run.setdefault((shape_of(row), row["date"]), []).append(row)
    newest = {}
    for (size, date), members in by_run.items():
        if size not in newest or date > newest[size][0]:
            newest[size] = (date, members)
    runs = [Run(members) for _, members in newest.values()]
    runs = [run for run in runs if any(row["stage"] in STAGES for row in run.rows)]
    order = {size: index for index, size in enumerate(known_sizes())}
    return sorted(runs, key=lambda run: (
        run.size != ARTICLE_SIZE, len(set(run.size)) > 1, order.get(run.size, len(order)),
        run.size))


def known_sizes():
    """What common/tools/bench/sizes.txt says of each size, in its order."""
    sizes = {}
    for line in (ROOT / "common/tools/bench/sizes.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            size, words = line.split(None, 1)
            sizes[tuple(int(part) for part in size.split("x"))] = words
    return sizes


HASHES = {}


def is_stale(row):
    """Whether the stage's kernel, or its values in config.h or the preset, changed since."""
    key = (row["stage"], row["preset"])
    if key not in HASHES:
        fields = []
        if row["preset"]:
            path = ROOT / row["stage"] / f"{row['preset']}.preset"
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            fields = ["".join(line.split("#")[0].split()) for line in lines]
        HASHES[key] = subprocess.run(
            ["common/make/kernel_hash.sh", row["stage"]] + [field for field in fields if field],
            cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
    return row["kernel_hash"] != HASHES[key]


def instruction(row):
    """The instruction of a library's kernel, as its name proves it."""
    if row["instruction"].startswith("wgmma"):
        return "tcgen05" if row["arch"] in ("sm_100", "sm_103") else "wgmma"
    return row["instruction"] if row["instruction"] != "unknown" else "instruction unknown"


def peer_label(name, row):
    return name if row["stage"] == CEILING else f"{name} ({instruction(row)})"


def label_of(stage, preset):
    return f"{stage}, preset {preset}" if preset else stage


def environment(run):
    """What was measured, on what and when, in one line."""
    row = run.rows[0]
    clocks = [float(clock) for each in run.rows
              if (clock := each["steady_clock_mhz" if is_steady(each) else "clock_mhz"])]
    parts = [row["device"], f"M, N, K = {', '.join(str(extent) for extent in run.size)}",
             f"{row['inputs']} inputs", f"driver {row['driver']}", f"CUDA {row['cuda']}",
             f"cuBLAS {row['cublas']}"]
    if row["power_limit_w"]:
        parts.append(f"{float(row['power_limit_w']):.0f} W limit")
    if clocks:
        parts.append(f"SM clock {min(clocks):.0f} to {max(clocks):.0f} MHz")
    return ", ".join(parts + [row["date"][:10]])


def bare(axes, sides=("top", "right")):
    for side in sides:
        axes.spines[side].set_visible(False)


def draw_bars(run, name):
    bars = run.stages()
    more = 0.17 if run.find(CUTLASS) else 0.0  # a third line of the legend
    height = 1.6 + more + 0.38 * len(bars)
    figure = plt.figure(figsize=(10, height))
    axes = figure.add_axes([0.235, (0.98 + more) / height, 0.745, 1 - (1.38 + more) / height])
    longest = 0.0
    for index, (stage, preset, row) in enumerate(bars):
        value, (low, high) = speed(row), spread(row)
        stale = is_stale(row)
        axes.barh(index, value, height=0.68, color=EMPTY if stale else color_of(stage),
                  edgecolor=FAINT if stale else PAPER, hatch="///" if stale else None)
        axes.plot([low, high], [index, index], color=INK, linewidth=1.2, marker="|", markersize=6)
        dark = STAGES.index(stage) >= 2 and not stale
        axes.annotate(f"{value:.0f}" + (", of an older kernel" if stale else ""), (0, index),
                      xytext=(6, 0), textcoords="offset points", va="center", fontsize=9,
                      weight="bold", color=PAPER if dark else INK)
        longest = max(longest, high)
    for peer, label, color, dash in PEERS:
        row = run.find(peer)
        if row:
            value = speed(row)
            axes.axvline(value, color=color, linestyle=dash, linewidth=1.5,
                         label=f"{peer_label(label, row)}: {value:.0f}")
            longest = max(longest, value)
    axes.set_yticks(range(len(bars)), [label_of(stage, preset) for stage, preset, _ in bars])
    axes.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, longest * 1.04)
    axes.set_xlabel("TFLOP/s in steady state, more is better; whiskers: slowest and fastest round"
                    if is_steady(run.rows[0]) else
                    "TFLOP/s, more is better; whiskers: 20 % and 80 % quantile")
    bare(axes, ("top", "right", "left"))
    figure.text(0.015, 1 - 0.2 / height, environment(run), fontsize=7.5, color=MUTED, va="center")
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="lower left", bbox_to_anchor=(0.225, 0.0), ncol=2, frameon=False,
                      fontsize=8.5)
    save(figure, name)


def curves(runs):
    """(label, colour, dash, TFLOP/s of each run or None) of what the size figure shows."""
    presets = sorted({preset for run in runs for preset in run.presets})
    for preset in presets:
        for stage in measured(runs):
            values = [run.tflops(stage, preset) for run in runs]
            dash = (0, (3, 1.5)) if preset else (0, ())
            yield label_of(stage, preset), color_of(stage), dash, values
    for peer, label, color, dash in PEERS:
        rows = [run.find(peer) for run in runs]
        known = [row for row in rows if row]
        if known:
            yield (peer_label(label, known[0]), color, dash,
                   [speed(row) if row else None for row in rows])


def draw_sizes(runs, name):
    squares = sorted((run for run in runs if len(set(run.size)) == 1), key=lambda run: run.size)
    shapes = [run for run in runs if len(set(run.size)) > 1]
    height = max(4.4, 1.9 + 0.46 * len(shapes))
    figure = plt.figure(figsize=(10, height))
    bottom, span = 1.35 / height, 1 - 1.95 / height
    left = figure.add_axes([0.06, bottom, 0.36 if shapes else 0.92, span])
    for label, color, dash, values in curves(squares):
        points = [(run.size[0], value) for run, value in zip(squares, values) if value]
        left.plot([x for x, _ in points], [y for _, y in points], color=color, linestyle=dash,
                  linewidth=1.6, marker="o", markersize=3.5, label=label)
    left.set_xscale("log", base=2)
    left.set_xticks([run.size[0] for run in squares], [str(run.size[0]) for run in squares])
    left.minorticks_off()
    left.set_ylim(bottom=0)
    left.set_title("M = N = K")
    left.set_ylabel("TFLOP/s")
    bare(left)
    if shapes:
        right = figure.add_axes([0.655, bottom, 0.325, span])
        words = known_sizes()
        for label, color, dash, values in curves(shapes):
            points = [(value, index) for index, value in enumerate(values) if value]
            right.scatter([x for x, _ in points], [y for _, y in points], s=26, color=color,
                          marker="d" if "preset" in label else "o" if label in STAGES
                          else "|", label=label)
        right.set_yticks(range(len(shapes)), [
            "\n".join([size_text(run.size)]
                      + textwrap.wrap(words.get(run.size, "").split(":")[0], 40))
            for run in shapes])
        right.tick_params(axis="y", length=0, labelsize=6.5)
        right.invert_yaxis()
        right.set_xlim(left=0)
        right.set_title("M x N x K of models")
        right.set_xlabel("TFLOP/s")
        right.grid(axis="y", color=FAINT, linewidth=0.5)
        right.set_axisbelow(True)
        bare(right, ("top", "right", "left"))
    handles, labels = (left if squares else right).get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.04, 0.0), ncol=3,
                  frameon=False, fontsize=7.5)
    figure.text(0.015, 1 - 0.18 / height, runs[0].rows[0]["device"], fontsize=8.5, color=MUTED,
                va="center")
    save(figure, name)


def intensity(size):
    """Operations per byte, if A and B are read once and C (fp32) is written once."""
    m, n, k = size
    return 2 * m * n * k / (2 * m * k + 2 * n * k + 4 * m * n)


def roofline(runs):
    """TFLOP/s per operation per byte, and TFLOP/s: the two roofs, None where one is not known."""
    bandwidths = [float(run.rows[0]["dram_gb_s"]) for run in runs if run.rows[0]["dram_gb_s"]]
    ceilings = [value for run in runs if (value := run.tflops(CEILING))]
    return (bandwidths[0] * 1e-3, max(ceilings)) if bandwidths and ceilings else None


def draw_roofline(runs, name):
    slope, roof = roofline(runs)
    figure = plt.figure(figsize=(10, 4.6))
    axes = figure.add_axes([0.07, 0.2, 0.90, 0.70])
    xs = [intensity(run.size) for run in runs]
    speeds = [speed(row) for run in runs for row in run.rows]
    ridge = roof / slope
    first, last = min(min(xs), ridge) / 2, max(max(xs), ridge) * 2
    axes.plot([first, ridge, last], [first * slope, roof, roof], color=INK, linewidth=1.6,
              label=f"DRAM {slope:.2f} TB/s, mma.sync from registers {roof:.0f} TFLOP/s")
    for stage in measured(runs):
        values = [max((value for preset in run.presets if (value := run.tflops(stage, preset))),
                      default=None) for run in runs]
        points = [(x, value) for x, value in zip(xs, values) if value]
        axes.scatter([x for x, _ in points], [y for _, y in points], s=26, color=color_of(stage),
                     label=stage, zorder=3)
    for peer, label, color, _ in PEERS:
        if peer not in (LT, FP32):  # the best of the instruction, and of the GPU
            continue
        rows = [run.find(peer) for run in runs]
        points = [(x, speed(row)) for x, row in zip(xs, rows) if row]
        if points:
            known = next(row for row in rows if row)
            axes.scatter([x for x, _ in points], [y for _, y in points], s=36, marker="_",
                         color=color, label=peer_label(label, known), zorder=3)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlim(first, last)
    axes.set_ylim(min(min(speeds), first * slope) / 1.5, max(max(speeds), roof) * 1.5)
    for scale in (axes.xaxis, axes.yaxis):
        scale.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("operations per byte, with A and B read once and C written once")
    axes.set_ylabel("TFLOP/s")
    axes.set_title(runs[0].rows[0]["device"])
    bare(axes)
    figure.legend(loc="lower left", bbox_to_anchor=(0.06, 0.0), ncol=4, frameon=False, fontsize=7.5)
    save(figure, name)


def percent(value, whole):
    return f"{100 * value / whole:.1f} %" if value and whole else ""


def main_table(run):
    """The stages and their peers at one size, and what the marks mean."""
    peers = [(label, run.find(peer)) for peer, label, _, _ in PEERS if run.find(peer)]
    steady = is_steady(run.rows[0])
    heads = ["", "TFLOP/s, steady", "slowest to fastest round", "ms"] if steady else [
        "", "TFLOP/s", "p20 to p80", "ms"]
    heads += [f"of {peer_label(label, row)}" for label, row in peers]
    heads += ["SM clock", "J a launch", "TFLOP/s, cold"] if steady else []
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    names = [(f"[{stage}]({stage})" + (f", preset {preset}" if preset else ""), row)
             for stage, preset, row in run.stages()]
    names += [(peer_label(label, row), row) for label, row in peers]
    any_stale = False
    for name, row in names:
        stale = row["stage"] in STAGES and is_stale(row)
        any_stale = any_stale or stale
        low, high = spread(row)
        cells = [name + (" (stale)" if stale else ""),
                 f"{speed(row):.1f}", f"{low:.1f} to {high:.1f}",
                 f"{float(row['steady_ms' if steady else 'ms']):.3f}"]
        cells += ["" if row is other else percent(speed(row), speed(other)) for _, other in peers]
        if steady:
            clock, joules = row["steady_clock_mhz"], row["steady_joules"]
            cells += [f"{float(clock):.0f} MHz" if clock else "",
                      f"{float(joules):.3g}" if joules else "", f"{float(row['tflops']):.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    if any_stale:
        lines += ["", "Stale: the kernel has changed since this was measured."]
    return lines


def protocol(run):
    """How the figures of a run were had, and what two equal contestants differ by."""
    row = run.rows[0]
    if not is_steady(row):
        return [f"Medians of single runs in {row['rounds']} rounds in which all take turns, and "
                "ratios of these medians."]
    text = [f"Median of {row['steady_rounds']} rounds in steady state: in each round every kernel "
            "runs until its clock has settled and is then timed back to back, with the L2 as warm "
            f"as that leaves it, in an order drawn anew (seed {row['order_seed']}). Cold: as "
            "`do_bench` of Triton measures, 125 ms a kernel with the L2 flushed."]
    for twin in run.rows:
        other = run.find(twin["stage"][len(TWIN):])
        if twin["stage"].startswith(TWIN) and other:
            text.append(f"{other['stage'][:2]} was entered twice, and differs from itself by "
                        f"{abs(100 * (speed(twin) / speed(other) - 1)):.2f} %: smaller differences "
                        "say nothing.")
    return text


def cutlass_room(config):
    """Whether a kernel of CUTLASS fits into the shared memory of sm_120, too."""
    found = re.match(r"tile (\d+)x(\d+)x(\d+), .* (\d+) stages", config)
    if not found:
        return ""
    m, n, k, count = map(int, found.groups())
    fits = 2 * (m + n) * k * count <= SM120_BLOCK_BYTES
    return f" {'It fits' if fits else 'It does not fit'} into the shared memory of sm_120."


def notes(run):
    """What the figures cannot be read without."""
    lt, cutlass = run.find(LT), run.find(CUTLASS)
    fp32, bf16 = run.find(FP32), run.find(BF16)
    text = protocol(run)
    newer = sorted({instruction(row) for row in (fp32, bf16)
                    if row and row["instruction"].startswith("wgmma")})
    if newer:
        text.append(f"cuBLAS uses `{newer[0]}` here, an instruction that sm_120 does not have; the "
                    "ceiling of these kernels is `mma.sync` working on registers alone.")
    if lt:
        text.append(f"The best cuBLASLt algorithm of that class is `{lt['kernel']}`: its name "
                    "proves the instruction.")
    if cutlass:
        text.append("The kernel of CUTLASS 2.x is one that this course builds: "
                    f"{cutlass['config']}.{cutlass_room(cutlass['config'])}")
    reasons = sorted({reason for row in run.rows for reason in row["throttle"].split(", ")
                      if reason})
    if reasons:
        text.append(f"The GPU throttled ({', '.join(reasons)}), as it does under such a load.")
    text.append("Measured by `make bench`, with `PRESET=` and, for CUTLASS, `CUTLASS=`.")
    return [" ".join(text)]


def sizes_notes(runs):
    """What the rows of sizes_table do not say."""
    rounds = {run.rows[0]["steady_rounds" if is_steady(run.rows[0]) else "rounds"]
              for run in runs[1:]}
    cold = [size_text(run.size) for run in runs if not is_steady(run.rows[0])]
    text = [f"Medians of {' or '.join(sorted(rounds))} rounds, but for the first size."]
    if 0 < len(cold) < len(runs):
        text.append(f"Measured cold, before there were steady figures: {', '.join(cold)}.")
    for run in runs:
        row = run.find(LT)
        counts = row and re.search(r"(\d+) of (\d+) tried", row["config"])
        if counts and counts[1] != counts[2]:
            text.append(f"At {size_text(run.size)} time was up when {counts[1]} of {counts[2]} "
                        "algorithms of cuBLASLt had been tried.")
        for stage in STAGES:
            rows = [found for preset in run.presets if (found := run.find(stage, preset))]
            best = max(rows, key=speed, default=None)
            if best and best["spill_bytes"] not in ("", "0"):
                text.append(f"{stage[:2]} spills {best['spill_bytes']} bytes a thread at "
                            f"{size_text(run.size)}.")
    return [" ".join(text)]


def sizes_table(runs):
    words = known_sizes()
    with_cutlass = any(run.find(CUTLASS) for run in runs)
    heads = [stage[:2] for stage in measured(runs)]
    last = heads[-1]
    heads += ["best cuBLASLt, mma.sync", "cuBLAS, fp32", f"{last} of cuBLASLt"]
    if with_cutlass:
        heads += ["best CUTLASS 2.x", f"{last} of CUTLASS"]
    lines = ["| M x N x K | | " + " | ".join(heads) + " |", "|---|---|" + "---:|" * len(heads)]
    for run in runs:
        best = [max((value for preset in run.presets if (value := run.tflops(stage, preset))),
                    default=None) for stage in measured(runs)]
        values = best + [run.tflops(LT), run.tflops(FP32)]
        cells = [size_text(run.size), words.get(run.size, "")]
        cells += [f"{value:.0f}" if value else "" for value in values]
        cells.append(percent(best[-1], run.tflops(LT)))
        if with_cutlass:
            speed = run.tflops(CUTLASS)
            cells += [f"{speed:.0f}" if speed else "", percent(best[-1], speed)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def figures(runs, name):
    """Draws the figures of a card."""
    draw_bars(runs[0], name)
    if len(runs) > 1:
        draw_sizes(runs, f"{name}_sizes")
        if roofline(runs):
            draw_roofline(runs, f"{name}_roofline")


def part(runs, name):
    """The README's part about a card."""
    device = runs[0].rows[0]["device"]
    lines = [f"**{environment(runs[0])}**", ""] + main_table(runs[0]) + [""] + notes(runs[0])
    count = "no one two three four five six seven eight nine".split()[len(measured(runs))]
    lines += ["", f"![TFLOP/s of the {count} stages on {device}](plots/{name}.svg)"]
    if len(runs) > 1:
        lines += ["", "TFLOP/s at all sizes, of a stage the better of its configurations:", ""]
        lines += sizes_table(runs) + [""] + sizes_notes(runs)
        lines += ["", f"![TFLOP/s against size on {device}](plots/{name}_sizes.svg)"]
        if roofline(runs):
            lines += ["", f"![Roofline of {device}](plots/{name}_roofline.svg)"]
    return "\n".join(lines)


def main(files):
    parts = []
    for path in files or sorted(DATA.glob("*.csv")):
        path = pathlib.Path(path)
        runs = runs_of(path)
        if not runs:
            print(f"{path}: no rows of make bench in it, skipped")
            continue
        name = f"benchmark_{path.stem}"
        if FIGURES:
            figures(runs, name)
        parts.append(part(runs, name))
    if not parts:
        print("plots/data holds no measurements: no benchmark figure")
    elif files:
        print("\n\n".join(parts))
    else:
        write_between("README.md", "benchmark", "\n\n".join(parts))


main(sys.argv[1:])
