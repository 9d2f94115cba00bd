#!/bin/sh
# lost_defects.sh TABLE...: has a kernel changed so that a defect of the table finds its lines no more?
# Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
for table in "$@"; do
  if ! lost=$(TABLE=$table common/tools/broken/break.sh lost 2>&1); then
    echo "FAILED $table: $lost"
  elif [ -n "$lost" ]; then
    echo "$lost" | sed "s,^,FAILED $table: ,"
  else
    echo "ok $table: no stage has lost a defect"
  fi
done
echo end
