#!/bin/sh
# python.sh PYTHON ARGUMENT...: runs a tool that is written in Python, or says what it needs.
export LC_ALL=C
command -v "$1" > /dev/null || {
  echo "$1 was not found: install Python 3, or name it with PYTHON="
  exit 2
}
"$1" -c 'import sys; sys.exit(sys.version_info < (3, 8))' || {
  echo "$1 is too old, 3.8 is needed: install a newer Python, or name it with PYTHON="
  exit 2
}
exec "$@"
