"""Does our timing agree with triton.testing.do_bench? Needs a GPU, PyTorch and Triton.

  python3 common/tools/bench/compare_with_do_bench.py [PROGRAM]   (build/bench/run, of make bench)

Both time the same product, cuBLAS with bf16 output, at the program's size: do_bench as
torch.matmul, and ours as the first contestant of `PROGRAM --reproduce`. A GPU at its power limit
drifts, so each takes its turn several times after the same pause, and the medians are compared.
With NN_stage/run as PROGRAM the figure comes from its --json; there cuBLAS takes turns with a
stage and others, and do_bench is run on a GPU that was kept busy for as long.

Exits with 1 if they differ by more than 3 %.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import triton.testing
except ImportError as error:
    sys.exit(f"{error}: this needs PyTorch and Triton, pip install torch")

TURNS = 3
PAUSE_S = 3.0
LARGEST_DIFFERENCE = 0.03


def ours_alone(program):
    """(TFLOP/s, (M, N, K)) of `PROGRAM --reproduce`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        subprocess.run([program, "--reproduce", "--csv", path], check=True,
                       stdout=subprocess.DEVNULL)
        with open(path, newline="", encoding="utf-8") as file:
            row = next(row for row in csv.DictReader(file) if row["stage"] == "cublas_bf16")
    return float(row["tflops"]), tuple(int(row[name]) for name in "MNK")


def ours_among_others(program):
    """The same from `NN_stage/run --json -`."""
    text = subprocess.run([program, "--json", "-"], check=True, stdout=subprocess.PIPE).stdout
    record = json.loads(text)
    return record["cublas_bf16out_tflops"], tuple(record[name] for name in "MNK")


def keep_busy(matrices, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(20):
            torch.matmul(*matrices)
        torch.cuda.synchronize()


def do_bench(size, busy_s):
    """TFLOP/s of torch.matmul on inputs like ours: uniform in [-1, 1), the second transposed."""
    m, n, k = size
    a = (2 * torch.rand(m, k, device="cuda") - 1).to(torch.bfloat16)
    b = (2 * torch.rand(n, k, device="cuda") - 1).to(torch.bfloat16).T
    torch.cuda.synchronize()
    if busy_s:
        keep_busy((a, b), busy_s)
    else:
        time.sleep(PAUSE_S)
    ms = triton.testing.do_bench(lambda: torch.matmul(a, b), return_mode="median")
    return 2 * m * n * k / (ms * 1e-3) * 1e-12


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/bench/run"
    among_others = os.path.basename(os.path.dirname(os.path.abspath(program))) != "bench"
    ours, theirs = [], []
    for turn in range(TURNS):
        time.sleep(PAUSE_S)
        begin = time.monotonic()
        tflops, size = (ours_among_others if among_others else ours_alone)(program)
        ours.append(tflops)
        theirs.append(do_bench(size, time.monotonic() - begin if among_others else 0))
        print(f"turn {turn + 1}: ours {ours[-1]:.1f}, do_bench {theirs[-1]:.1f} TFLOP/s",
              flush=True)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"cuBLAS with bf16 output at {' x '.join(map(str, size))}: "
          f"ours {statistics.median(ours):.1f}, "
          f"do_bench(torch.matmul) {statistics.median(theirs):.1f} TFLOP/s, ratio {ratio:.4f}")
    print(f"PyTorch {torch.__version__} (CUDA {torch.version.cuda}), Triton {triton.__version__}")
    good = abs(ratio - 1) <= LARGEST_DIFFERENCE
    print("they agree within 3 %" if good else "they DIFFER by more than 3 %")
    return 0 if good else 1


sys.exit(main())
