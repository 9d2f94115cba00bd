# Prints the main loop of a kernel: its disassembly by nvdisasm -c -gi, after a line
# "FACTS mma-per-k-step k-steps k-steps-before-the-barrier arch stage". `kernel` is the source file.

# The number behind "line" of the first kernel.cuh in a chain of inlined calls.
function kernel_line(text) {
  if (text !~ /^[^"]*"[^"]*kernel\.cuh", line /) return 0
  sub(/^[^"]*"[^"]*", line /, "", text)
  return text + 0
}
function is(i, name) { return name_of[i] ~ ("^" name) }
function count(name,   i, n) {
  for (i = first; i <= last; i++) n += is(i, name)
  return n + 0
}

NR == 1 { per_step = $2; k_steps = $3; before = $4; arch = $5; stage = $6; next }
/\/\/## File/ {
  if (!in_chain) source = 0
  in_chain = 1
  if (!source) source = kernel_line($0)
  next
}
/^\.L_[A-Za-z0-9_]*:/ { label = $1; sub(/:.*/, "", label); at_label[label] = n + 1; next }
match($0, /\/\*[0-9a-f][0-9a-f][0-9a-f][0-9a-f]+\*\//) {
  in_chain = 0
  address = substr($0, RSTART + 2, RLENGTH - 4)
  text = substr($0, RSTART + RLENGTH)
  sub(/;.*/, "", text)
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  if (text == "") next
  n++
  line_of[n] = source
  address_of[n] = address
  text_of[n] = text
  name = text
  sub(/^@!?U?P[0-9T]+ +/, "", name)
  sub(/[ ;].*/, "", name)
  name_of[n] = name
}

END {
  # Loops end with a branch backwards; the main loop is the one with the most HMMA.
  for (i = 1; i <= n; i++) {
    hmma[i] = hmma[i - 1] + is(i, "HMMA")
    exits[i] = exits[i - 1] + (text_of[i] ~ /^EXIT/)
    if (!is(i, "BRA")) continue
    target = text_of[i]
    if (!match(target, /\.L_[A-Za-z0-9_]+/)) continue
    target = substr(target, RSTART, RLENGTH)
    start = at_label[target]
    # Code that is seldom needed stands after the last EXIT, and branches back as well.
    if (start == "" || start > i || exits[i] > exits[start]) continue
    inside = hmma[i] - hmma[start - 1]
    if (inside > most || (inside == most && most > 0 && i - start < last - first)) {
      most = inside; first = start; last = i
    }
  }
  if (!most) {
    print stage ", sm_" arch ": no loop with HMMA was found in " n " instructions"
    exit 1
  }

  while ((getline line < kernel) > 0) {
    text = line
    sub(/^ +/, "", text)
    code[++lines] = text
  }
  print stage ", sm_" arch ", main loop"
  print ""
  for (i = first; i <= last; i++) {
    mark = is(i, "HMMA") ? "HMMA" : is(i, "LDSM") ? "LDSM" : is(i, "BAR") ? "BAR" : \
      is(i, "SYNCS") ? "SYNCS" : is(i, "UTMALDG") ? "UTMALDG" : is(i, "FENCE|MEMBAR") ? "FENCE" : ""
    shown = line_of[i] ? line_of[i] : ""
    printf "%5s %-8s %s  %s\n", shown, mark, address_of[i], text_of[i]
    if (line_of[i]) used[line_of[i]] = 1
  }
  print ""
  for (i = 1; i <= lines; i++) if (i in used) printf "%5d  %s\n", i, code[i]

  all = count("HMMA")
  tiles = all / (per_step * k_steps)
  printf "\n%d instructions for %.3g k-tile%s: ", last - first + 1, tiles, tiles == 1 ? "" : "s"
  printf "%d HMMA, %d LDSM, %d BAR, %d SYNCS, %d UTMALDG; %.2f others per HMMA\n", all,
    count("LDSM"), count("BAR"), count("SYNCS"), count("UTMALDG"), (last - first + 1 - all) / all
  # The compiler may move an mma across a barrier, since it touches registers only.
  for (i = first; i <= last; i++) {
    if (is(i, "BAR")) {
      expected = (before + barriers * k_steps) * per_step
      seen = hmma[i] - hmma[first - 1]
      printf "BAR %d: of the %d HMMA that stand before it in the source, %d come after it\n",
        ++barriers, expected, seen < expected ? expected - seen : 0
    }
  }
  print ""
}
