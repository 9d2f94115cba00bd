#!/bin/sh
# docs/legal_configs.md, from legal_configs.txt beside this file.
#
#   legal_configs.sh rows STAGE FOLDER COMPILE...
#       writes FOLDER/STAGE.rows: a row of the page for each config of the stage, by its own storage
#   legal_configs.sh page FOLDER
#       prints the page, with the rows of all stages
#   legal_configs.sh start_of STAGE
#       prints the fields that the rows of the stage start from: NAME=VALUE...
export LC_ALL=C
set -u
source=${0%/*}/legal_configs.txt

start_of() { sed -n -e 's/^start \([A-Za-z].*\)/\1/p' -e "s/^start ${1%%_*} //p" "$source"; }

# A program with a struct for each config, derived from the start.
program() {
  awk -v stage="$1" '
    BEGIN {
      printf "#include \"%s/config.h\"\n#include \"%s/kernel.cuh\"\n", stage, stage
      print "#include \"common/tools/pages/legal_configs.h\""
    }
    /^---$/ { page = 1 }
    page && $1 == substr(stage, 1, 2) {
      fields = substr($0, 4)
      named = fields == "" ? "" : "`" fields "`"
      gsub(/ /, ", ", fields)
      members = fields == "" ? "" : " static constexpr int " fields "; "
      print "struct Row" ++rows " : Fields {" members "};"
      calls = calls "  print_row<Row" rows ">(\"" named "\");\n"
    }
    END { printf "int main() {\n%s}\n", calls }' "$source"
}

rows() {
  stage=$1 to=$2/$1
  shift 2
  grep -q "^${stage%%_*}" "$source" || { : > "$to.rows"; return; }
  common/make/options.sh header "$stage" 120 120a '' $(start_of "$stage") > "$to.h" &&
    program "$stage" > "$to.cpp" &&
    "$@" -I. -include "$to.h" "$to.cpp" -o "$to.program" && "$to.program" > "$to.rows.new" &&
    mv -f "$to.rows.new" "$to.rows"
}

page() {
  awk -v folder="$1" '
    BEGIN {
      list = "ls " folder "/*.rows"
      while ((list | getline file) > 0) {
        while ((getline row < file) > 0) {
          number = substr(row, 3, 2)
          row_of[number, ++found[number]] = row
        }
      }
    }
    FNR == NR { count += /^[0-9][0-9]( |$)/; next }
    /^---$/ && !inside { inside = 1; next }
    !inside { next }
    /^[0-9][0-9]( |$)/ {
      row = row_of[$1, ++printed[$1]]
      if (row == "") { print FILENAME ": no stage has the row " $0 > "/dev/stderr"; exit 1 }
      print row
      next
    }
    { sub(/^COUNT /, count " "); print }' "$source" "$source"
}

"$@"
