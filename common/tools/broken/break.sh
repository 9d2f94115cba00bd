#!/bin/sh
# break.sh NAME STAGE FOLDER: copies the stage and common/ to FOLDER, with the one defect NAME of
# common/tools/broken/broken.txt (or of the file $TABLE). One line and status 2 where there is no such defect, or
# its line has gone.
# break.sh list [STAGE]: the defects there are.
set -u
table=${TABLE:-common/tools/broken/broken.txt}

if [ "$1" = list ]; then
  awk -v stage="${2:-}" '$1 == "edit" && (stage == "" || $3 == stage) && !seen[$2]++ {
    printf "%s%s", separator, $2; separator = " " }' $table
  exit
fi

name=$1 stage=$2 folder=$3
if ! grep -q "^edit $name $stage " $table; then
  echo "BREAK=$name: stage $stage has no such defect: choose one of $($0 list "$stage")" >&2
  exit 2
fi
mkdir -p "$folder/common" &&
  cp -R common/*.h common/*.inc common/*.cuh common/ptx common/emulator common/host "$folder/common/" &&
  rm -rf "${folder:?}/$stage" && mkdir "$folder/$stage" &&
  cp "$stage"/*.h "$stage"/*.cuh "$stage/main.cu" "$folder/$stage/" || exit 2

# Each edit of this defect: file, occurrence, and two lines of text.
awk -v name="$name" -v stage="$stage" '
  $1 == "edit" && $2 == name && $3 == stage { file = $4; n = $5; getline old; getline new
    printf "%s\t%s\t%s\t%s\n", file, n, old, new }' $table |
  while IFS='	' read -r file n old new; do
    path=$folder/$stage/$file
    OLD=$old NEW=$new awk -v n="$n" '
      { text = $0; sub(/^ */, "", text)
        if (text == ENVIRON["OLD"] && ++seen == n) {
          if (ENVIRON["NEW"] != "-") print ENVIRON["NEW"]
          else print "// (a line is missing here)"
          done = 1
        } else print }
      END { exit !done }' "$path" >"$path.new" || {
      echo "BREAK=$name: $stage/$file has no line $n that reads: $old" >&2
      exit 2
    }
    mv "$path.new" "$path"
  done
