#!/bin/sh
# sizes.sh "SIZES" "FIELDS": prints the sizes of `make bench`, one word each, or "refused" and why.
# SIZES is "" (then the one word is "default": what config.h, or M, N and K on the command line say),
# "all" for those of common/tools/bench/sizes.txt, or sizes like 4096x4096x8192. FIELDS names those of M, N
# and K that were given.
export LC_ALL=C
wanted=$1 given=$2
[ "$wanted" ] || { echo default; exit; }
[ -z "$given" ] || { echo "refused SIZES= and $given= both name a size: give one of the two"; exit; }
[ "$wanted" = all ] && wanted=$(sed -n 's/^\([0-9]*x[0-9]*x[0-9]*\) .*/\1/p' common/tools/bench/sizes.txt)
known=
for size in $wanted; do
  echo "$size" | grep -Eqx '[1-9][0-9]{0,8}x[1-9][0-9]{0,8}x[1-9][0-9]{0,8}' ||
    { echo "refused SIZES=$size: a size is MxNxK, as in SIZES=\"8192x8192x8192 4096x4096x512\", or all"; exit; }
  case " $known " in *" $size "*) ;; *) known="$known $size" ;; esac
done
echo $known
