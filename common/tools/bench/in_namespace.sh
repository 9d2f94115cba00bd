#!/bin/sh
# in_namespace.sh STAGE NAME: prints a header with the stage's config and kernel in the namespace NAME, so
# that one program can hold several: templates of two stages may have one name, and so may what is none.
# What the stage's files include from elsewhere comes first, and so stays outside.
export LC_ALL=C
stage=$1 name=$2
echo "// Written by make: $stage in a namespace of its own."
sed -n -e 's,^#include "\.\./\(.*\)",#include "\1",p' -e '/^#include </p' "$stage"/*.h "$stage"/*.cuh | sort -u
echo "namespace $name {"
echo "#include \"$stage/config.h\""
echo "#include \"$stage/kernel.cuh\""
echo "}"
echo "using namespace $name;"
