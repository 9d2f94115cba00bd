"""docs/fragments.md: ldmatrix.x4, which lane names which row and where that row's elements land."""

from style import ACCENT, BUFFERS, MUTED, box, canvas, frame, save, table

MATRIX = [BUFFERS[0], BUFFERS[1], BUFFERS[2], "#d9c2ec"]
CELL = 0.225
SHOWN = 13  # the lane whose row is followed


def shared_memory(axes, left, top, rows, operand, row_name):
    """The 16 x 16 elements that one ldmatrix.x4 reads: a lane per row of eight."""
    for entry in rows:
        if entry["operand"] != operand:
            continue
        lane, row, col = entry["lane"], entry["row"], entry["col"]
        x = left + col * CELL * 0.82
        y = top + row * CELL
        box(axes, x, y, 8 * CELL * 0.82, CELL, MATRIX[lane // 8], f"lane {lane}", size=7)
        if lane == SHOWN:
            frame(axes, x, y, 8 * CELL * 0.82, CELL, color=ACCENT, line=1.8)
    for row in range(0, 16, 4):
        axes.text(left - 0.06, top + (row + 0.5) * CELL, row, ha="right", va="center", fontsize=7,
                  color=MUTED)
    axes.text(left - 0.3, top + 8 * CELL, row_name, ha="center", va="center", fontsize=9,
              color=MUTED, style="italic")
    for col, label in ((0, "k = 0..7"), (8, "k = 8..15")):
        axes.text(left + (col + 4) * CELL * 0.82, top - 0.09, label, ha="center", va="center",
                  fontsize=7.5, color=MUTED)


def registers(axes, left, top, names, rows, operand):
    """Four registers of 32 lanes, eight rows of four, each where its matrix lies in memory."""
    for reg, name in enumerate(names):
        first = next(r for r in rows if r["operand"] == operand and r["lane"] == 8 * reg)
        x0 = left + first["col"] // 8 * 1.85
        y0 = top + first["row"] // 8 * 2.0
        axes.text(x0 + 0.72, y0 - 0.1, name, ha="center", va="center", fontsize=8.5,
                  family="DejaVu Sans Mono")
        for lane in range(32):
            box(axes, x0 + lane % 4 * 0.36, y0 + lane // 4 * 0.2, 0.36, 0.2, MATRIX[reg], lane,
                size=7)
        if reg == SHOWN // 8:
            frame(axes, x0, y0 + SHOWN % 8 * 0.2, 1.44, 0.2, color=ACCENT, line=1.8)


rows = table("ldmatrix")
figure, axes = canvas(10, 9.1)

for operand, top, row_name, names, text in (
        ("A", 0.85, "m", ["ra[m][0]", "ra[m][1]", "ra[m][2]", "ra[m][3]"],
         "A: one fragment of 16 x 16"),
        ("B", 5.3, "n", ["rb[n][0]", "rb[n][1]", "rb[n+1][0]", "rb[n+1][1]"],
         "B: two fragments of 16 x 8, side by side along n")):
    axes.text(0.55, top - 0.55, text, fontsize=11, weight="bold", va="center")
    axes.text(0.55, top - 0.31, "shared memory: each lane names a row of eight bf16",
              fontsize=8, color=MUTED, va="center")
    axes.text(5.75, top - 0.31, "registers: number of the lane that gets the pair",
              fontsize=8, color=MUTED, va="center")
    shared_memory(axes, 0.55, top, rows, operand, row_name)
    registers(axes, 5.75, top, names, rows, operand)
    first = SHOWN % 8 * 4
    axes.text(
        4.6, top + 1.8,
        f"lane {SHOWN} names\nthis row;\nlanes {first} to {first + 3}\nget its elements,\ntwo each",
        fontsize=8.5, color=ACCENT, ha="center", va="center", linespacing=1.5)

save(figure, "ldmatrix")
