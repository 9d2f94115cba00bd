#!/bin/sh
# locales.sh MAKE FOLDER: that make, its scripts and what they write are the same in a locale with other
# ranges of letters and another decimal point. Prints "ok ..." or "FAILED ..." for each.
set -u
make=$1 folder=$2
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LANGUAGE
rm -rf "$folder"
mkdir -p "$folder"
output=$folder/output

subject=locales
. common/tests/support/verdict.sh

# What begins with another line works in the reader's locale, even if make is not what calls it.
for script in $(find common .ci -type f | grep -v -e '\.txt$' -e '/locales\.sh$'); do
  case $(sed -n 1p "$script") in '#!/bin/sh' | '#!/usr/bin/env bash')
    [ "$(sed -n '/^#/d; /^$/d; p; q' "$script")" = 'export LC_ALL=C' ] || echo "$script" ;;
  esac
done > "$output"
[ ! -s "$output" ]
verdict $? "case 40: every script begins with export LC_ALL=C"

if ! command -v localedef > /dev/null; then
  echo "ok locales: skipped, there is no localedef"
  echo end
  exit
fi

# What is written of a stage, and what is refused; and how tune.sh divides its minutes.
printf '#!/bin/sh\necho "$@"\n' > "$folder/tuner"
chmod +x "$folder/tuner"
what_they_say() {
  "$make" -n 03 BACKEND=emulator BUILD="$folder/build" BK=32 swizzle=64 wk_stages=1 2>&1 | sed 2q
  common/make/options.sh header 03_fused_pipeline 120 120a '' PRESET=h200 BK=32 swizzle=64
  common/make/options.sh check each "$(echo [0-9][0-9]_*)" 'M' Swizzel=3
  common/make/kernel_hash.sh 03_fused_pipeline BK=32
  common/tools/tune/tune.sh 3 '' nvcc "$folder" "$folder/tuner" "$folder/tuner" "$folder/tuner" "$folder/tuner"
  common/tools/broken/break.sh table
  common/tools/bench/sizes.sh all ''
}
(export LC_ALL=C; what_they_say) > "$folder/in_C" 2>&1
grep -q 'budget 0.75' "$folder/in_C" && grep -q '{"swizzle", 64}' "$folder/in_C" && ! grep -q 'wk_stages is neither' "$folder/in_C"
verdict $? "case 40: in the C locale, make takes BK=32 swizzle=64 wk_stages=1"

# With small character sets, which are made sooner than UTF-8.
export LOCPATH="$folder"
for locale in tr_TR.ISO-8859-9 de_DE.ISO-8859-1; do
  localedef -i ${locale%%.*} -f ${locale#*.} "$folder/$locale" > "$output" 2>&1
  (export LC_ALL=$locale; what_they_say) 2>&1 | diff "$folder/in_C" - > "$output"
  verdict $? "cases 40 and 41: LC_ALL=$locale changes nothing of what make and its scripts say"
done
echo end
