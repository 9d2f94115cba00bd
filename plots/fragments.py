"""docs/fragments.md: which lane holds which element of A, B and C, and in which register."""

import colorsys

from style import INK, MUTED, box, canvas, frame, save, table

CELL = 0.235


def lane_color(lane):
    """A hue for each of the eight groups of four lanes, a shade for each lane in it."""
    hue = (lane // 4) / 8 + 0.55
    red, green, blue = colorsys.hls_to_rgb(hue % 1, 0.90 - 0.055 * (lane % 4), 0.72)
    return (red, green, blue)


def place(rows, operand, registers):
    """(lane, register) -> the elements it holds."""
    held = {}
    for row in rows:
        if row["operand"] == operand and row["reg"] in registers:
            held.setdefault((row["lane"], row["reg"]), []).append((row["row"], row["col"]))
    return held


def draw_tile(axes, left, top, held):
    for (lane, _), elements in sorted(held.items()):
        row, col = min(elements)
        height = max(r for r, _ in elements) - row + 1
        width = max(c for _, c in elements) - col + 1
        box(
            axes, left + col * CELL, top + row * CELL, width * CELL, height * CELL,
            lane_color(lane), lane, size=7)


def ruler(axes, left, top, rows, cols, row_name, col_name):
    for row in range(0, rows, 4):
        axes.text(left - 0.06, top + (row + 0.5) * CELL, row, ha="right", va="center",
                  fontsize=7, color=MUTED)
    for col in range(0, cols, 4):
        axes.text(left + (col + 0.5) * CELL, top - 0.06, col, ha="center", va="bottom",
                  fontsize=7, color=MUTED)
    axes.text(left - 0.3, top + rows * CELL / 2, row_name, ha="center", va="center", fontsize=9,
              color=MUTED, style="italic")
    axes.text(left + cols * CELL / 2, top - 0.3, col_name, ha="center", va="center", fontsize=9,
              color=MUTED, style="italic")


def mark(axes, left, top, row, col, rows, cols, label, side):
    """Outlines a register's part of a tile and names it on one side."""
    x, y = left + col * CELL, top + row * CELL
    frame(axes, x, y, cols * CELL, rows * CELL)
    if side == "above":
        axes.text(x + cols * CELL / 2, top - 0.5, label, ha="center", va="center", fontsize=8.5,
                  family="DejaVu Sans Mono", color=INK)
    elif side == "below":
        axes.text(x + cols * CELL / 2, y + rows * CELL + 0.15, label, ha="center", va="center",
                  fontsize=8.5, family="DejaVu Sans Mono", color=INK)
    else:
        axes.text(x + cols * CELL + 0.08, y + rows * CELL / 2, label, ha="left", va="center",
                  fontsize=8.5, family="DejaVu Sans Mono", color=INK)


rows = table("fragments")
figure, axes = canvas(10, 5.45)

top = 1.15
axes.text(0.55, 0.24, "A, 16 x 16", fontsize=11, weight="bold", va="center")
draw_tile(axes, 0.55, top, place(rows, "A", range(4)))
ruler(axes, 0.55, top, 16, 16, "m", "k")
mark(axes, 0.55, top, 0, 0, 8, 8, "ra[0]", "above")
mark(axes, 0.55, top, 8, 0, 8, 8, "ra[1]", "below")
mark(axes, 0.55, top, 0, 8, 8, 8, "ra[2]", "above")
mark(axes, 0.55, top, 8, 8, 8, 8, "ra[3]", "below")

left = 5.15
axes.text(left, 0.24, "B, 16 x 8", fontsize=11, weight="bold", va="center")
draw_tile(axes, left, top, place(rows, "B", range(2)))
ruler(axes, left, top, 16, 8, "k", "n")
mark(axes, left, top, 0, 0, 8, 8, "rb[0]", "above")
mark(axes, left, top, 8, 0, 8, 8, "rb[1]", "below")

left = 7.85
axes.text(left, 0.24, "C, 16 x 8", fontsize=11, weight="bold", va="center")
draw_tile(axes, left, top, place(rows, "C", range(4)))
ruler(axes, left, top, 16, 8, "m", "n")
for col in range(0, 8, 2):
    for row in range(16):
        frame(axes, left + col * CELL, top + row * CELL, 2 * CELL, CELL, color=MUTED, line=0.6)
mark(axes, left, top, 0, 0, 8, 8, "rc[0] rc[1]", "above")
mark(axes, left, top, 8, 0, 8, 8, "rc[2] rc[3]", "below")

axes.text(
    0.55, 5.28, "Numbers are lanes. A box of A or B is one 32-bit register with two bf16, "
    "the lower k in the lower half; a cell of C is one fp32 register.",
    fontsize=8, color=MUTED, va="center")
save(figure, "fragments")
