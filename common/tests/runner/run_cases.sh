#!/bin/sh
# run_cases.sh FILTER OPTIONS PROGRAM...: runs the cases that FILTER names (doctest's -tc: words
# with a *, with commas between several) in those of the test programs that have any.
export LC_ALL=C
set -u
filter=$1 options=$2
shift 2
found=
for program in "$@"; do
  count=$("$program" -tc="$filter" $options -c | sed -n 's/.*filters: //p')
  [ "$count" = 0 ] && continue
  found=yes
  "$program" -tc="$filter" $options || failed=1
done
[ "$found" ] || echo "No case is called $filter; a * stands for any text, as in '*edge*'."
exit ${failed:-0}
