#!/bin/sh
# gpus.sh FIELDS: these fields of each visible GPU, as nvidia-smi calls them, one GPU a line, with commas
# between them. Fails where there is none.
export LC_ALL=C
case ${CUDA_VISIBLE_DEVICES-all} in '' | -*) exit 1 ;; esac
PATH=$PATH:/usr/lib/wsl/lib  # where WSL2 has it, outside of the PATH of many a shell
found=$(nvidia-smi --query-gpu="$1" --format=csv,noheader 2> /dev/null) && [ -n "$found" ] && echo "$found"
