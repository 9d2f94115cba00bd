# A page with its samples written anew: awk -f pages.awk SAMPLES... page=1 PAGE
#
#   <!-- made by: make 00 BREAK=x && ./00_naive/run; the report with: WORDS; without: PATTERN -->
#       The block that follows ends in a report: of those that samples.sh wrote to SAMPLES for this
#       command, the first that has the WORDS, wrapped, without the lines that PATTERN matches. What
#       the block has before the report stays.
#   <!-- cites: FILE: TEXT -->
#       The block that follows names a line of FILE, the first that reads TEXT, by its number.

function fail(why) {
  print FILENAME ": " why ": " $0 > "/dev/stderr"
  failed = 1
  exit 1
}

# Prints a line in at most 98 columns; what goes on stands four columns further in.
function print_wrapped(line, words, n, i, indent, row) {
  match(line, /^ */)
  indent = substr(line, 1, RLENGTH)
  n = split(line, words, " ")
  row = indent words[1]
  for (i = 2; i <= n; i++) {
    if (length(row) + 1 + length(words[i]) > 98) {
      print row
      row = indent "    " words[i]
    } else {
      row = row " " words[i]
    }
  }
  print row
}

# After "key: " in the mark, up to the next ";" or the end.
function part(key, mark) {
  if (!match(mark, key ": ")) return ""
  mark = substr(mark, RSTART + RLENGTH)
  sub(/(; without: .*)? -->.*/, "", mark)
  return mark
}

function report_of(mark, command, wanted, i) {
  command = part("made by", mark)
  sub(/ && .*/, "", command)
  wanted = part("the report with", mark)
  for (i = 1; i <= count[command]; i++) {
    if (index(reports[command, i], wanted)) return reports[command, i]
  }
  fail("no such report")
}

function print_report(text, without, lines, n, i) {
  n = split(text, lines, "\n")
  for (i = 1; i < n; i++) if (without == "" || lines[i] !~ without) print_wrapped(lines[i])
}

function line_number(file, wanted, line, n) {
  while ((getline line < file) > 0) {
    n++
    sub(/^ */, "", line)
    if (line == wanted) {
      close(file)
      return n
    }
  }
  fail("no such line")
}

# reports[command, i] of the `count[command]`: paragraphs that end in "(seen ...". Where the program has
# broken a line, its paths were longer: it is one again.
!page {
  if ($0 ~ /^== /) made_by = substr($0, 4)
  match($0, /^ */)
  broken = text != "" && RLENGTH == indent + 4
  if (!broken) indent = RLENGTH
  if ($0 == "" || $0 ~ /^== /) text = ""
  else if (broken) text = substr(text, 1, length(text) - 1) substr($0, RLENGTH) "\n"
  else text = text $0 "\n"
  if ($0 ~ /^\(seen /) reports[made_by, ++count[made_by]] = text
  next
}

/^<!-- made by: / {
  report = report_of($0)
  title = substr(report, 1, index(report, "\n") - 1)
  without = part("without", $0)
}
/^<!-- cites: / {
  file = part("cites", $0)
  text = file
  sub(/: .*/, "", file)
  sub(/[^ ]* /, "", text)
  number = line_number(file, text)
}
/^```/ {
  if (in_block) {
    if (report != "") fail("the block above has no line " title)
    in_block = skipping = number = 0
  } else {
    in_block = report != "" || number
  }
}
skipping { next }
in_block && report != "" && $0 == title {
  print_report(report, without)
  report = ""
  skipping = 1
  next
}
in_block && number {
  gsub(/kernel\.cuh:[0-9]+/, "kernel.cuh:" number)
  gsub(/line [0-9]+\./, "line " number ".")
  sub(/^[0-9]+\t/, number "\t")
}
{ print }
END { if (failed) exit 1 }
