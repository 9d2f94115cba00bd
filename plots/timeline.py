"""docs/emulator.md and the READMEs: what a block does, and in which order, from `run --trace`.

    timeline.py              plots/timeline_<stage>.svg for each stage whose README.md shows it,
                             from the traces that make has written (common/make/compare.mk)
    timeline.py FILE.csv     FILE.svg, of any trace: ./02_warp_specialized/run --trace FILE.csv

A column is an event's depth: the length of the longest chain of events that had to come before. It
is an order. No emulator knows how long a copy takes.
"""

import os
import pathlib
import re
import sys

from repository import ROOT, read_csv, stages
from style import ACCENT, BUFFERS, EMPTY, FAINT, INK, MUTED, box, canvas, save

COLUMNS = ("depth", "warp", "stage", "k_tile", "k")
STRONG = ["#2f7fb0", "#c07f14", "#3f8f45", "#7a4fa3"]
PALE = BUFFERS + ["#d9c5ea"]
WIDTH, LEFT, RIGHT = 10, 1.05, 0.2
BAR, ROW, GAP = 0.26, 0.26, 0.09


def read(path):
    rows = read_csv(path, COLUMNS)
    if not rows:
        sys.exit(f"{path} holds no trace: run --trace writes one, and make plots those of stages")
    for row in rows:
        for column in COLUMNS:
            row[column] = int(row[column]) if row[column] else None
    return sorted(rows, key=lambda row: (row["depth"], row["warp"]))


def titles():
    """What the README of a stage calls its timeline, for those that show one."""
    found = {}
    for stage in stages():
        page = ROOT / stage / "README.md"
        image = re.search(rf"!\[([^]]*)\]\(\.\./plots/timeline_{stage}\.svg\)",
                          page.read_text(encoding="utf-8") if page.exists() else "")
        if image:
            found[stage] = image[1]
    return found


def tiles_of(events):
    """k-tile -> its buffer, and the columns where it is issued, and first and last read."""
    tiles = {}
    for event in events:
        if event["kind"] == "tma_issue":
            tiles.setdefault(
                event["k_tile"], {"buffer": event["stage"], "issue": event["depth"], "reads": []})
        elif event["kind"] == "ldmatrix" and event["k_tile"] in tiles:
            tiles[event["k_tile"]]["reads"].append(event["depth"])
    # A tile that is never read: only a broken kernel has one.
    return {number: tile for number, tile in tiles.items() if tile["reads"]}


def mma_under(events, tile, warp):
    """How many mma of a warp stand between a tile's issue and its first read."""
    return len([e for e in events if e["kind"] == "mma" and e["warp"] == warp
                and tile["issue"] < e["depth"] < min(tile["reads"])])


def runs(events, warp):
    """Neighbouring events of a warp of one kind and k-tile, as (kind, k-tile, first, last)."""
    found = []
    for event in (e for e in events if e["warp"] == warp and e["kind"] != "tma_land"):
        depth = event["depth"]
        same = found and found[-1][:2] == [event["kind"], event["k_tile"]]
        if same and found[-1][3] == depth - 1:
            found[-1][3] = depth
        else:
            found.append([event["kind"], event["k_tile"], depth, depth])
    return found


