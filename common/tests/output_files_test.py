"""How the tools that are written in Python read and write files."""

import ast
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from output_files import write_whole

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class OutputFiles(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_devices(self):
        """case 38: a FIFO, a device and an open descriptor are written, and stay what they are"""
        fifo, link = self.folder / "fifo", self.folder / "link"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        write_whole(fifo, "a")
        self.assertEqual(os.read(reader, 9), b"a")
        link.symlink_to("/dev/null")
        write_whole(link, "a")
        self.assertTrue(link.is_symlink() and link.is_char_device())
        with open(self.folder / "x", "wb", buffering=0) as file:
            file.write(b"before ")
            write_whole(f"/dev/fd/{file.fileno()}", "a")
        self.assertEqual((self.folder / "x").read_bytes(), b"before a")

    def test_links(self):
        """case 39: a link is followed, and a file keeps its mode and its other names"""
        file, link, new, twin = (self.folder / name for name in ("x", "link", "new", "twin"))
        file.touch()
        file.chmod(0o664)
        link.symlink_to("x")
        new.symlink_to("y")
        self.addCleanup(os.umask, os.umask(0o077))
        write_whole(link, "a")
        write_whole(new, "b")
        self.assertTrue(link.is_symlink() and new.is_symlink())
        self.assertEqual((file.read_bytes(), new.read_bytes()), (b"a", b"b"))
        self.assertEqual((file.stat().st_mode & 0o777, new.stat().st_mode & 0o777), (0o664, 0o600))
        os.link(file, twin)
        write_whole(file, "c")
        self.assertEqual(twin.read_bytes(), b"c")

    def test_full_disk(self):
        """what does not fit on the disk, or is no text, leaves the file as it was"""
        file = self.folder / "x"
        write_whole(file, "as it was")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4, limits[1]))
        with contextlib.ExitStack() as stack:
            stack.callback(signal.signal, signal.SIGXFSZ, handler)
            stack.callback(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
            self.assertRaises(OSError, write_whole, file, "something else")
        self.assertRaises(UnicodeEncodeError, write_whole, file, "half \udc80")
        self.assertEqual(os.listdir(self.folder), ["x"])
        self.assertEqual(file.read_bytes(), b"as it was")

    def test_encoding(self):
        """case 42: a page stays UTF-8 where the locale is not"""
        if not shutil.which("localedef"):
            self.skipTest("localedef is missing")
        subprocess.run(["localedef", "-i", "en_US", "-f", "ISO-8859-1",
                        self.folder / "en_US.ISO-8859-1"], check=True, stderr=subprocess.DEVNULL)
        page = self.folder / "page.md"
        page.write_text("ü\n<!-- a:begin -->old<!-- a:end -->\n", encoding="utf-8")
        program = ("import locale, repository; "
                   "repository.write_between('page.md', 'a', '\\xf6 \\u0394'); "
                   "print(locale.getpreferredencoding(False))")
        done = subprocess.run(
            [sys.executable, "-B", "-c", program], check=True, stdout=subprocess.PIPE,
            encoding="ascii", env={
                "PYTHONPATH": str(ROOT / "plots"), "PAGES": str(self.folder),
                "LOCPATH": str(self.folder), "LC_ALL": "en_US.ISO-8859-1"})
        self.assertIn("ISO-8859-1", done.stdout)
        self.assertIn("ü\n<!-- a:begin -->\n\nö Δ\n", page.read_text(encoding="utf-8"))

    def test_named(self):
        """case 42: whatever opens a file or reads a program names the encoding"""
        unnamed = []
        for path in [*ROOT.glob("common/**/*.py"), *ROOT.glob("plots/*.py")]:
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(call, ast.Call):
                    continue
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                named = {keyword.arg for keyword in call.keywords}
                mode = [each.value for each in call.args[1:2] if isinstance(each, ast.Constant)]
                module = getattr(getattr(call.func, "value", None), "id", "")
                runs = name in ("run", "Popen", "check_output")
                opens = module != "os" and (
                    name == "open" and "b" not in str(mode) or name in ("read_text", "write_text"))
                text = runs and named & {"text", "universal_newlines"}
                if (opens or text) and "encoding" not in named:
                    unnamed.append(f"{path.name}:{call.lineno}")
        self.assertEqual(unnamed, [])
