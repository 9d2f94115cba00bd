#!/bin/sh
# What broken kernels print, for the pages that show it.
#
#   samples.sh STAGE FOLDER COMPILE... < MARKS
#
# MARKS are lines "<!-- made by: make NN BREAK=NAME [FIELD=VALUE ...] && ...". For each that is for
# STAGE, prints a line "== make ..." up to the &&, and what the program prints then: on the emulator,
# with the fields that docs/legal_configs.md starts from, whatever config.h says.
export LC_ALL=C
set -u
stage=$1 folder=$2/$1
shift 2

# The words of a mark: "make 02 BREAK=x BM=64 && ./..." becomes "make 02 BREAK=x BM=64".
sed -n "s/.*<!-- made by: \(make ${stage%%_*} .*\) && .*/\1/p" | sort -u > "$folder.marks"
start=$(common/tools/pages/legal_configs.sh start_of "$stage")
while read -r mark; do
  name=${mark#*BREAK=} name=${name%% *}
  fields=$(printf '%s\n' $mark | sed 1,2d | grep -v '^BREAK=')
  case " $(common/tools/broken/break.sh list) " in
    *" $name "*) table=common/tools/broken/broken.txt shown=build/broken/$name/ ;;
    *) table=common/tools/pages/edits.txt shown= ;;
  esac
  here=$folder/$name
  echo "== $mark"
  TABLE=$table common/tools/broken/break.sh "$name" "$stage" "$here" &&
    common/make/options.sh header "$stage" 120 120a '' $start M=512 N=512 K=512 $fields \
      > "$here/options.h" &&
    "$@" -include "$here/options.h" -x c++ "$here/$stage/main.cu" -o "$here/run" &&
    "$here/run" 2>&1 | sed "s,$here/,$shown,g"
done < "$folder.marks"
