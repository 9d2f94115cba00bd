#!/bin/sh
# without_blank.sh FILE COMMAND: if COMMAND is the path of a program, with blanks in it, makes FILE a program
# that runs it, and prints FILE.
export LC_ALL=C
[ -x "$2" ] && [ ! -d "$2" ] || exit 0
mkdir -p "${1%/*}" || exit
{
  echo '#!/bin/sh'
  printf "exec '%s' \"\$@\"\n" "$(printf %s "$2" | sed "s/'/'\\\\\\\\''/g")"
} > "$1.$$" && chmod +x "$1.$$" && mv -f "$1.$$" "$1" && echo "$1"
