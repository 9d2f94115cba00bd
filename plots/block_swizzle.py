"""docs/swizzle.md: which tiles of C are worked on at one time, and which of A and B they read."""

from matplotlib.colors import LinearSegmentedColormap

from style import ACCENT, EMPTY, FAINT, MUTED, box, canvas, save, table

GRID = 64
RESIDENT = 340  # two blocks on each of 170 SMs
CELL = 2.62 / GRID
BAR = 0.13
ORDER = LinearSegmentedColormap.from_list("order", ["#1d4e79", "#4aa3a2", "#f2d16b"])
TITLES = {
    "row_major": "row by row",
    "group_8x8": "group_m=8 group_n=8 (the default)",
    "group_16x16": "group_m=16 group_n=16",
}


def panel(axes, left, top, tiles, title):
    axes.text(left, top - 0.72, title, fontsize=9.5, weight="bold", va="center")
    axes.text(left + GRID * CELL / 2, top - 0.31, "columns of B", fontsize=7.5, color=MUTED,
              ha="center", va="center")
    axes.text(left - 0.3, top + GRID * CELL / 2, "rows of A", fontsize=7.5, color=MUTED,
              ha="center", va="center", rotation=90)
    box(axes, left, top, GRID * CELL, GRID * CELL, EMPTY, edge=FAINT)
    box(axes, left, top - 0.2, GRID * CELL, BAR, EMPTY, edge=FAINT)
    box(axes, left - 0.2, top, BAR, GRID * CELL, EMPTY, edge=FAINT)
    for row, col, block in tiles:
        box(axes, left + col * CELL, top + row * CELL, CELL, CELL, ORDER(block / RESIDENT),
            line=0.15)
    rows = {row for row, _, _ in tiles}
    cols = {col for _, col, _ in tiles}
    for row in rows:
        box(axes, left - 0.2, top + row * CELL, BAR, CELL, ACCENT, line=0.15)
    for col in cols:
        box(axes, left + col * CELL, top - 0.2, CELL, BAR, ACCENT, line=0.15)
    total = len(rows) + len(cols)
    axes.text(
        left, top + GRID * CELL + 0.2, f"{len(rows)} of A + {len(cols)} of B = {total} panels",
        fontsize=8.5, va="center", weight="bold")
    axes.text(
        left, top + GRID * CELL + 0.42,
        f"each read by {2 * RESIDENT / total:.1f} blocks on average",
        fontsize=8, va="center", color=MUTED)


figure, axes = canvas(10, 4.4)
table_rows = table("blocks")
for index, (order, title) in enumerate(TITLES.items()):
    tiles = [
        (r["tile_m"], r["tile_n"], r["block"])
        for r in table_rows if r["order"] == order and r["block"] < RESIDENT]
    panel(axes, 0.55 + index * 3.25, 0.95, tiles, title)
axes.text(
    0.35, 4.24, f"Blocks 0 to {RESIDENT - 1} of a grid of {GRID} x {GRID} tiles, dark to light in "
    "the order in which they start.", fontsize=8, color=MUTED, va="center")
save(figure, "block_swizzle")
