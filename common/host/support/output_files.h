// The files that --json and --csv name. Both are refused before work starts if they cannot be
// written, and neither is ever left half written.
#pragma once

#include <string>

// Throws Refusal if `path` cannot become, or is not, a file that we may write. Creates nothing.
// `option` is named in the message.
void check_writable(const char* option, const std::string& path);

// Throws Refusal if `path` is a CSV file whose first line is not `header`.
void check_csv_columns(const std::string& path, const std::string& header);

// Replaces `path` by a file that holds `text`: by way of a temporary file beside it, so that a
// reader sees the old or the new one. "-" is standard output. Throws Refusal on any error.
void write_whole_file(const char* option, const std::string& path, const std::string& text);

// Appends `row` to `path`, with `header` first if the file is new or empty. A row that does not fit
// on the disk leaves the file as it was. Throws Refusal on any error.
void append_csv_row(const std::string& path, const std::string& header, const std::string& row);
