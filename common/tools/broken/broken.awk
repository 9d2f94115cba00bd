# What break.sh does and says: reads $TABLE, and looks for its lines in the files of $STAGES.

# A line without its indentation, its comment, and blanks at its end.
function code(line) {
  sub(/\/\/.*/, "", line)
  gsub(/^ +| +$/, "", line)
  return line
}

function next_line() {
  if ((getline read_line < ENVIRON["TABLE"]) <= 0) {
    print ENVIRON["TABLE"] " ends in the middle of " name[defects] > "/dev/stderr"
    exit 2
  }
  return read_line
}

# forms[d] forms of the defect d; steps[d, f] lines of one of them, each a file, the N of N-th, ...
function add_step(d, f, verb, words, i) {
  i = ++steps[d, f]
  how[d, f, i] = verb
  file[d, f, i] = words[2]
  nth[d, f, i] = words[3]
  text[d, f, i] = next_line()
  if (verb == "edit") becomes[d, f, i] = next_line()
}

function read_table(line, words, verb, d, i, n) {
  while ((getline line < ENVIRON["TABLE"]) > 0) {
    n = split(line, words, " ")
    verb = words[1]
    if (n == 0 || verb ~ /^#/) continue
    if (verb == "defect") {
      d = ++defects
      name[d] = words[2]
      kind[d] = words[3]
      hangs[d] = words[4] == "hangs" ? "hangs" : "ends"
      report[d] = next_line()
      forms[d] = 1
    } else if (verb == "or") {
      forms[d]++
    } else if (verb == "with") {
      sub(/^ *with /, "", line)
      fields[d, forms[d]] = line
    } else if (verb == "have") {
      for (i = 3; i <= n; i++) must_have[words[2], words[i]] = 1
    } else if (verb == "edit" || verb == "keep" || verb == "unless") {
      add_step(d, forms[d], verb, words)
    } else {
      print ENVIRON["TABLE"] ": what is '" line "'?" > "/dev/stderr"
      exit 2
    }
  }
}

function load(path, n) {
  if (path in count) return
  while ((getline line_of[path, n + 1] < path) > 0) n++
  count[path] = n + 0
}

# A line as edited so far.
function current(path, i) { return ((path, i) in edited) ? edited[path, i] : line_of[path, i] }

# The number of the n-th line of a file with this code; 0: there is none.
function find(path, wanted, n, i) {
  load(path)
  for (i = 1; i <= count[path]; i++) {
    if (code(current(path, i)) == wanted && --n == 0) return i
  }
  return 0
}

# Edits the stage in memory by form f of defect d; what is missing is left in `missing`.
function fits(d, f, stage, i, path, at) {
  split("", edited)
  for (i = 1; i <= steps[d, f]; i++) {
    path = stage "/" file[d, f, i]
    at = find(path, code(text[d, f, i]), nth[d, f, i])
    if ((how[d, f, i] == "unless") == (at > 0)) {
      missing = path " has " (at ? "a line" : "no line " nth[d, f, i]) " that reads: " text[d, f, i]
      return 0
    }
    if (how[d, f, i] != "edit") continue
    edited[path, at] = becomes[d, f, i] == "-" ? "// (a line is missing here)" : becomes[d, f, i]
  }
  return 1
}

# The form of defect d that the stage has, 0 for none; `missing` is what each of them lacks.
function form_of(d, stage, f, all) {
  for (f = 1; f <= forms[d]; f++) {
    if (fits(d, f, stage)) return f
    all = all (all ? ", or " : "") missing
  }
  missing = all
  return 0
}

function number_of(wanted, d) {
  for (d = 1; d <= defects; d++) if (name[d] == wanted) return d
  return 0
}

function names_in(stage, d, names) {
  for (d = 1; d <= defects; d++) {
    if (stage == "" || form_of(d, stage)) names = names (names ? " " : "") name[d]
  }
  return names
}

function print_table(stages, s, d, f) {
  for (d = 1; d <= defects; d++) {
    for (s = 1; s in stages; s++) {
      if ((f = form_of(d, stages[s])) == 0) continue
      print name[d] "\t" stages[s] "\t" kind[d] "\t" hangs[d] "\t" fields[d, f] "\t" report[d]
    }
  }
}

function print_lost(stages, s, d, f, used, pin, part) {
  for (d = 1; d <= defects; d++) {
    for (s = 1; s in stages; s++) {
      f = form_of(d, stages[s])
      used[d, f] = 1
      if (!f && (stages[s], name[d]) in must_have) print stages[s] " has lost " name[d] ": " missing
    }
    for (f = 1; f <= forms[d]; f++) {
      if (!((d, f) in used)) print "no stage has form " f " of " name[d]
    }
  }
  for (pin in must_have) {
    split(pin, part, SUBSEP)
    if (!number_of(part[2])) print part[1] " must have " part[2] ", which is no defect"
  }
}

# Writes the edited files of the stage to $FOLDER, if it is given.
function apply(d, stage, key, part, written, path, i) {
  if (!d || !form_of(d, stage)) {
    print "BREAK=" asked ": " ((stage, asked) in must_have ? missing : "stage " stage \
      " has no such defect: choose one of " names_in(stage)) > "/dev/stderr"
    exit 2
  }
  if (ENVIRON["FOLDER"] == "") return
  for (key in edited) {
    split(key, part, SUBSEP)
    path = part[1]
    if (written[path]++) continue
    printf "" > (ENVIRON["FOLDER"] "/" path)
    for (i = 1; i <= count[path]; i++) print current(path, i) > (ENVIRON["FOLDER"] "/" path)
    close(ENVIRON["FOLDER"] "/" path)
  }
}

BEGIN {
  read_table()
  split(ENVIRON["STAGES"], stages, /[ \n]+/)
  if (asked == "list") printf "%s", names_in(stage)
  else if (asked == "table") print_table(stages)
  else if (asked == "lost") print_lost(stages)
  else apply(number_of(asked), stage)
}
