"""Runs the Python tests of common/tests, a line "ok ..." or "FAILED ..." for each, and "end".

    python.py     in the root of the repository
"""

import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent


def cases(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from cases(each)
        else:
            yield each


def main():
    sys.dont_write_bytecode = True
    # Of two names, that of a tool is meant: scripts of plots/ run when they are imported.
    sys.path[:0] = [str(TESTS.parent.parent / folder) for folder in ("common/tools/lab", "plots")]
    found = list(cases(unittest.defaultTestLoader.discover(TESTS, "*_test.py")))
    for case in found:
        result = case.run(unittest.TestResult())
        what = f"{case.id().split('.')[0]}: {case.shortDescription() or case.id()}"
        what += "".join(f" (skipped: {reason})" for _, reason in result.skipped)
        trouble = [text for _, text in result.failures + result.errors]
        print(f"FAILED {what}" if trouble else f"ok {what}")
        print("".join(f"       {line}\n" for line in "".join(trouble).splitlines()), end="")
    print(f"end {len(found)}")


main()
