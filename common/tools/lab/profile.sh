#!/bin/sh
# profile.sh BUILD STAGE/run...: what Nsight Compute counts while the kernel runs, as a short table.
# The clock is left as it is (--clock-control none): a locked one would hide the power limit.
build=$1
shift

ncu=$(command -v ncu || echo "$(dirname "$(command -v nvcc || echo none)")/ncu")
[ -x "$ncu" ] || {
  echo "ncu was not found. It is Nsight Compute: part of the CUDA Toolkit, at times in a package of its"
  echo "own (apt-get install nsight-compute-2025.3.1, or https://developer.nvidia.com/nsight-compute)."
  echo "'make compare' counts bank conflicts without it, and './NN/run --explain' predicts the rest."
  exit 1
}

# The metrics of the table (profile.awk); one that a GPU does not have is shown as n/a.
metrics=gpu__time_duration.sum,sm__cycles_elapsed.avg.per_second
metrics=$metrics,sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active
metrics=$metrics,sm__inst_executed_pipe_tensor.sum,smsp__inst_executed.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,lts__t_sector_hit_rate.pct,lts__t_bytes.sum
metrics=$metrics,lts__t_sectors.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,dram__bytes_read.sum,dram__bytes_write.sum
metrics=$metrics,dram__throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,sm__warps_active.avg.per_cycle_active,launch__registers_per_thread
metrics=$metrics,smsp__average_warps_issue_stalled_selected_per_issue_active.ratio
for stall in barrier branch_resolving dispatch_stall drain gmma imc_miss lg_throttle long_scoreboard \
  math_pipe_throttle membar mio_throttle misc no_instruction not_selected short_scoreboard sleeping \
  tex_throttle wait; do
  metrics=$metrics,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
done

# count METRICS: one launch of the kernel; the counters go to $log, what the program says to $log.run.
count() {
  failed=
  "$ncu" --clock-control none --kernel-name regex:matmul_kernel --launch-count 1 --metrics "$1" --csv \
    --page raw --print-units base --log-file "$log" "./$program" --check > "$log.run" 2>&1 || failed=yes
}

status=0
for program in "$@"; do
  stage=${program%/run}
  log=$build/$stage/profile.csv
  count "$metrics"
  if [ "$failed" ] && grep -q 'metric' "$log" && ! grep -q '^"ID"' "$log"; then
    # Some versions refuse all metrics for one that they do not know: again without those they name.
    count "$(echo "$metrics" | tr ',' '\n' | while read -r metric; do
      grep -qF "$metric" "$log" || echo "$metric"
    done | paste -sd, -)"
  fi
  if grep -q ERR_NVGPUCTRPERM "$log" "$log.run"; then
    echo "the driver refuses its counters to this user (ERR_NVGPUCTRPERM). Run it as root,"
    echo "  sudo env \"PATH=\$PATH\" make profile STAGE=${stage%%_*}"
    echo "or allow them to everyone: put 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into"
    echo "/etc/modprobe.d/nvidia-profiling.conf and load the driver again (reboot). A container also"
    echo "needs --cap-add=SYS_ADMIN. https://developer.nvidia.com/ERR_NVGPUCTRPERM"
    exit 1
  fi
  if grep -q '^"ID"' "$log"; then
    awk -v stage="$stage" -f "$(dirname "$0")/profile.awk" "$log" || status=1
  else
    cat "$log.run" "$log" 2>/dev/null | grep -v '^ *$' | tail -n 15
    echo "ncu gave no counters for ./$program${failed:+, and failed}: its words are above"
    status=1
  fi
done
exit $status
