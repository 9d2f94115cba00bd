#!/bin/sh
# install.sh PROGRAM STAGE: makes STAGE/run the PROGRAM, and says whether it was that before.
export LC_ALL=C
program=$1 installed=$2/run
mv -f "$program.before" "$installed" 2> /dev/null
if cmp -s "$program" "$installed"; then
  echo "./$installed is up to date"
else
  rm -f "$installed"
  cp -p "$program" "$program.copy" && mv -f "$program.copy" "$installed" && echo "built ./$installed"
fi
