# A page with the text of another file between two of its lines:
#   awk -v name=NAME -f between.awk TEXT PAGE
# are <!-- NAME:begin --> and <!-- NAME:end -->.
FNR == NR { text = text $0 "\n"; next }
$0 == "<!-- " name ":begin -->" { print $0 "\n\n" text; begun = skipping = 1 }
$0 == "<!-- " name ":end -->" { skipping = 0 }
!skipping
END {
  if (begun && !skipping && text != "") exit 0
  print "no text, or no marks " name ":begin and " name ":end" > "/dev/stderr"
  exit 1
}
