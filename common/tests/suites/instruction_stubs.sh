#!/bin/sh
# instruction_stubs.sh FOLDER TESTS.o COMPILE... : does a test see that an instruction does nothing?
# Empties one function of the emulator's instructions.cpp after the other, links it with the cases of
# TESTS.o and with the objects in which the command COMPILE ends, and demands that the cases called
# "instruction NAME: ..." fail. Prints a line "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1 tests=$2
shift 2
source=common/emulator/instructions.cpp
mkdir -p "$folder" || exit 1

# with_stub NAME: the source, with an empty body of this function.
with_stub() {
  awk -v name="$1" '
    /^[a-z]/ && !/^static/ && index($0, " " name "(") { inside = 1; stub = /^void / ? "{}" : "{ return {}; }" }
    inside && /\{/ { one_line = /\}$/; sub(/\{.*/, stub); print; skipping = !one_line; inside = 0; next }
    skipping { if (/^}/) skipping = 0; next }
    { print }' $source
}

# The functions that it defines, and the names by which kernels know them.
functions=$(sed -n -e '/^static/d' -e 's/^[a-z][a-z0-9_:]*\*\{0,1\} \([a-z0-9_]*\)(.*/\1/p' $source)
known_as() {
  case $1 in
    shared_storage_bytes) echo shared_storage ;;
    syncthreads | syncwarp) echo "__$1" ;;
    *) echo "$1" ;;
  esac
}

checks=0
for function in none $functions; do
  name=$(known_as "$function") program=$folder/$function
  with_stub "$function" > "$program.cpp"
  what="instruction_stubs: $name"
  checks=$((checks + 1))
  if ! "$@" -Icommon/emulator "$tests" "$program.cpp" -o "$program" > "$program.log" 2>&1; then
    echo "FAILED $what: does not compile"
    cat "$program.log"
  elif [ "$function" = none ]; then
    "$program" -tc='instruction *' > "$program.log" 2>&1 && echo "ok $what: all cases pass" ||
      echo "FAILED $what: a case fails without a stub"
  elif cmp -s "$folder/none.cpp" "$program.cpp"; then
    echo "FAILED $what: no function was emptied"
  elif "$program" -tc="instruction $name:*" > "$program.log" 2>&1; then
    echo "FAILED $what does nothing, and no case fails"
  else
    echo "ok $what: a case sees that it does nothing"
  fi
done
echo "end $checks"
