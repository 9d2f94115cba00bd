#!/bin/sh
# Draws configs and sizes of each stage, builds and checks them, and reduces the simplest that
# fails.
#
#   fuzz.sh NAME=VALUE...
#     BACKEND STAGES ARCH ARCHS COUNT SEED BREAK   what to try
#     CXX COMPILE OBJECTS LIBRARIES                how to build it
#     FOLDER                                       where
#     SEEDS                                        random schedules of each config (3)
#     LINES                                        yes: "ok ..." or "FAILED ..." as well, for the tests
#   fuzz.sh batch FILE    (called by the former, several at once) builds and checks the configs in
#                         FILE, one a line, and writes "verdict<TAB>config" to FILE.results
#
# Prints a line per stage, of a failure also the command that shows it. Exit status: 0 all right, 1
# something failed, 2 not tried. The configs of corpus.txt come before the COUNT that are drawn.
export LC_ALL=C
set -u

refuse() {
  echo "$*"
  exit 2
}

# Builds FILE's configs as one program. Where that fails, the compiler's errors are in FILE.errors.
build() {
  case $BACKEND in cuda) source=$1.cu ;; *) source=$1.cpp ;; esac
  "$STAGE_FOLDER/draw" source < "$1" > "$source" &&
    $COMPILE -I "$ROOT" -include "$STAGE_FOLDER/options.h" "$source" $OBJECTS $LIBRARIES \
      -o "$1.program" > "$1.errors" 2>&1
}

# A verdict for each config of FILE. A config that ends the program gets the exit status as its
# verdict, and the program starts again behind it; with status 75 it has judged that one itself.
run() {
  configs=$(wc -l < "$1") judged=0
  : > "$1.verdicts"
  while [ $judged -lt $configs ]; do
    "$1.program" $judged "$SEED" "$SEEDS" "$LIMIT" >> "$1.verdicts" 2>> "$1.errors"
    status=$?
    judged=$(wc -l < "$1.verdicts")
    [ $judged -ge $configs ] && break
    case $status in
      75) continue ;;
      142) echo "FAILED --seed $SEED : took more than $LIMIT seconds" ;;
      *) echo "FAILED --seed $SEED : the program ended with status $status" ;;
    esac >> "$1.verdicts"
    judged=$((judged + 1))
  done
}

batch() {
  if build "$1"; then
    run "$1"
  elif [ $(wc -l < "$1") -gt 1 ]; then
    # Which of them is it?
    : > "$1.results.new"
    line=0
    while read -r config; do
      line=$((line + 1))
      echo "$config" > "$1.$line"
      batch_alone "$1.$line"
      cat "$1.$line.results" >> "$1.results.new"
      rm -f "$1.$line" "$1.$line".*
    done < "$1"
    mv "$1.results.new" "$1.results"
    return
  else
    echo "FAILED --seed $SEED : does not compile: $(grep -m 1 error "$1.errors")" > "$1.verdicts"
  fi
  paste "$1.verdicts" "$1" > "$1.results.new" && mv "$1.results.new" "$1.results"
  rm -f "$1.program"
  progress
}
batch_alone() { (batch "$1"); }

# For someone who waits at a terminal.
progress() {
  [ -t 2 ] || return 0
  printf '\r%s: %s of %s \033[K' "$STAGE" "$(cat "$STAGE_FOLDER"/*.results | wc -l)" \
    "$(wc -l < "$STAGE_FOLDER/configs")" >&2
}

# Checks the configs in FILE, JOBS batches at a time; prints the results.
check() {
  split -a 3 -l "$2" "$1" "$1.batch."
  ls "$1".batch.* | xargs -P "$jobs" -n 1 "$0" batch
  cat "$1".batch.*.results
  rm -f "$1".batch.*
}

draw_tool() {
  common/make/options.sh header "$STAGE" "$ARCH" "$ARCHS" '' > "$STAGE_FOLDER/options.h" &&
    $CXX -std=c++17 -O1 -DFUZZ_ON_GPU=$([ "$BACKEND" = cuda ] && echo 1 || echo 0) \
      $([ "$BACKEND" = cuda ] && echo -DBACKEND_CUDA) -include "$STAGE_FOLDER/options.h" \
      -include "$STAGE/config.h" common/tools/fuzz/main.cpp \
      $(printf '%s\n' $OBJECTS | grep -E '/(fuzz/draw|support/text|config/config_values)\.o$') \
      -o "$STAGE_FOLDER/draw"
}

# The first failure among the configs in FILE, which the simplest leads: tried a few at a time.
first_failure() {
  tried=0 candidates=$(wc -l < "$1")
  while [ $tried -lt $candidates ]; do
    sed -n "$((tried + 1)),$((tried + 4 * jobs))p" "$1" > "$1.some"
    check "$1.some" 4 | grep -m 1 '^FAILED' && return
    tried=$((tried + 4 * jobs))
  done
  return 1
}

# Reduces the simplest failure in FILE: as long as a simpler config fails, takes the simplest of them.
reduce() {
  config=$(sed -n 's/^FAILED[^	]*	//p' "$1" | "$STAGE_FOLDER/draw" simplest)
  found=$(grep -F "	$config" "$1" | grep -m 1 '^FAILED')
  round=0
  while [ $round -lt 40 ]; do
    round=$((round + 1))
    [ -t 2 ] && printf '\r%s: reducing, round %s \033[K' "$STAGE" $round >&2
    echo "$config" | "$STAGE_FOLDER/draw" simpler > "$STAGE_FOLDER/simpler"
    next=$(first_failure "$STAGE_FOLDER/simpler") || break
    found=$next
    config=$(echo "$found" | cut -f 2)
  done
  [ -t 2 ] && printf '\r\033[K' >&2
  verdict=$(echo "$found" | cut -f 1 | sed 's/^FAILED //')
  words="BACKEND=$BACKEND"
  [ -z "$BREAK" ] || words="$words BREAK=$BREAK"
  echo "  ${verdict#* : }"
  echo "  make ${STAGE%%_*} $words $config && ./$STAGE/run --check ${verdict%% : *}"
}

