"""Writes a figure of matplotlib in a twelfth of its lines, so that it is drawn the same.

Metadata goes, and so do groups that say nothing and attributes that repeat. Shapes stand in
relative coordinates, in hundredths of a point, and neighbours of one look in one group. Letters,
and texts that are there several times, are defined once. Needs no matplotlib.
"""

import collections
import itertools
import re
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import quoteattr

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
HREF = "xlink:href"
LETTER_UNITS = 64  # matplotlib scales the outlines of letters by one over this
WIDTH, SHAPES = 120, ("<path", "<use")

# A text: where, `turn` as "rotate(-90)", `scale` from the units of its letters.
Text = collections.namedtuple("Text", "x y turn scale words letters")


def number(value, digits=2):
    """In as few characters as say it."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else str(value)
    return re.sub(r"^(-?)0\.", r"\1.", "0" if text == "-0" else text)


def path_data(data, digits=2):
    """Path data, each step relative to where the one before ended, so that no rounding adds up."""
    unit, here, text = 10.0 ** -digits, (0, 0), ""
    for command, numbers in re.findall("([MLQCz])([^MLQCz]*)", data):
        values = [round(float(each) / unit) for each in numbers.split()]
        steps = [value - here[index % 2] for index, value in enumerate(values)]
        if command == "M":
            steps = values
        elif command == "L" and 0 in steps:
            command, steps = ("v", steps[1:]) if steps[0] == 0 else ("h", steps[:1])
        text += (command if command == "M" else command.lower()) + " ".join(
            number(step * unit if digits else step, digits) for step in steps)
        here = tuple(values[-2:]) or here
    return text.replace(" -", "-")


def look_of(element):
    """How an element looks: its attributes, those in `style` one by one."""
    look = {name: value for name, value in element.attrib.items()
            if name not in ("id", "style", "d", "x", "y", "transform", XLINK + "href")}
    for part in filter(None, element.get("style", "").split(";")):
        name, value = (each.strip() for each in part.split(":"))
        if (name, value) != ("stroke-dashoffset", "0"):
            look[name] = re.sub(r"\d+\.\d+", lambda found: number(float(found[0])), value)
    return look


def tag_of(element):
    return element.tag.replace(SVG, "")


def letter_name(name):
    return name.replace("DejaVuSans", "g")


def written(tag, attributes, content=""):
    start = " ".join([tag] + [f"{name}={quoteattr(value)}" for name, value in attributes.items()])
    return f"<{start}>{content}</{tag}>" if content else f"<{start}/>"


def text_of(element, words):
    x, y, turn, scale = re.fullmatch(
        r"translate\((\S+) (\S+)\) ?(rotate\(\S+\))? ?scale\((\S+) \S+\)", element.get("transform")
    ).groups()
    letters = ""
    for use in element.iter(SVG + "use"):
        moved = re.search(r"[\d.]+", use.get("transform", ""))
        place = {"x": str(round(float(moved[0]) * LETTER_UNITS))} if moved else {}
        letters += written("use", {HREF: "#" + letter_name(use.get(XLINK + "href")[1:]), **place})
    scale = number(float(scale) / LETTER_UNITS, 7)
    place = number(float(x)), number(float(y))
    return Text(*place, turn or "", f"scale({scale}-{scale})", words, letters)


class Figure:
    """What a figure draws, in order, as (look, (tag, attributes, content)), and what it defines."""

    def __init__(self, root):
        page = root.get("viewBox").split()
        self.clips_nothing = {
            f"url(#{each.get('id')})" for each in root.iter(SVG + "clipPath")
            if [each[0].get(name) for name in ("x", "y", "width", "height")] == page}
        self.drawn, self.defined, self.words = [], {}, ""
        self.take_all(root, {})
        self.place_texts()

    def take_all(self, parent, look):
        for element in parent:
            if element.tag is ElementTree.Comment:
                self.words = element.text.strip()
            elif tag_of(element) == "defs":
                for each in element:
                    self.define(each)
            else:
                self.take(element, {**look, **look_of(element)})

    def take(self, element, look):
        if look.get("clip-path") in self.clips_nothing:
            del look["clip-path"]
        if element.get("transform"):
            self.take_all(element.findall(SVG + "defs"), look)
            self.drawn.append((look, text_of(element, self.words)))
        elif tag_of(element) == "g":
            self.take_all(element, look)
        elif tag_of(element) == "path":
            self.drawn.append((look, ("path", {"d": path_data(element.get("d"))}, "")))
        elif tag_of(element) == "use":
            place = {name: number(float(element.get(name))) for name in "xy"}
            self.drawn.append((look, ("use", {HREF: element.get(XLINK + "href"), **place}, "")))

    def define(self, element):
        tag, name = tag_of(element), element.get("id")
        if tag == "path":
            data = path_data(element.get("d", ""), 0 if element.get("transform") else 2)
            name = letter_name(name)
            self.defined[name] = written(tag, {"id": name, **look_of(element), "d": data})
        elif tag != "style" and f"url(#{name})" not in self.clips_nothing:
            self.defined[name] = written(tag, element.attrib, "".join(
                written(tag_of(each), each.attrib) for each in element))

    def place_texts(self):
        """Makes elements of the texts; one that is there several times becomes a definition."""
        texts = [item for _, item in self.drawn if isinstance(item, Text)]
        times, names = collections.Counter(text[2:] for text in texts), {}
        for text in dict.fromkeys(text[2:] for text in texts if times[text[2:]] > 1):
            turn, scale, words, letters = text
            name = "t-" + re.sub(r"\W+", "_", words)
            while name in self.defined:
                name += "+"
            names[text] = "#" + name
            self.defined[name] = written("g", {"id": name, "transform": turn + scale}, letters)
        for index, (look, text) in enumerate(self.drawn):
            if isinstance(text, Text):
                x, y, turn, scale, words, letters = text
                place = {"transform": f"translate({x} {y}){turn}{scale}"}
                self.drawn[index] = look, (
                    ("use", {HREF: names[text[2:]], "x": x, "y": y}, "") if text[2:] in names else
                    ("g", place, f"<!-- {words} -->{letters}"))


def inside(tag, attributes, elements):
    """The elements, each on its own line, in another one."""
    return [written(tag, attributes, "\n").split("\n")[0], *elements, f"</{tag}>"]


def elements_of(drawn):
    """Neighbours of one look in a group, and inside it in one where they also have one filling."""
    def all_but_fill(each):
        return {name: value for name, value in each[0].items() if name != "fill"}

    for look, run in itertools.groupby(drawn, key=all_but_fill):
        run = list(run)
        # What clips a path would move with a text or a marker.
        if len(run) < 3 and ("clip-path" not in look or all(each[1][0] == "path" for each in run)):
            yield from (written(tag, {**own, **rest}, content) for own, (tag, rest, content) in run)
            continue
        inner = []
        for fill, same in itertools.groupby(run, key=lambda each: each[0].get("fill")):
            fill = {"fill": fill} if fill else {}
            same = [element for _, element in same]
            if not fill or len(same) < 3:
                inner += [written(tag, {**fill, **rest}, content) for tag, rest, content in same]
            else:
                inner += inside("g", fill, [written(*element) for element in same])
        yield from inside("g", look, inner) if look else inner


def in_lines(elements):
    """Short shapes share a line."""
    line = ""
    for element in elements:
        short = len(line) + len(element) <= WIDTH
        if line and not (short and line.startswith(SHAPES) and element.startswith(SHAPES)):
            yield line
            line = ""
        line += element
    yield line


def terse(svg):
    """The same figure."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    root = ElementTree.fromstring(svg, parser)
    figure = Figure(root)
    page = {"xmlns": SVG[1:-1], "xmlns:xlink": XLINK[1:-1], "stroke-linejoin": "round",
            **{name: root.get(name) for name in ("width", "height", "viewBox")}}
    return "\n".join(inside("svg", page, [
        *inside("defs", {}, figure.defined.values()), *in_lines(elements_of(figure.drawn))])) + "\n"
