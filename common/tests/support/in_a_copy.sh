# For suites that change a copy of the repository and see what make says then. Included with the
# arguments MAKE CXX NVCC FOLDER, of which NVCC may be empty, and with $subject for the names of checks.
# Goes to the copy, in FOLDER/tree.
make=$1 cxx=$2 nvcc=$3 folder=$4
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CUDA_VISIBLE_DEVICES NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
rm -rf "$folder"
common/tests/support/copy_tree.sh "$folder/tree" || exit
folder=$(cd "$folder" && pwd)
output=$folder/output tree=$folder/tree
cd "$tree" || exit 1

verdict() {
  if [ "$1" -eq 0 ]; then echo "ok $subject: $2"; else
    echo "FAILED $subject: $2"
    tail -n 8 "$output" | sed 's/^/       /'
  fi
}
# says WHAT WORDS STATUS COMMAND...: it ends with this status, and its output has all WORDS, which ';'
# separates, but none that follows a '!'.
says() {
  what=$1 words=$2 expected=$3
  shift 3
  "$@" > "$output" 2>&1 < /dev/null
  status=$?
  wrong=0
  [ $status -eq "$expected" ] || { wrong=1; echo "exit status $status" >> "$output"; }
  old_ifs=$IFS
  IFS=';'
  for word in $words; do
    found=$(grep -cF -e "${word#!}" "$output")
    case $word in !*) [ "$found" -eq 0 ] ;; *) [ "$found" -gt 0 ] ;; esac || {
      wrong=1
      echo "'$word'?" >> "$output"
    }
  done
  IFS=$old_ifs
  verdict $wrong "$what"
}
try() { "$make" BACKEND=emulator CXX="$cxx" "$@"; }
