#!/bin/sh
# Checks what was given on make's command line, and writes it down for the compiler.
#
# Among the NAMEs may be PRESET, the first: its VALUE names a file STAGE/VALUE.preset with a FIELD=NUMBER
# a line, "#" beginning a comment; what comes after it overrides what the file says.
#
#   options.sh check MODE "STAGES" "VARIABLES" NAME=VALUE...
#       Prints what is wrong with the NAMEs that are not make VARIABLES, and nothing if all is well.
#       MODE each: every one of STAGES must have a field that is given; any: one of them must; none:
#       no stage is built, so no field may be given.
#   options.sh header STAGE ARCH "ARCHS" "FLAGS" NAME=VALUE...
#       Prints the header that a build of STAGE includes first. FLAGS stand in it so that it
#       changes, and make rebuilds, when they do.

export LC_ALL=C

fields_of() { sed -n -e 's,//.*,,' -e 's/.*field("\([A-Za-z_0-9]*\)".*/\1/p' "$1/config.h"; }
listed_fields() { sed -n 's/^FIELD(\([A-Za-z_0-9]*\),.*/\1/p' "${0%/*}/../config_fields.inc"; }
has() { case " $1 " in *" $2 "*) return 0 ;; esac; return 1; }
one_line() { tr '\n' ' ' | sed 's/ *$//'; }

# "(did you mean X?)", X being the one of "$2" that is at most three edits from "$1".
nearest() {
  printf '%s\n' $2 | awk -v wanted="$1" '
    function min(a, b) { return a < b ? a : b }
    function distance(a, b,   i, j, d, cost) {
      for (i = 0; i <= length(a); i++) d[i, 0] = i
      for (j = 0; j <= length(b); j++) d[0, j] = j
      for (i = 1; i <= length(a); i++)
        for (j = 1; j <= length(b); j++) {
          cost = substr(a, i, 1) != substr(b, j, 1)
          d[i, j] = min(min(d[i - 1, j] + 1, d[i, j - 1] + 1), d[i - 1, j - 1] + cost)
        }
      return d[length(a), length(b)]
    }
    { n = distance(tolower(wanted), tolower($0)) }
    NR == 1 || n < least { least = n; best = $0 }
    END { if (least < 4 && least < length(wanted)) print " (did you mean " best "?)" }'
}

# Prints what is wrong with the fields of the stages "$1": each has its row in the list and stands there
# once, its member has its name, and its value is a whole number.
check_listed() {
  listed=$(listed_fields | one_line)
  for stage in $1; do
    for name in $(fields_of "$stage"); do
      has "$listed" "$name" && continue
      echo "$stage/config.h: the field $name has no row in common/config_fields.inc:" \
        "add one there$(nearest "$name" "$listed")"
      return
    done
    twice=$(fields_of "$stage" | sort | uniq -d | one_line)
    [ -z "$twice" ] || { echo "$stage/config.h: the field $twice stands there twice: keep one"; return; }
    sed -n -e 's,//.*,,' -e 's/.*field("\([A-Za-z_0-9]*\)", *\([0-9]*\.[0-9.a-zA-Z]*\)).*/\1 \2/p' "$stage/config.h" |
      while read -r name value; do
        echo "$stage/config.h: the field $name is $value: a field is a whole number"
      done
    sed -n -e 's,//.*,,' -e 's/.*int \([A-Za-z_0-9]*\) = field("\([A-Za-z_0-9]*\)".*/\1 \2/p' "$stage/config.h" |
      awk -v file="$stage/config.h" '$1 != $2 {
        print file ": " $1 " is the field " $2 ": give both the same name"; exit }'
  done
}

