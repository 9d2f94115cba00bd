"""What would each change of experiments.txt bring? Builds stage 03 as it is and with each of them,
for three configs, and writes plots/data/experiments.csv: cycles of one launch at M = N = K = 8192
and the share of them in which the tensor pipe is active (Nsight Compute; cycles hardly depend on
the clock that a power cap leaves), wrong results of 60 launches, and the speed beside that of
mma.sync on registers alone, with which it takes turns, and the SM clock. A config that exceeds the
limits of ARCH is left out.

    experiments.py CUDA_COMPILE CUDA_LINK ARCH     `make experiments`, where counters may be read
"""

import filecmp
import os
import pathlib
from functools import partial

import lab

FOLDER, CSV, STAGE = "build/experiments", "plots/data/experiments.csv", "03_fused_pipeline"
TABLE = "common/tools/lab/experiments.txt"
LAUNCHES = 60
COLUMNS = """experiment config cycles tensor_active_percent tflops mma_peak_tflops clock_mhz power_w
    launches wrong_launches gpu command""".split()
METRICS = ["sm__cycles_elapsed.max",
           "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"]
# Two blocks to an SM of an H200; one, as on sm_120, by more buffers than two blocks have room for;
# and the preset of the H200.
CONFIGS = ["BM=128 BN=128 bk_stages=3", "BM=128 BN=128 bk_stages=5",
           "BM=256 BN=160 warps_per_block_m=4 bk_stages=3"]


def build(here, name, config, toolchain, arch):
    compiler, link = toolchain
    source = "." if name == "as_it_is" else here
    if source == here:
        lab.changed(here, name, STAGE)
        # A file of the host program that was edited takes the place of its object.
        for copy in pathlib.Path(here, "common/host").rglob("*.c*"):
            original = copy.relative_to(here)
            if not filecmp.cmp(original, copy, shallow=False):
                end = "/" + str(original.relative_to("common").with_suffix(".o"))
                words = [str(copy) if word.endswith(end) else word for word in link.split()]
                link = " ".join(words)
    lab.build(f"{here}/run", STAGE, config.split(), (compiler, link), arch, source)


def row(here, name, config, gpu):
    counters = lab.count(f"{here}/run", METRICS, f"{here}/ncu.csv", "experiments")
    cycles, active = (counters[metric] for metric in METRICS)
    # A wrong result is not timed.
    run = lab.result(f"{here}/run", "--bench", "--launches", LAUNCHES, fine=(0, 1))
    return [name, config, f"{cycles:.0f}", f"{active:.2f}",
            *("" if run[key] is None else run[key] for key in COLUMNS[4:8]), LAUNCHES,
            run["wrong_launches"], gpu, "make experiments"]


def main(compiler, link, arch):
    gpu, toolchain = lab.gpu(), (compiler, link)
    os.environ["TABLE"] = TABLE  # for break.sh
    names = ["as_it_is", *lab.output_of(lab.BREAK, "list").split()]
    first = {config: f"{FOLDER}/{number}" for number, config in enumerate(CONFIGS, 1)}
    for config, failure in lab.in_parallel(
            (config, partial(build, f"{here}.as_it_is", "as_it_is", config, toolchain, arch))
            for config, here in first.items()).items():
        if "static_assert" not in lab.text_of(f"{first[config]}.as_it_is/run.log"):
            raise failure
        print(f"left out, since it breaks a rule on this GPU: {config}")
        del first[config]
    builds, rows = [], []
    for config, here in first.items():
        for name in names:
            job = f"{here}.{name}", name, config
            if name != "as_it_is":
                builds.append((f"{name} ({config})", partial(build, *job, toolchain, arch)))
            rows.append((f"{name} ({config})", partial(row, *job, gpu)))
    lab.measure(CSV, COLUMNS, builds, rows)


if __name__ == "__main__":
    lab.call(main)
