"""What the figures' scripts share, without matplotlib."""

import contextlib
import io
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import repository
import terse

# As matplotlib writes a figure: two rectangles and two equal texts of one letter.
TEXT = '''
  <g id="text_{0}">
   <!-- 7 -->
   <g style="fill: #1f2328" transform="translate({1}.126 20) scale(0.07 -0.07)">
    {2}
    <use xlink:href="#DejaVuSans-37"/>
    <use xlink:href="#DejaVuSans-37" transform="translate(63.623047 0)"/>
   </g>
  </g>'''
LETTER = '''<defs><path id="DejaVuSans-37" d="M 525 4666
L 3525 4666
L 3525 4397
Q 1831 0 1172 0
z
M 600 700
L 600 800
z
" transform="scale(0.015625)"/></defs>'''
SVG = '''<?xml version="1.0" encoding="utf-8" standalone="no"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" height="36pt" viewBox="0 0 72 36" \
xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata><a/></metadata>
 <defs><style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style></defs>
 <g id="figure_1">
  <g id="patch_1">
   <path d="M 0 36
L 10.004 36
L 10.004 30.006
z
" clip-path="url(#page)" style="fill: #9fd0ee; stroke: #ffffff; stroke-width: 0.6"/>
  </g>
  <g id="patch_2">
   <path d="M 1 2
L 3 4
" clip-path="url(#part)" style="fill: none; stroke: #ffffff; stroke-dashoffset: 0"/>
  </g>''' + TEXT.format(1, 5, LETTER) + TEXT.format(2, 6, "") + '''
 </g>
 <defs>
  <clipPath id="page"><rect x="0" y="0" width="72" height="36"/></clipPath>
  <clipPath id="part"><rect x="0" y="0" width="7" height="36"/></clipPath>
 </defs>
</svg>
'''


class Terse(unittest.TestCase):
    def setUp(self):
        self.text = terse.terse(SVG)

    def test_short(self):
        """a figure is written short: one line a shape, no metadata, no clip that clips nothing"""
        self.assertIn('<path fill="#9fd0ee" stroke="#ffffff" stroke-width=".6" '
                      'd="M0 36h10v-5.99z"/>', self.text)
        self.assertIn('<path clip-path="url(#part)" fill="none" stroke="#ffffff" d="M1 2l2 2"/>',
                      self.text)
        self.assertNotRegex(self.text, "metadata|page|dashoffset")
        self.assertIn('stroke-linejoin="round"', self.text)

    def test_texts(self):
        """a letter is defined once, and a text that comes twice as well, under its words"""
        self.assertEqual(
            self.text.count('d="M525 4666h3000v-269q-1694-4397-2353-4397zM600 700v100z"'), 1)
        self.assertIn('<g id="t-7" transform="scale(.0010938-.0010938)"><use xlink:href="#g-37"/>'
                      '<use xlink:href="#g-37" x="4072"/></g>', self.text)
        self.assertEqual(re.findall('<use [^>]*"#t-7" x="([^"]*)"', self.text), ["5.13", "6.13"])

    def test_valid(self):
        """what is written is XML in which every reference is defined"""
        ids = {each.get("id") for each in ElementTree.fromstring(self.text).iter()}
        self.assertLessEqual(set(re.findall(r"#([\w-]+)[\")]", self.text)) - {"1f2328"},
                             ids | {"9fd0ee", "ffffff"})

    def test_rounding(self):
        """the rounding of relative steps does not add up"""
        steps = terse.path_data("M 0 0\n" + "".join(f"L {0.004 * n} 0\n" for n in range(1, 101)))
        self.assertAlmostEqual(sum(map(float, re.findall(r"h(\.?\d+)", steps))), 0.4)


class Repository(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(setattr, repository, "ROOT", repository.ROOT)
        repository.ROOT = pathlib.Path(scratch.name)

    def test_stages(self):
        """a stage is a folder with a config.h"""
        for name in ("90_copy", "03_fused_pipeline", "docs", "91_none"):
            (repository.ROOT / name).mkdir()
            if name != "91_none":
                (repository.ROOT / name / "config.h").touch()
        self.assertEqual(repository.stages(), ["03_fused_pipeline", "90_copy"])

    def test_page(self):
        """a script writes its part of a page, and says so once"""
        page = repository.ROOT / "page.md"
        page.write_text("ü\n<!-- a:begin -->old<!-- a:end -->\nend", encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for _ in range(2):
                repository.write_between("page.md", "a", "new")
        self.assertEqual(page.read_text(encoding="utf-8"),
                         "ü\n<!-- a:begin -->\n\nnew\n\n<!-- a:end -->\nend")
        self.assertEqual(said.getvalue(), "wrote the part a of page.md\n")

    def test_columns(self):
        """a table without a column that is needed has no rows"""
        path = repository.ROOT / "a.csv"
        path.write_text("x,y\n1,2\n", encoding="utf-8")
        self.assertEqual(repository.read_csv(path, ("x",)), [{"x": "1", "y": "2"}])
        self.assertEqual(repository.read_csv(path, ("x", "z")), [])
        self.assertEqual(repository.read_csv(repository.ROOT / "none.csv", ()), [])
