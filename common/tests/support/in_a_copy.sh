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

. common/tests/support/verdict.sh
try() { "$make" BACKEND=emulator CXX="$cxx" "$@"; }
