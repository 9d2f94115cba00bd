// The files that programs write. They are refused before work starts if they cannot be written, and
// none is ever left half written. A link is followed, and the mode of a file kept; a device, a FIFO
// and an open descriptor ("/dev/stdout", "/dev/fd/3"; "-" is standard output) are written as they
// are.
#pragma once

#include <string>

// Throws Refusal if `path` cannot become, or is not, a file that we may write. Creates nothing.
// `option` is named in the message.
void check_writable(const char* option, const std::string& path);

// Throws Refusal if `path` is a CSV file whose first line is not `header`, nor its beginning:
// columns are only ever added at the end.
void check_csv_columns(const std::string& path, const std::string& header);

// Replaces what `path` holds by `text`: by way of a temporary file beside it, so that a reader sees
// the old or the new one; where none can be made, in place. Throws Refusal on any error.
void write_whole_file(const char* option, const std::string& path, const std::string& text);

// Appends `row` to `path`, with `header` first if the file is new or empty, on a line of its own
// and in turn with others that append to it. A row that does not fit on the disk leaves the file as
// it was. Rows of a file with fewer columns get empty cells. Throws Refusal on any error.
void append_csv_row(const std::string& path, const std::string& header, const std::string& row);
