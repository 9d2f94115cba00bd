#!/bin/sh
# Runs nvcc (all arguments), and adds what to do where its errors do not say.
export LC_ALL=C
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
  elif grep -q 'cublas[A-Za-z_0-9]*\.h.*No such file\|cannot find -lcublas' "$errors"; then
    release=$("$@" --version 2> /dev/null | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1-\2/p')
    echo "This CUDA Toolkit is without cuBLAS: apt-get install libcublas-dev-${release:-13-0}, or install" \
      "the whole toolkit." >&2
  elif grep -Eq 'exception specification is incompatible.*"(cos|sin|tan|rsqrt|a)' "$errors"; then
    echo "The C library (glibc 2.41 or newer) declares functions of which this CUDA Toolkit knows nothing:" \
      "install CUDA 13.0 or newer, or build with BACKEND=emulator." >&2
  fi
fi
exit $status
