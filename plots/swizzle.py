"""docs/swizzle.md: in which banks the 16-byte chunks of eight rows lie, plain and swizzled."""

from style import ACCENT, CHUNKS, EMPTY, MUTED, box, canvas, frame, save, table

CELL = 0.36
PATTERNS = {32: "<1,4,3>", 64: "<2,4,3>", 128: "<3,4,3>"}


def panel(axes, left, top, rows, row_bytes, swizzle, title):
    """One line per 128 bytes of shared memory, one column per group of four banks."""
    chosen = [r for r in rows if r["row_bytes"] == row_bytes and r["swizzle"] == swizzle]
    lines = row_bytes * 8 // 128
    axes.text(left, top - 0.62, title, fontsize=9.5, weight="bold", va="center")
    for group in range(8):
        axes.text(left + (group + 0.5) * CELL, top - 0.12, group, ha="center", va="center",
                  fontsize=7, color=MUTED)
    for line in range(8):
        for group in range(8):
            box(axes, left + group * CELL, top + line * CELL, CELL, CELL,
                EMPTY if line < lines else "#ffffff")
    for entry in chosen:
        x = left + entry["group"] * CELL
        y = top + entry["addr"] // 128 * CELL
        read = entry["chunk"] == 0
        box(axes, x, y, CELL, CELL, CHUNKS[entry["chunk"]], f"{entry['row']}.{entry['chunk']}",
            size=7.5, weight="bold" if read else "normal")
        if read:
            frame(axes, x + 0.015, y + 0.015, CELL - 0.03, CELL - 0.03, color=ACCENT, line=1.6)

    groups = [r["group"] for r in chosen if r["chunk"] == 0]
    wavefronts = max(groups.count(g) for g in groups)
    text = f"{wavefronts} wavefront{'s' if wavefronts > 1 else ''}: " + (
        "no conflict" if wavefronts == 1 else
        f"{wavefronts - 1} conflict{'s' if wavefronts > 2 else ''}, "
        f"{4 * (wavefronts - 1)} per ldmatrix.x4")
    axes.text(left, top + lines * CELL + 0.17, text, fontsize=8, va="center",
              color=ACCENT if wavefronts > 1 else "#1a7f37", weight="bold")


rows = table("banks")
figure, axes = canvas(10, 8.95)
for index, row_bytes in enumerate((32, 64, 128)):
    left = 0.25 + index * 3.28
    elems = row_bytes // 2
    panel(axes, left, 0.95, rows, row_bytes, 0, f"rows of {row_bytes} bytes (BK={elems})")
    panel(axes, left, 5.3, rows, row_bytes, row_bytes,
          f"the same, swizzle={row_bytes} {PATTERNS[row_bytes]}")
axes.text(0.25, 0.62, "bank group (4 banks, 16 bytes)", fontsize=7.5, color=MUTED, va="center")
axes.text(0.25, 4.97, "bank group (4 banks, 16 bytes)", fontsize=7.5, color=MUTED, va="center")
axes.text(
    0.25, 8.72, "r.c is chunk c of row r; a line is 128 bytes of shared memory. Outlined: chunk 0 "
    "of rows 0 to 7, the eight addresses of one 8x8 matrix of ldmatrix.",
    fontsize=8, color=MUTED, va="center")
save(figure, "swizzle")
