"""What Nsight Compute counts while the kernel runs, as a short table.

    profile.py BUILD STAGE/run...     `make profile`
"""

import lab

TENSOR, SHARED = "sm__inst_executed_pipe_tensor", "l1tex__data_pipe_lsu_wavefronts_mem_shared"
# A row: what, its unit ("#": a count), and the metric, which is n/a where a GPU does not have it.
ROWS = [
    ("time", "ms", "gpu__time_duration.sum"),
    ("SM clock", "MHz", "sm__cycles_elapsed.avg.per_second"),
    ("tensor cores at work, of all clocks", "%",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"),
    ("tensor instructions, of the peak rate", "%", TENSOR + ".avg.pct_of_peak_sustained_active"),
    ("mma, warp instructions", "#", TENSOR + ".sum"),
    ("all warp instructions", "#", "smsp__inst_executed.sum"),
    ("bank conflicts of loads", "#", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    ("wavefronts of loads (ldmatrix)", "#", SHARED + "_op_ld.sum"),
    ("shared-memory pipe at work", "%", SHARED + ".avg.pct_of_peak_sustained_elapsed"),
    ("L2 hit rate", "%", "lts__t_sector_hit_rate.pct"),
    ("bytes through the L2", "GB", "lts__t_bytes.sum"),
    ("L2 at work", "%", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"),
    ("bytes read from DRAM", "GB", "dram__bytes_read.sum"),
    ("bytes written to DRAM", "GB", "dram__bytes_write.sum"),
    ("DRAM at work", "%", "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
    ("warps on an SM", "", "sm__warps_active.avg.per_cycle_active"),
    ("registers per thread", "#", "launch__registers_per_thread"),
]
SCALE = {"ms": 1e-6, "MHz": 1e-6, "GB": 1e-9}  # from base units: ns, 1/s, bytes
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
WHY = {
    "selected": "it issues", "not_selected": "another warp issues", "barrier": "__syncthreads",
    "math_pipe_throttle": "the tensor cores are busy", "short_scoreboard": "ldmatrix, mbarrier",
    "long_scoreboard": "global memory", "mio_throttle": "the queue to shared memory is full",
    "wait": "a fixed latency", "membar": "a fence", "no_instruction": "instruction cache",
    "branch_resolving": "a branch", "sleeping": "an mbarrier wait that sleeps",
    **dict.fromkeys("dispatch_stall drain gmma imc_miss lg_throttle misc tex_throttle".split(), "")}


def shown(value, unit):
    if value is None:
        return "n/a"
    return f"{value:,.0f}" if unit == "#" else f"{value * SCALE.get(unit, 1):.1f} {unit}"


def table(stage, counters):
    """The lines for a stage; why warps wait as shares of all their time, the largest first."""
    yield f"{stage}: one launch, counted by Nsight Compute"
    for what, unit, metric in ROWS:
        yield f"  {what:<44} {shown(counters.get(metric), unit):>20}"
    warps = {reason: counters.get(STALL.format(reason), 0) for reason in WHY}
    all_warps = sum(warps.values())
    yield "  why warps wait, of all their time" if all_warps else "  why warps wait: n/a"
    for reason in sorted(filter(warps.get, warps), key=warps.get, reverse=True)[:6]:
        yield f"    {reason:<42} {100 * warps[reason] / all_warps:18.1f} %  {WHY[reason]}"


def main(build, *programs):
    metrics = [metric for *_, metric in ROWS] + [STALL.format(reason) for reason in WHY]
    for program in programs:
        stage = program.rpartition("/")[0]
        counters = lab.count(f"./{program}", metrics, f"{build}/{stage}/profile.csv",
                             f"profile STAGE={stage.split('_')[0]}", strict=False)
        print("\n".join(table(stage, counters)), flush=True)


if __name__ == "__main__":
    lab.call(main)
