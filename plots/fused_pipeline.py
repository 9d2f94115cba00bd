"""docs/fused_pipeline.md: the two pipelines on the odd instance, one after the other and fused."""

from matplotlib.patches import Rectangle

from style import ACCENT, BUFFERS, EMPTY, MUTED, PAPER, REGISTERS, box, canvas, save, table

COLUMNS = 40  # slots per line; a pipeline wraps around like a line of text
CELL = 0.215
LEFT = 1.2
TMA_ROW, S2R_ROW, MMA_ROW = 0.2, 0.27, 0.27
LINE = 3 * TMA_ROW + S2R_ROW + MMA_ROW + 0.16
LINE_GAP = 0.42
STALL = "#fbe3dc"


def position(slot, top):
    """Left and top edge of a slot's column."""
    return LEFT + slot % COLUMNS * CELL, top + slot // COLUMNS * (LINE + LINE_GAP)


def tma_bars(axes, events, top):
    """A tile's stay in its buffer: pale from the issue on, strong while ldmatrix reads it."""
    for issue in (e for e in events if e["event"] == "tma"):
        reads = [
            e["slot"] for e in events if e["event"] == "ldmatrix" and e["tile"] == issue["tile"]]
        color = BUFFERS[issue["buffer"]]
        for slot in range(issue["slot"], max(reads) + 1):
            x, y = position(slot, top)
            y += issue["buffer"] * TMA_ROW
            being_read = slot >= min(reads)
            axes.add_patch(strip(x, y, color, 1 if being_read else 0.35))
        x, y = position(min(reads), top)
        axes.text(x + 0.05, y + issue["buffer"] * TMA_ROW + TMA_ROW / 2, f"tile {issue['tile']}",
                  fontsize=7, va="center_baseline")
        if issue["slot"] > 0:
            x, y = position(issue["slot"], top)
            axes.plot([x, x], [y - 0.07, y + LINE - 0.03], color=ACCENT, linewidth=0.9, zorder=4)
            axes.plot([x], [y - 0.07], marker="v", color=ACCENT, markersize=4, zorder=4)


def strip(x, y, color, alpha):
    return Rectangle(
        (x, y + 0.015), CELL, TMA_ROW - 0.03, facecolor=color, alpha=alpha, linewidth=0,
        antialiased=False)


def step_cells(axes, events, top, slots):
    """ldmatrix and mma, a cell per k-step; the number is the k-step inside its tile."""
    s2r_y = 3 * TMA_ROW + 0.08
    mma_y = s2r_y + S2R_ROW + 0.06
    for slot in range(slots):
        x, y = position(slot, top)
        box(axes, x, y + s2r_y, CELL, S2R_ROW, EMPTY)
        box(axes, x, y + mma_y, CELL, MMA_ROW, STALL)
    for event in events:
        if event["event"] == "tma":
            continue
        x, y = position(event["slot"], top)
        is_load = event["event"] == "ldmatrix"
        y += s2r_y if is_load else mma_y
        height = S2R_ROW if is_load else MMA_ROW
        box(axes, x, y, CELL, height, REGISTERS[event["stage"]], event["k"], size=7, ink=PAPER)
        stripe = y - 0.045 if is_load else y + height
        box(axes, x, stripe, CELL, 0.045, BUFFERS[event["buffer"]], line=0)


def labels(axes, top, slots):
    for line in range((slots + COLUMNS - 1) // COLUMNS):
        y = top + line * (LINE + LINE_GAP)
        for buffer in range(3):
            axes.text(LEFT - 0.1, y + (buffer + 0.5) * TMA_ROW, f"buffer {buffer}", ha="right",
                      va="center", fontsize=7.5, color=MUTED)
        s2r_y = y + 3 * TMA_ROW + 0.08
        axes.text(LEFT - 0.1, s2r_y + S2R_ROW / 2, "ldmatrix", ha="right", va="center",
                  fontsize=7.5, family="DejaVu Sans Mono")
        axes.text(LEFT - 0.1, s2r_y + S2R_ROW + 0.06 + MMA_ROW / 2, "mma", ha="right", va="center",
                  fontsize=7.5, family="DejaVu Sans Mono")
        first = line * COLUMNS
        for slot in range(first, min(first + COLUMNS, slots), 10):
            x, _ = position(slot, top)
            axes.text(x + CELL / 2, y - 0.14, slot, ha="center", va="center", fontsize=6.5,
                      color=MUTED)


def legend(axes, y):
    x = LEFT
    axes.text(LEFT - 0.1, y, "registers", ha="right", va="center", fontsize=7.5, color=MUTED)
    for stage, color in enumerate(REGISTERS):
        box(axes, x, y - 0.1, 0.2, 0.2, color)
        axes.text(x + 0.26, y, f"stage {stage}", fontsize=7.5, va="center")
        x += 0.85
    box(axes, x, y - 0.1, 0.2, 0.2, STALL)
    axes.text(x + 0.26, y, "no mma", fontsize=7.5, va="center")
    x += 0.95
    axes.add_patch(strip(x, y - 0.1, BUFFERS[1], 0.35))
    axes.text(x + 0.28, y, "copied or waiting", fontsize=7.5, va="center")
    x += 1.5
    axes.add_patch(strip(x, y - 0.1, BUFFERS[1], 1))
    axes.text(x + 0.28, y, "read by ldmatrix", fontsize=7.5, va="center")
    x += 1.45
    axes.plot([x + 0.1], [y], marker="v", color=ACCENT, markersize=4)
    axes.text(x + 0.22, y, "all threads meet, refill", fontsize=7.5, va="center")


def draw(name, title):
    events = [e for e in table("schedule") if e["pipeline"] == name]
    slots = max(e["slot"] for e in events if e["event"] != "tma") + 1
    busy = len([e for e in events if e["event"] == "mma"])
    lines = (slots + COLUMNS - 1) // COLUMNS
    top = 0.95
    bottom = top + lines * (LINE + LINE_GAP) - LINE_GAP
    figure, axes = canvas(10, bottom + 0.85)
    axes.text(0.25, 0.25, title, fontsize=11, weight="bold", va="center")
    axes.text(0.25, 0.5, f"{slots} columns for {busy} k-steps; a column is a k-step in order, "
              "not a length of time. Numbers: k-step inside the tile.",
              fontsize=8, color=MUTED, va="center")
    tma_bars(axes, events, top)
    step_cells(axes, events, top, slots)
    labels(axes, top, slots)
    legend(axes, bottom + 0.4)
    save(figure, f"pipeline_{name}")


draw("unfused", "Unfused: the register pipeline starts anew in every tile")
draw("fused", "Fused: the register pipeline runs on into the next tile")
