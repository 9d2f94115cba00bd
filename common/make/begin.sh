#!/bin/sh
# begin.sh PROCESS BUILD STAGE...: what comes before a build of the make that is PROCESS, whose folder is
# BUILD and whose STAGEs get a program. Prints why it cannot be, or nothing.
export LC_ALL=C
make=$1 build=$2
shift 2
{ mkdir -p "$build" && [ -w "$build" ]; } 2> /dev/null || {
  echo "$build cannot be written to: name another folder, as in BUILD=/tmp/matmul"
  exit
}

# One make at a time: two would write the same files. The lock is a link that names the process of the
# last one, which may have ended. Where /proc tells, one that is no make, or works elsewhere, is another
# by now: in a container the numbers of processes come back.
lock=$build/make
runs() {
  [ "$1" != "$make" ] && kill -0 "$1" 2> /dev/null || return
  [ ! -e "/proc/$make/comm" ] ||
    [ "$(readlink "/proc/$1/cwd") $(cat "/proc/$1/comm")" = "$(pwd -P) $(cat "/proc/$make/comm")" ]
}
until ln -s "$make" "$lock" 2> /dev/null; do
  owner=$(readlink "$lock")
  if runs "$owner"; then
    [ "$waited" ] || echo "waiting for another make in $build, process $owner" >&2
    waited=yes
    sleep 0.2 2> /dev/null || sleep 1
  else
    # Of two that find it ended, one may take the other's lock away, and gives it back.
    mv "$lock" "$lock.$make" 2> /dev/null || continue
    taken=$(readlink "$lock.$make")
    [ "$taken" = "$owner" ] || ln -s "$taken" "$lock" 2> /dev/null
    rm -f "$lock.$make"
  fi
done

# A source that was replaced by an older file, as `cp -p` does, gets today's date.
sources=$build/sources
find common [0-9][0-9]_* -type f -name '*.*' -exec cksum {} + | sort > "$sources.new"
[ ! -e "$sources" ] ||
  comm -13 "$sources" "$sources.new" | cut -d' ' -f3- | while read -r file; do
    find "$file" ! -newer "$sources" -exec touch {} +
  done
mv -f "$sources.new" "$sources"

# A program of before is out of reach until it is known to be the one that was asked for.
for stage in "$@"; do
  [ ! -e "$stage/run" ] || { mkdir -p "$build/$stage" && mv -f "$stage/run" "$build/$stage/run.before"; }
done
