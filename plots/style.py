"""What all figures share: colours, fonts, the tables of dump_layouts.cpp, and how an SVG is saved.

A figure is a function of the repository alone. With the matplotlib that requirements.txt pins it
comes out byte for byte the same: fixed ids, no date, text drawn as paths. terse.py writes it short.
"""

import csv
import io
import os
import pathlib

try:
    import matplotlib
except ImportError:
    raise SystemExit(
        "matplotlib was not found: run `make plots` once, then build/venv/bin/python in place of "
        "python3, or pip install -r plots/requirements.txt")

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from repository import ROOT, output_of, write_whole
from terse import terse

INK = "#1f2328"
MUTED = "#59636e"
FAINT = "#d1d9e0"
PAPER = "#ffffff"
EMPTY = "#f3f5f7"
ACCENT = "#c4320a"

# Pale for what lies in shared memory, strong for what lies in registers.
BUFFERS = ["#9fd0ee", "#f8cf8f", "#b4dfb0"]
REGISTERS = ["#2f6690", "#a23b72", "#3d7a4e", "#7a4fa3"]
# One per 16-byte chunk of a row.
CHUNKS = [
    "#8fc1e3", "#f5c27a", "#a8d8a2", "#d9b3e6", "#f2a7a0", "#9adbd2", "#e6dc8c", "#c3c9d1",
]

plt.rcParams.update({
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "svg.hashsalt": "matmul-course",
    "svg.fonttype": "path",
})


def table(name):
    """Rows of `dump_layouts name`, as dicts; whole numbers are ints."""
    rows = csv.DictReader(output_of(["plots/dump_layouts.cpp"], name).splitlines())
    return [{key: int(text) if text.lstrip("-").isdigit() else text for key, text in row.items()}
            for row in rows]


def canvas(width, height):
    """A figure of width x height inches with one axes that fills it, in the same units, y down."""
    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes([0, 0, 1, 1])
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return figure, axes


def box(axes, x, y, width, height, color, label="", size=7, ink=INK, edge=PAPER, line=0.6, **text):
    """A filled rectangle with a text in its middle."""
    axes.add_patch(
        Rectangle((x, y), width, height, facecolor=color, edgecolor=edge, linewidth=line))
    if label != "":
        axes.text(
            x + width / 2, y + height / 2, str(label), ha="center", va="center_baseline",
            fontsize=size, color=ink, **text)


def frame(axes, x, y, width, height, color=INK, line=1.4):
    """The outline of a rectangle."""
    axes.add_patch(Rectangle(
        (x, y), width, height, fill=False, edgecolor=color, linewidth=line, zorder=3))


def save(figure, path):
    """Writes an SVG: plots/<path>.svg where `path` is a name."""
    path = path if isinstance(path, pathlib.Path) else ROOT / "plots" / f"{path}.svg"
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    write_whole(path, terse(text.getvalue()))
    print(f"wrote {os.path.relpath(path, ROOT)}")
