#!/bin/sh
# docs.sh write|check FOLDER FILE...: each FILE is FOLDER/PAGE, a page as it should be; where it is
# missing, FILE.why says why. Writes the pages that differ, or prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
what=$1 folder=$2 status=0
shift 2
for file in "$@"; do
  page=${file#"$folder"/}
  if [ ! -f "$file" ]; then
    echo "FAILED $page cannot be written: $(cat "$file.why")"
    status=1
  elif [ "$what" = check ] && cmp -s "$file" "$page"; then
    echo "ok $page is what make docs writes"
  elif [ "$what" = check ]; then
    echo "FAILED $page is stale: run make docs, and look at what it changes"
    diff "$page" "$file" | sed -n '1,6s/^/       /p'
  elif ! cmp -s "$file" "$page"; then
    cp "$file" "$page" && echo "wrote $page" || status=1
  fi
done
[ "$what" = write ] || echo "end $#"
exit $status
