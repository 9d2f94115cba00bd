#include "output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "refusal.h"
#include "text.h"

namespace {

[[noreturn]] void refuse(const char* option, const std::string& path, const char* reason) {
  throw Refusal(format(
      "%s %s: cannot be written (%s); give a file in a directory that you may write to", option,
      path.c_str(), reason));
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// An open file; closed at the end of the scope unless close() did and reported.
class File {
 public:
  File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags, 0666)) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  // False, with errno set, if not all of `text` could be written.
  bool write(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      done += count;
    }
    return true;
  }

  // False, with errno set, if the system reports a late write error.
  bool close() {
    if (descriptor_ < 0) return true;
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    return result == 0;
  }

 private:
  int descriptor_;
};

bool is_regular_or_new(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

void write_in_place(const char* option, const std::string& path, const std::string& text) {
  File file(path, O_WRONLY);
  if (!file.is_open() || !file.write(text) || !file.close()) {
    refuse(option, path, std::strerror(errno));
  }
}

void write_to_stdout(const char* option, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) refuse(option, "-", std::strerror(errno));
}

}  // namespace

void check_writable(const char* option, const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(option, path, "it is a directory");
    if (::access(path.c_str(), W_OK) != 0) refuse(option, path, std::strerror(errno));
    return;
  }
  if (errno != ENOENT) refuse(option, path, std::strerror(errno));
  const std::string directory = directory_of(path);
  if (::stat(directory.c_str(), &status) != 0) refuse(option, path, "no such directory");
  if (::access(directory.c_str(), W_OK | X_OK) != 0) refuse(option, path, std::strerror(errno));
}

void check_csv_columns(const std::string& path, const std::string& header) {
  if (!is_regular_or_new(path)) return;
  std::ifstream file(path);
  std::string first_line;
  if (!std::getline(file, first_line)) return;  // new or empty
  if (first_line + "\n" == header) return;
  throw Refusal(format(
      "--csv %s: it holds other columns than this program writes; give a new file", path.c_str()));
}

void write_whole_file(const char* option, const std::string& path, const std::string& text) {
  if (path == "-") return write_to_stdout(option, text);
  if (!is_regular_or_new(path)) return write_in_place(option, path, text);

  const std::string temporary = path + format(".%d.tmp", static_cast<int>(::getpid()));
  File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.is_open()) refuse(option, path, std::strerror(errno));
  const bool written = file.write(text) && ::fsync(file.descriptor()) == 0 && file.close() &&
                       std::rename(temporary.c_str(), path.c_str()) == 0;
  if (written) return;
  const int reason = errno;
  ::unlink(temporary.c_str());
  refuse(option, path, std::strerror(reason));
}

void append_csv_row(const std::string& path, const std::string& header, const std::string& row) {
  if (!is_regular_or_new(path)) return write_in_place("--csv", path, header + row);

  File file(path, O_WRONLY | O_APPEND | O_CREAT);
  struct stat before;
  if (!file.is_open() || ::fstat(file.descriptor(), &before) != 0) {
    refuse("--csv", path, std::strerror(errno));
  }
  const bool is_new = before.st_size == 0;
  const bool written = file.write(is_new ? header + row : row) && ::fsync(file.descriptor()) == 0;
  if (written && file.close()) return;
  const int reason = errno;
  if (is_new) {
    ::unlink(path.c_str());
  } else if (::truncate(path.c_str(), before.st_size) != 0) {
    refuse("--csv", path, "the disk is full, and the last row is incomplete");
  }
  refuse("--csv", path, std::strerror(reason));
}
