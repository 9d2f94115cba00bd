"""Does the emulator tell the truth? Runs the same configs on a GPU under Nsight Compute and on the
emulator, and writes plots/data/emulator_evidence.csv: ldmatrix instructions, wavefronts and bank
conflicts as the hardware and as the emulator count them, and how far both are from their
references: on random inputs the GPU from cuBLAS (0: the same bits), the emulator from a
double-precision loop.

    evidence.py CUDA_COMPILE CUDA_LINK EMULATOR_COMPILE EMULATOR_LINK     `make evidence`
    evidence.py check EMULATOR_COMPILE EMULATOR_LINK     counts on the emulator again: a test
"""

import csv
from functools import partial

import lab

FOLDER, CSV = "build/evidence", "plots/data/emulator_evidence.csv"
COLUMNS = """stage config ldmatrix_gpu ldmatrix_emulator wavefronts_gpu conflicts_gpu
    conflicts_emulator exact_error_gpu exact_error_emulator random_gpu_from_cublas
    random_emulator_from_double tolerance gpu command""".split()
METRICS = ["smsp__inst_executed_op_ldsm.sum",
           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]
CONFIGS = """\
00_naive BK=16 K=1024
00_naive BK=32 K=1024
00_naive BK=48 K=1008
00_naive BK=64 K=1024
00_naive BK=112 K=1008
01_swizzle BK=16 swizzle=32 K=1024
01_swizzle BK=32 swizzle=64 K=1024
01_swizzle BK=64 swizzle=128 K=1024
00_naive BK=64 warps_per_block_m=4 warps_per_block_n=1 K=1024
01_swizzle BK=64 swizzle=128 warps_per_block_m=1 warps_per_block_n=4 K=1024
02_warp_specialized K=1024
03_fused_pipeline K=1024"""


def build(program, line, toolchain):
    stage, *fields = line.split()
    lab.build(program, stage, ["M=1024", "N=1024", "BM=128", "BN=128", *fields], toolchain)


def row(here, line, gpu):
    counters = lab.count(f"{here}/gpu", METRICS, f"{here}/ncu.csv", "evidence")
    ldmatrix, wavefronts, conflicts = (f"{counters[metric]:.0f}" for metric in METRICS)
    exact, random, emulated, emulated_random = (
        lab.result(f"{here}/{program}", "--check", "--inputs", inputs)
        for program in ("gpu", "emulated") for inputs in ("integers", "uniform"))
    errors = [each["max_rel_error"] for each in (exact, emulated, random, emulated_random)]
    return [*line.split(" ", 1), ldmatrix, emulated["ldmatrix"], wavefronts, conflicts,
            emulated["bank_conflicts"], *errors, random["tolerance"], gpu, "make evidence"]


def measure(*words):
    gpu, builds, rows = lab.gpu(), [], []
    for number, line in enumerate(CONFIGS.splitlines(), 1):
        here = f"{FOLDER}/{number}"
        for program, toolchain in (("gpu", words[:2]), ("emulated", words[2:])):
            builds.append((line, partial(build, f"{here}/{program}", line, toolchain)))
        rows.append((line, partial(row, here, line, gpu)))
    lab.measure(CSV, COLUMNS, builds, rows)


def check(*toolchain):
    def recount(number, line, counted):
        program = f"{FOLDER}/check/{number}"
        build(program, line, toolchain)
        found = lab.result(program, "--check", "--inputs", "integers")
        if (found["ldmatrix"], found["bank_conflicts"]) != counted:
            raise lab.Failure(f"ldmatrix {found['ldmatrix']} and bank conflicts "
                              f"{found['bank_conflicts']}, but on the GPU {counted}")

    with open(CSV, newline="", encoding="utf-8") as file:
        rows = {f"{row['stage']} {row['config']}": (row["ldmatrix_gpu"], row["conflicts_gpu"])
                for row in csv.DictReader(file)}
    failures = lab.in_parallel([(line, partial(recount, number, line, counted))
                                for number, (line, counted) in enumerate(rows.items())])
    for line in rows:
        print(f"FAILED {line}: {failures[line]}" if line in failures else
              f"ok {line}: the emulator counts as the hardware did")
    print(f"end {len(rows)}")


if __name__ == "__main__":
    lab.call(lambda first, *rest: check(*rest) if first == "check" else measure(first, *rest))
