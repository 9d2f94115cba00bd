# A page with the text of another file between two of its lines, whose beginnings are given:
#   awk -v from=BEGINNING -v to=BEGINNING -f between.awk TEXT PAGE
FNR == NR { text = text $0 "\n"; next }
begun && index($0, to) == 1 { skipping = 0 }
!skipping
index($0, from) == 1 { printf "%s", text; begun = skipping = 1 }
END {
  if (begun && !skipping && text != "") exit 0
  print "no text, or no lines that begin with " from " and " to > "/dev/stderr"
  exit 1
}
