# For suites: what they print of a check. Included with $subject, for the names of checks, and $output,
# the file of what was said.

# verdict STATUS WHAT: the check passed if the status is 0.
verdict() {
  if [ "$1" -eq 0 ]; then
    echo "ok $subject: $2"
  else
    echo "FAILED $subject: $2"
    tail -n 12 "$output" | sed 's/^/       /'
  fi
}

# said WORDS: $output has all of them, which ';' separates, but none that follows a '!'; those that
# are wrong are added to it.
said() {
  all_said=0 old_ifs=$IFS
  IFS=';'
  for word in $1; do
    found=$(grep -cF -e "${word#!}" "$output")
    case $word in !*) [ "$found" -eq 0 ] ;; *) [ "$found" -gt 0 ] ;; esac || {
      all_said=1
      echo "'$word'?" >> "$output"
    }
  done
  IFS=$old_ifs
  return $all_said
}

# says WHAT WORDS STATUS COMMAND...: it ends with this status, and what it said has WORDS.
says() {
  what=$1 words=$2 expected=$3
  shift 3
  "$@" > "$output" 2>&1 < /dev/null
  status=$? wrong=0
  [ $status -eq "$expected" ] || { wrong=1; echo "exit status $status" >> "$output"; }
  said "$words" || wrong=1
  verdict $wrong "$what"
}

# refused WHAT WORDS COMMAND...: it ends with status 2, and its errors have WORDS. A program, which is
# called run, says "refused: " once, and nothing else on standard error.
refused() {
  what=$1 words=$2
  shift 2
  "$@" > "$folder/stdout" 2> "$output"
  status=$? wrong=0
  case " $* " in
    */run\ *) [ "$(grep -c '' "$output")" -eq 1 ] && grep -q '^refused: ' "$output" || wrong=1 ;;
  esac
  [ $status -eq 2 ] || { wrong=1; echo "exit status $status" >> "$output"; }
  said "$words" || wrong=1
  verdict $wrong "$what"
}