# The lines of a preset's file, without comments and blanks.
preset_lines() { sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$1/$2.preset"; }

# Prints what is wrong with preset "$2" for the stages "$1".
check_preset() {
  for stage in $1; do
    case $2 in *[!A-Za-z0-9_.-]*) known= ;; *) known=$stage/$2.preset ;; esac
    if [ ! -f "$known" ]; then
      there=$(for file in "$stage"/*.preset; do [ -f "$file" ] && basename "$file" .preset; done | one_line)
      echo "PRESET=$2: $stage has no such preset; there are: ${there:-none}"
      return
    fi
    fields=$(fields_of "$stage" | one_line)
    for line in $(preset_lines "$stage" "$2"); do
      case ${line#*=} in *[!0-9]* | '' | ??????????*) number= ;; *) number=yes ;; esac
      { [ "$number" ] && has "$fields" "${line%%=*}"; } || {
        echo "$stage/$2.preset: '$line' is not FIELD=NUMBER with a field of $stage: $fields"
        return
      }
    done
  done
}

check() {
  mode=$1 stages=$2 variables=$3
  shift 3
  wrong=$(check_listed "$stages")
  [ -z "$wrong" ] || { echo "$wrong"; return; }
  all_fields=$(for config in [0-9][0-9]_*/config.h; do fields_of "${config%/*}"; done |
    sort -u | one_line)
  for given in "$@"; do
    name=${given%%=*} value=${given#*=}
    if [ "$name" = PRESET ]; then
      [ -n "$stages" ] || { echo "PRESET=$value needs a stage, as in 'make 03 PRESET=$value'"; return; }
      wrong=$(check_preset "$stages" "$value")
      [ -z "$wrong" ] || { echo "$wrong"; return; }
    fi
    has "$variables" "$name" && continue
    if ! has "$all_fields" "$name"; then
      near=$(nearest "$name" "$all_fields $variables")
      echo "$name is neither a config field nor a make variable$near." \
        "Fields: $all_fields. Variables: $variables"
      return
    fi
    case $value in
      '' | *[!0-9]*) bad=1 ;;
      *) bad=$(echo "$value" |
        awk '{ sub(/^0+/, ""); print (length($0) > 10 || $0 + 0 > 2147483647) }') ;;
    esac
    if [ "$bad" = 1 ]; then
      echo "$name=$value is refused: a field takes a whole number from 0 to 2147483647, in digits"
      return
    fi
    if [ "$mode" = none ]; then
      echo "$name is a config field and needs a stage to apply to, as in 'make 02 $name=$value'"
      return
    fi
    lacking= having=
    for stage in $stages; do
      fields=$(fields_of "$stage" | one_line)
      if has "$fields" "$name"; then having=$stage; else lacking=$stage; fi
    done
    if [ -z "$having" ] || { [ "$mode" = each ] && [ -n "$lacking" ]; }; then
      echo "$name is no field of $lacking. Its fields: $(fields_of "$lacking" | one_line)"
      return
    fi
  done
}

header() {
  stage=$1 arch=$2 archs=$3 flags=$4
  shift 4
  wrong=$(check_listed "$stage")
  [ -z "$wrong" ] || { echo "$wrong" >&2; exit 1; }
  fields=$(fields_of "$stage" | one_line)
  overrides=
  case $1 in PRESET=*) named=${1#*=} preset=$(preset_lines "$stage" "${1#*=}") ;; *) named= preset= ;; esac
  for given in $preset "$@"; do
    has "$fields" "${given%%=*}" || continue
    value=$(echo "${given#*=}" | sed 's/^0*\(.\)/\1/')
    overrides="$overrides{\"${given%%=*}\", $value}, "
  done
  echo "// Written by make: what this build of $stage was asked for."
  echo "// $flags"
  echo "#define STAGE_NAME \"$stage\""
  echo "#define CONFIG_FIELDS \"$fields\""
  echo "#define CONFIG_OVERRIDES $overrides"
  echo "#define CONFIG_ARCH $arch"
  echo "#define CONFIG_ARCHS \"$archs\""
  echo "#define CONFIG_PRESET \"$named\""
  echo "#define KERNEL_HASH \"$("${0%/*}/kernel_hash.sh" "$stage" $preset "$@")\""
}

command=$1
shift
"$command" "$@"
