# A table from `ncu --csv --page raw --print-units base`: a line of names, one of units, and one of
# values for the one kernel.

# Splits a CSV line into cell[1..], quotes removed. Returns how many.
function split_csv(line, cell,   n, i, c, quoted) {
  n = 1
  cell[1] = ""
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (c == "\"") quoted = !quoted
    else if (c == "," && !quoted) cell[++n] = ""
    else if (c != "\r") cell[n] = cell[n] c
  }
  return n
}
function known(name) { return (name in value) && value[name] ~ /^[0-9.,]+$/ }
function number(name,   text) {
  text = value[name]
  gsub(/,/, "", text)
  return text + 0
}
function with_commas(x,   text, head) {
  text = sprintf("%.0f", x)
  while (match(text, /[0-9][0-9][0-9][0-9](,|$)/)) {
    head = substr(text, 1, RSTART)
    text = head "," substr(text, RSTART + 1)
  }
  return text
}
function row(what, text) { printf "  %-44s %20s\n", what, text }
function count(what, name) { row(what, known(name) ? with_commas(number(name)) : "n/a") }
function share(what, name) { row(what, known(name) ? sprintf("%.1f %%", number(name)) : "n/a") }
function scaled(what, name, factor, unit) {
  row(what, known(name) ? sprintf("%.1f %s", number(name) * factor, unit) : "n/a")
}

/^"ID"/ { columns = split_csv($0, name); next }
columns && /^"",/ { next }
columns && !seen && /^"/ {
  split_csv($0, cell)
  for (i = 1; i <= columns; i++) value[name[i]] = cell[i]
  seen = 1
}

END {
  if (!seen) { print stage ": ncu saw no launch of matmul_kernel"; exit 1 }
  print stage ": one launch, counted by Nsight Compute"
  conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
  wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
  scaled("time", "gpu__time_duration.sum", 1e-6, "ms")
  scaled("SM clock", "sm__cycles_elapsed.avg.per_second", 1e-6, "MHz")
  share("tensor cores at work, of all clocks", \
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed")
  share("tensor instructions, of the peak rate", \
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active")
  count("mma, warp instructions", "sm__inst_executed_pipe_tensor.sum")
  count("all warp instructions", "smsp__inst_executed.sum")
  count("bank conflicts of loads", conflicts)
  count("wavefronts of loads (ldmatrix)", wavefronts)
  share("shared-memory pipe at work", \
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed")
  share("L2 hit rate", "lts__t_sector_hit_rate.pct")
  scaled("bytes through the L2", "lts__t_bytes.sum", 1e-9, "GB")
  share("L2 at work", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed")
  scaled("bytes read from DRAM", "dram__bytes_read.sum", 1e-9, "GB")
  scaled("bytes written to DRAM", "dram__bytes_write.sum", 1e-9, "GB")
  share("DRAM at work", "dram__throughput.avg.pct_of_peak_sustained_elapsed")
  scaled("warps on an SM", "sm__warps_active.avg.per_cycle_active", 1, "")
  count("registers per thread", "launch__registers_per_thread")

  # Why warps wait: warps in each state while an instruction is issued, the largest first.
  for (i = 1; i <= columns; i++) {
    reason = name[i]
    if (reason !~ /^smsp__average_warps_issue_stalled_/ || !known(reason)) continue
    warps = number(reason)
    sub(/^smsp__average_warps_issue_stalled_/, "", reason)
    sub(/_per_issue_active.*/, "", reason)
    stalled[reason] = warps
    all += warps
  }
  if (all == 0) { print "  why warps wait: n/a"; exit 0 }
  print "  why warps wait, of all their time"
  for (rank = 1; rank <= 6; rank++) {
    most = ""
    for (reason in stalled) if (most == "" || stalled[reason] > stalled[most]) most = reason
    if (most == "" || stalled[most] == 0) break
    printf "    %-42s %18.1f %%  %s\n", most, 100 * stalled[most] / all, meaning(most)
    delete stalled[most]
  }
}

function meaning(reason) {
  if (reason == "math_pipe_throttle") return "the tensor cores are busy"
  if (reason == "selected") return "it issues"
  if (reason == "not_selected") return "another warp issues"
  if (reason == "barrier") return "__syncthreads"
  if (reason == "short_scoreboard") return "ldmatrix, mbarrier"
  if (reason == "long_scoreboard") return "global memory"
  if (reason == "mio_throttle") return "the queue to shared memory is full"
  if (reason == "wait") return "a fixed latency"
  if (reason == "membar") return "a fence"
  if (reason == "no_instruction") return "instruction cache"
  if (reason == "branch_resolving") return "a branch"
  if (reason == "sleeping") return "an mbarrier wait that sleeps"
  return ""
}