class Timeline:
    def __init__(self, events, title):
        self.events = events
        self.tiles = tiles_of(events)
        self.buffers = max(tile["buffer"] for tile in self.tiles.values()) + 1
        self.warps = max(e["warp"] for e in events) + 1
        self.columns = max(e["depth"] for e in events) + 1
        self.cell = (WIDTH - LEFT - RIGHT) / self.columns
        self.top = 1.0
        self.bottom = (
            self.top + self.buffers * (BAR + GAP) + 0.22 + self.warps * (ROW + GAP))
        self.figure, self.axes = canvas(WIDTH, self.bottom + 0.85)
        consumers = {e["warp"] for e in events if e["kind"] == "mma"}
        self.axes.text(0.2, 0.27, title, fontsize=11, weight="bold", va="center")
        # The copies that begin inside the loop; the first ones have nothing to hide behind.
        later = [t for t in self.tiles.values() if t["issue"] > min(
            e["depth"] for e in events if e["kind"] == "mma")]
        hidden = [mma_under(events, tile, min(consumers)) for tile in later]
        average = sum(hidden) / len(hidden) if hidden else 0
        self.axes.text(
            0.2, 0.52, "From the issue of a copy in the loop to the first ldmatrix of its tile a "
            f"warp has {average:.0f} mma to do, on average: what the copy can hide behind.",
            fontsize=8, color=MUTED, va="center")
        self.draw_buffers()
        self.draw_warps()
        self.draw_columns()
        self.draw_legend()

    def x(self, depth):
        return LEFT + depth * self.cell

    def label(self, y, text):
        self.axes.text(LEFT - 0.1, y, text, ha="right", va="center", fontsize=8, color=MUTED)

    def draw_buffers(self):
        for buffer in range(self.buffers):
            y = self.top + buffer * (BAR + GAP)
            box(self.axes, LEFT, y, self.columns * self.cell, BAR, EMPTY, line=0)
            self.label(y + BAR / 2, f"buffer {buffer}")
        for number, tile in sorted(self.tiles.items()):
            y = self.top + tile["buffer"] * (BAR + GAP)
            issue, first, last = tile["issue"], min(tile["reads"]), max(tile["reads"]) + 1
            pale, strong = PALE[tile["buffer"] % 4], STRONG[tile["buffer"] % 4]
            box(self.axes, self.x(issue), y, self.x(first) - self.x(issue), BAR, pale, line=0,
                edge=pale)
            box(self.axes, self.x(first), y, self.x(last) - self.x(first), BAR, strong,
                f"tile {number}", size=7, ink="white", line=0, edge=strong)
            self.axes.plot([self.x(issue)] * 2, [y - 0.05, y + BAR], color=ACCENT, linewidth=1.1,
                           solid_capstyle="butt")

    def draw_warps(self):
        start = self.top + self.buffers * (BAR + GAP) + 0.22
        for warp in range(self.warps):
            y = start + warp * (ROW + GAP)
            box(self.axes, LEFT, y, self.columns * self.cell, ROW, EMPTY, line=0)
            self.label(y + ROW / 2, f"warp {warp}")
            for kind, k_tile, first, last in runs(self.events, warp):
                left, width = self.x(first), (last - first + 1) * self.cell
                buffer = self.tiles[k_tile]["buffer"] if k_tile in self.tiles else 0
                if kind == "mma":
                    box(self.axes, left, y, width, ROW, STRONG[buffer % 4], line=0)
                elif kind == "ldmatrix":
                    box(self.axes, left, y + ROW / 4, width, ROW / 2, PALE[buffer % 4], line=0)
                elif kind == "tma_issue":
                    box(self.axes, left, y, width, ROW, ACCENT, line=0)
                elif kind == "store":
                    box(self.axes, left, y + ROW / 4, width, ROW / 2, MUTED, line=0)
                else:
                    box(self.axes, left, y + ROW / 4, width, ROW / 2, INK, line=0)

    def draw_columns(self):
        y = self.bottom + 0.02
        step = 20 if self.columns < 400 else 100
        for column in range(0, self.columns, step):
            self.axes.plot([self.x(column)] * 2, [self.top - 0.09, y], color=FAINT, linewidth=0.5,
                           zorder=0)
            self.axes.text(self.x(column), self.top - 0.17, column, ha="center", va="center",
                           fontsize=6.5, color=MUTED)
        self.axes.text(LEFT, self.bottom + 0.62, "A column is a step in the order of events, not a "
                       "length of time.", fontsize=8, color=MUTED, va="center")

    def draw_legend(self):
        y = self.bottom + 0.3
        x = LEFT
        entries = [
            (PALE[0], BAR, "copied or waiting", 1.35), (STRONG[0], BAR, "being read", 0.98),
            (ACCENT, BAR, "TMA issue", 0.95), (INK, BAR / 2, "wait or arrive", 1.15),
            (PALE[0], BAR / 2, "ldmatrix", 0.85), (STRONG[0], BAR, "mma", 0.62),
            (MUTED, BAR / 2, "store", 0.6)]
        for color, height, text, width in entries:
            box(self.axes, x, y - height / 2, 0.14, height, color, line=0)
            self.axes.text(x + 0.2, y, text, fontsize=7.5, va="center")
            x += width
        self.axes.text(x, y, "colour: buffer", fontsize=7.5, va="center", color=MUTED)


def main(files):
    for name in files:
        path = pathlib.Path(name).resolve()
        save(Timeline(read(path), path.name).figure, path.with_suffix(".svg"))
    if files:
        return
    traces = pathlib.Path(os.environ.get("TRACES", ROOT / "build" / "trace"))
    for stage, title in titles().items():
        save(Timeline(read(traces / f"{stage}.csv"), title).figure, f"timeline_{stage}")


main(sys.argv[1:])
