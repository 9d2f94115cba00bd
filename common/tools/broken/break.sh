#!/bin/sh
# Defects of common/tools/broken/broken.txt (or of the file $TABLE), and the stages that have them.
#
#   break.sh NAME STAGE FOLDER  copies the stage and common/ to FOLDER, with this one defect. One line
#                               and status 2 where the stage has no such defect, or has lost its lines
#   break.sh list [STAGE]       the names
#   break.sh table [STAGE]      a line per defect and stage, between tabs: name, stage, kind, hangs or
#                               ends, the config's fields, the words of the report
#   break.sh lost               a line per defect that a stage must have and has not, and per form of
#                               a defect that no stage has
export LC_ALL=C
set -u
# tell QUESTION STAGE FOLDER
tell() {
  stages=${2:-$(ls [0-9][0-9]_*/config.h | sed 's,/.*,,')}
  TABLE=${TABLE:-common/tools/broken/broken.txt} STAGES=$stages FOLDER=$3 \
    awk -v asked="$1" -v stage="$2" -f "${0%/*}/broken.awk"
}

case $1 in list | table | lost)
  tell "$1" "${2:-}" ''
  exit
  ;;
esac
stage=$2 folder=$3
tell "$1" "$stage" '' && mkdir -p "$folder/common" && rm -rf "${folder:?}/$stage" &&
  mkdir "$folder/$stage" &&
  cp -R common/*.h common/*.inc common/*.cuh common/ptx common/emulator common/host \
    "$folder/common/" &&
  cp "$stage"/*.h "$stage"/*.cuh "$stage/main.cu" "$folder/$stage/" &&
  tell "$1" "$stage" "$folder" || exit 2
