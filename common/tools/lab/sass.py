"""The machine code of a kernel's main loop, with the lines of its source.

    sass.py NVCC BUILD/STAGE/ptxas.ARCH...     `make sass`: ptxas.sh has made the .cubin of each
"""

import collections
import pathlib
import re

import lab

NO_NVDISASM = """\
nvdisasm was not found. It comes with the CUDA Toolkit, at times in a package of its own
(cuda-nvdisasm-13-0), and as a Python package:
  pip install --target ~/nvdisasm nvidia-cuda-nvdisasm
  PATH=$PATH:$(dirname $(find ~/nvdisasm -name nvdisasm)) make sass"""
COUNTED = ("HMMA", "LDSM", "BAR", "SYNCS", "UTMALDG")

# `line` of the kernel's source, or None; `name` is what stands behind a predicate.
Instruction = collections.namedtuple("Instruction", "line address text name")


def parsed(text):
    """The instructions that nvdisasm -c -gi prints, and for each label the index of what follows.
    A source line is that of the first kernel.cuh in the chain of inlined calls."""
    instructions, labels, source, in_chain = [], {}, None, False
    for line in text.splitlines():
        label = re.match(r"(\.L_\w+):", line)
        code = re.search(r"/\*([0-9a-f]{4,})\*/([^;]*)", line)
        if "//## File" in line:
            found = re.match(r'[^"]*"[^"]*kernel\.cuh", line (\d+)', line)
            source = (in_chain and source) or (found and int(found[1]))
            in_chain = True
        elif label:
            labels[label[1]] = len(instructions)
        elif code:
            in_chain, words = False, code[2].strip()
            name = re.sub("^@!?U?P[0-9T]+ +", "", words).split(" ")[0]
            if words:
                instructions.append(Instruction(source, code[1], words, name))
    return instructions, labels


def hmma_in(instructions):
    return sum(each.name.startswith("HMMA") for each in instructions)


def main_loop(instructions, labels):
    """The loop with the most HMMA, of such the shortest. A loop ends with a branch backwards; code
    that is seldom needed stands after the last EXIT, and branches back as well."""
    loops = []
    for last, instruction in enumerate(instructions):
        target = re.search(r"\.L_\w+", instruction.text)
        if target and instruction.name.startswith("BRA"):
            loop = instructions[labels.get(target[0], last + 1):last + 1]
            if not any(each.text.startswith("EXIT") for each in loop):
                loops.append(loop)
    return max(loops, key=lambda loop: (hmma_in(loop), -len(loop)), default=[])


def listing(stage, arch, facts, disassembly):
    """What is printed. The facts: mma of a warp in a k-step, k-steps of a tile, and those that
    stand in the source before the barrier after which its buffer is filled again."""
    per_step, k_steps, before = facts
    instructions, labels = parsed(disassembly)
    loop = main_loop(instructions, labels)
    if not hmma_in(loop):
        raise lab.Failure(f"{stage}, sm_{arch}: no loop with HMMA was found in "
                          f"{len(instructions)} instructions")
    yield from (f"{stage}, sm_{arch}, main loop", "")
    for line, address, text, name in loop:
        mark = [mark for mark in COUNTED if name.startswith(mark)]
        mark += ["FENCE"] if name.startswith(("FENCE", "MEMBAR")) else [""]
        yield f"{line or '':>5} {mark[0]:<8} {address}  {text}"
    yield ""
    source = lab.text_of(f"{stage}/kernel.cuh").splitlines()
    for line in sorted({each.line for each in loop if each.line}):
        yield f"{line:5d}  {source[line - 1].lstrip(' ')}"

    all_mma = hmma_in(loop)
    tiles = all_mma / (per_step * k_steps)
    counts = ", ".join(
        f"{sum(each.name.startswith(mark) for each in loop)} {mark}" for mark in COUNTED)
    yield ""
    yield (f"{len(loop)} instructions for {tiles:.3g} k-tile{'' if tiles == 1 else 's'}: {counts}; "
           f"{(len(loop) - all_mma) / all_mma:.2f} others per HMMA")
    # The compiler may move an mma across a barrier, since it touches registers only.
    barriers = [index for index, each in enumerate(loop) if each.name.startswith("BAR")]
    for number, index in enumerate(barriers):
        expected = (before + number * k_steps) * per_step
        yield (f"BAR {number + 1}: of the {expected} HMMA that stand before it in the source, "
               f"{max(expected - hmma_in(loop[:index]), 0)} come after it")
    yield ""


def main(nvcc, *targets):
    nvdisasm = lab.program_beside(nvcc, "nvdisasm", NO_NVDISASM)
    for target in map(pathlib.Path, targets):
        lab.run([nvdisasm, "-c", "-gi", f"{target}.cubin"], f"{target}.sass")
        facts = map(int, lab.output_of(target.parent.resolve() / "kernel_facts").split())
        print("\n".join(listing(target.parent.name, target.suffix[1:], facts,
                                lab.text_of(f"{target}.sass"))))


if __name__ == "__main__":
    lab.call(main)
