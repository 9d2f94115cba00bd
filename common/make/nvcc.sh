#!/bin/sh
# Runs nvcc (all arguments), and adds what to do where its errors do not say.
errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
"$@" 2> "$errors"
status=$?
cat "$errors" >&2
if [ $status -ne 0 ]; then
  if grep -Eq 'unsupported .*(compiler|GNU|clang)|versions later than|Cannot find compiler' "$errors"; then
    echo "nvcc does not accept this host compiler: install another and name it, as in" \
      "'make 02 CCBIN=g++-14' (make doctor shows the versions)." >&2
  elif grep -q 'Unsupported gpu architecture' "$errors"; then
    echo "This CUDA Toolkit is too old for that architecture: name others, as in" \
      "'make 02 ARCH=90a', or install a newer toolkit." >&2
  fi
fi
exit $status
