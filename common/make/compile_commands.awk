# compile_commands.json (clang.llvm.org/docs/JSONCompilationDatabase.html) from what make would do: an
# entry for each command that compiles a file, `... -c FILE ...`.
function quoted(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/"/, "\\\"", text)
  return "\"" text "\""
}
BEGIN {
  "pwd" | getline folder
  printf "["
}
{ command = command $0 }
sub(/\\$/, "", command) { next }
match(command, / -c [^ ]+\.(cpp|cu)/) {
  file = substr(command, RSTART + 4, RLENGTH - 4)
  gsub(/^[ \t]+|^common\/make\/nvcc\.sh /, "", command)
  printf "%s\n{\"directory\": %s, \"file\": %s,\n", comma, quoted(folder), quoted(file)
  printf " \"command\": %s}", quoted(command)
  comma = ","
}
{ command = "" }
END {
  print "\n]"
  if (comma == "") exit 1
}
