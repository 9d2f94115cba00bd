#!/bin/sh
# plots.sh PYTHON VENV: runs every plots/*.py with the matplotlib that plots/requirements.txt pins:
# that of PYTHON if it has this version, else one installed into the virtual environment VENV. Beside
# that, in trace/, stand the traces that make has written.
export LC_ALL=C
python=$1 venv=$2
wanted=$(sed -n 's/^matplotlib==//p' plots/requirements.txt)
has_it() {
  [ "$("$1" -c 'import matplotlib; print(matplotlib.__version__)' 2>/dev/null)" = "$wanted" ]
}

common/make/python.sh "$python" -c '' || exit
if ! has_it "$python"; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "matplotlib $wanted needs Python 3.10, and this is $("$python" --version): install a newer one, and" \
      "name it, as in PYTHON=python3.11"
    exit 1
  }
  if ! has_it "$venv/bin/python"; then
    echo "VENV  $venv (matplotlib $wanted)"
    { rm -rf "$venv" && "$python" -m venv "$venv" && "$venv/bin/pip" install -q -r plots/requirements.txt; } ||
      {
        rm -rf "$venv"
        echo "matplotlib $wanted could not be installed: apt-get install python3-venv and try again," \
          "or: $python -m pip install -r plots/requirements.txt"
        exit 1
      }
  fi
  python=$venv/bin/python
fi

for script in plots/*.py; do
  case ${script#plots/} in repository.py | style.py | terse.py) continue ;; esac  # what they share
  echo "PLOT  $script"
  MPLBACKEND=Agg TRACES=$(dirname "$venv")/trace "$python" "$script" || exit 1
done
