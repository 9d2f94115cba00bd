#!/bin/sh
# copy_tree.sh FOLDER: copies what make knows the repository by, without what it has built.
export LC_ALL=C
mkdir -p "$1" && cp -R .ci .gitattributes .clang-format Makefile README.md CONTRIBUTING.md common docs plots "$1/" || exit
for stage in [0-9][0-9]_*; do
  mkdir -p "$1/$stage" && cp "$stage"/*.* "$1/$stage/" || exit
done