# The members of the Fields in these config.h.
members() {
  echo " $(cat "$@" | sed -n 's/.*constexpr int \([A-Za-z_0-9]*\) =.*/\1/p' | tr '\n' ' ')"
}

# The lines of corpus.txt for this stage and backend.
corpus() {
  awk -F '|' -v has="$(members "$STAGE/config.h")" -v known="$(members [0-9][0-9]_*/config.h)" \
    -v backend="$BACKEND" '
    /^#/ || NF < 3 { next }
    {
      n = split($1, words, " ")
      for (i = 1; i <= n; i++) {
        if (words[i] == "all") continue
        if (words[i] == "gpu") { if (backend != "cuda") next; continue }
        without = sub(/^!/, "", words[i])
        if (!index(known, " " words[i] " ")) {
          print "corpus.txt: no config.h knows " words[i] > "/dev/stderr"
          exit 1
        }
        if ((index(has, " " words[i] " ") > 0) == without) next
      }
      print
    }' common/tools/fuzz/corpus.txt
}

# "ok ..." or "FAILED ..." for each config of the corpus, and one such line for all that were drawn.
report() {
  cut -d '|' -f 3 "$STAGE_FOLDER/corpus" | awk -F '\t' -v stage="${STAGE%%_*}" -v seed="$SEED" '
    FILENAME == "-" { label[++labels] = $0; next }
    FNR <= labels { sub(/ .*/, "", $1); print $1 " fuzz " stage ":" label[FNR] " (" $2 ")"; next }
    { drawn++; wrong += $1 != "ok" }
    END { if (drawn) print (wrong ? "FAILED" : "ok") " fuzz " stage ": " drawn " configs of seed " seed }
    ' - "$1"
}

fuzz_stage() {
  export STAGE=$1 STAGE_FOLDER=$FOLDER/$1 ROOT=.
  rm -rf "$STAGE_FOLDER"
  mkdir -p "$STAGE_FOLDER"
  draw_tool || exit 2
  if [ -n "$BREAK" ]; then
    ROOT=$FOLDER/broken
    common/tools/broken/break.sh "$BREAK" "$STAGE" "$ROOT" && mkdir -p "$ROOT/common/tools" &&
      cp -R common/tools/fuzz "$ROOT/common/tools/" || exit 2
  fi
  corpus > "$STAGE_FOLDER/corpus" || exit 2
  cut -d '|' -f 2 "$STAGE_FOLDER/corpus" | "$STAGE_FOLDER/draw" complete > "$STAGE_FOLDER/configs" &&
    "$STAGE_FOLDER/draw" configs "$SEED" "$COUNT" >> "$STAGE_FOLDER/configs" || exit 2
  of_corpus=$(wc -l < "$STAGE_FOLDER/corpus")
  total=$(wc -l < "$STAGE_FOLDER/configs")
  [ "$total" -gt 0 ] || refuse "$STAGE: there is no config to try"
  check "$STAGE_FOLDER/configs" $batch_size > "$STAGE_FOLDER/results"
  [ -t 2 ] && printf '\r\033[K' >&2
  [ "$(wc -l < "$STAGE_FOLDER/results")" -eq "$total" ] || refuse "$STAGE_FOLDER: results are missing"
  wrong=$(grep -c -v '^ok	' "$STAGE_FOLDER/results")
  [ -z "$LINES" ] || report "$STAGE_FOLDER/results"
  echo "$STAGE: $total configs ($of_corpus of the corpus), $wrong failed"
  [ $wrong -eq 0 ] || reduce "$STAGE_FOLDER/results"
}

if [ "$1" = batch ]; then
  batch "$2"
  exit
fi

for setting in "$@"; do
  export "$setting"
done
case $COUNT in
  '' | *[!0-9]* | ???????*) refuse "COUNT=$COUNT: give a number of configs, up to 999999" ;;
esac
case $SEED in
  '' | *[!0-9]* | ???????????????????*) refuse "SEED=$SEED: give a whole number below 10^18" ;;
esac
[ "$BACKEND" != cuda ] || common/make/gpus.sh name > /dev/null ||
  refuse "no GPU is visible: make fuzz BACKEND=emulator does without"
[ -n "$STAGES" ] || refuse "STAGE: there is no such stage; there are" [0-9][0-9]_*

jobs=$(nproc 2> /dev/null || sysctl -n hw.ncpu)
# Random schedules of a config, and seconds that it may take; configs in a program.
export SEEDS="${SEEDS:-3}" LIMIT=60
LINES=${LINES:-}
batch_size=20
[ "$BACKEND" = emulator ] || batch_size=8
failed=0 all=0 given=0
for stage in $STAGES; do
  fuzz_stage "$stage"
  failed=$((failed + wrong)) all=$((all + total)) given=$((given + of_corpus))
done
echo "fuzz: $all configs, $given of them of the corpus and $((all - given)) drawn, $failed failed (seed $SEED, $BACKEND)"
[ -z "$LINES" ] || echo end
[ $failed -eq 0 ]
