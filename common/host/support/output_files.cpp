#include "output_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

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
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const std::string& path, int flags) : File(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
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

// Where a path leads to: an open descriptor of this program, or a path that is no link.
struct Target {
  int descriptor = -1;
  std::string path;
};

// The descriptor that a path is a name of, else -1. Opening such a name would begin at the start of
// the file again, or replace it, or fail.
int descriptor_named(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::string number = path.substr(std::min(path.size(), folder.size()));
    const bool digits = number.find_first_not_of("0123456789") == std::string::npos;
    if (path == folder + number && digits && !number.empty() && number.size() < 6) {
      return std::stoi(number);
    }
  }
  return -1;
}

// How many columns of `header` a file with this first line lacks at its end: 0 if none; nothing if
// it has others.
std::optional<size_t> columns_lacking(const std::string& first_line, const std::string& header) {
  if (first_line + "\n" == header) return 0;
  if (header.rfind(first_line + ",", 0) != 0) return std::nullopt;
  return std::count(
      header.begin() + static_cast<std::ptrdiff_t>(first_line.size()), header.end(), ',');
}

Target target_of(std::string path) {
  for (int links = 0; links < 40; links++) {
    if (const int descriptor = descriptor_named(path); descriptor >= 0) return {descriptor, path};
    char text[4096];
    const ssize_t length = ::readlink(path.c_str(), text, sizeof text);
    if (length < 0) return {-1, path};  // no link
    const std::string next(text, static_cast<size_t>(length));
    path = next[0] == '/' ? next : directory_of(path) + "/" + next;
  }
  return {-1, path};  // a circle, which opening it will tell
}

bool is_regular_or_new(const Target& target) {
  struct stat status;
  if (target.descriptor >= 0) return false;
  return ::stat(target.path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

// To an open descriptor, a device or a FIFO.
void write_as_it_is(
    const char* option,
    const std::string& path,
    const Target& target,
    const std::string& text) {
  const bool flushed = std::fflush(stdout) == 0;  // what was printed before stands before
  File file(
      target.descriptor < 0 ? ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC)
                            : ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 3));
  if (!flushed || !file.is_open() || !file.write(text) || !file.close()) {
    refuse(option, path, std::strerror(errno));
  }
}

// A name beside `path` that nothing has, opened; not open where none can be made.
File temporary_beside(const std::string& path, std::string& name) {
  for (int attempt = 0; attempt < 100; attempt++) {
    name = path + format(".%d.%d.tmp", static_cast<int>(::getpid()), attempt);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return File(descriptor);
  }
  return File(-1);
}

// Gives a new file mode and owner of the old one. False if it cannot have them.
bool take_after(const struct stat& old, int descriptor) {
  struct stat now;
  if (::fstat(descriptor, &now) != 0) return false;
  const bool same_owner = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
  if (!same_owner && ::fchown(descriptor, old.st_uid, old.st_gid) != 0) return false;
  return ::fchmod(descriptor, old.st_mode & 07777) == 0;
}

enum class Outcome { written, impossible, failed };  // of the last, errno says why

// Puts a new file in the place of the old one. Impossible where the folder or the owner forbids it,
// other names are links to the old file, or it is mounted.
Outcome replace(const std::string& path, const std::string& text) {
  struct stat old;
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && old.st_nlink > 1) return Outcome::impossible;
  std::string name;
  File file = temporary_beside(path, name);
  if (!file.is_open()) return Outcome::impossible;
  Outcome outcome = Outcome::impossible;
  if (!exists || take_after(old, file.descriptor())) {
    const bool whole = file.write(text) && ::fsync(file.descriptor()) == 0 && file.close();
    if (!whole) outcome = Outcome::failed;
    if (whole && std::rename(name.c_str(), path.c_str()) == 0) return Outcome::written;
  }
  const int reason = errno;
  ::unlink(name.c_str());
  errno = reason;
  return outcome;
}

// Makes sure that a file can grow to `size`; where it cannot, it stays as it was.
bool reserve([[maybe_unused]] int descriptor, off_t old_size, off_t size) {
  if (size <= old_size) return true;
#ifdef __linux__
  const int fault = ::posix_fallocate(descriptor, 0, size);
  if (fault == ENOSPC || fault == EDQUOT || fault == EFBIG) {
    if (::ftruncate(descriptor, old_size) == 0) errno = fault;
    return false;
  }
#endif
  return true;
}

bool overwrite(const std::string& path, const std::string& text) {
  File file(path, O_WRONLY | O_CREAT);
  const off_t size = static_cast<off_t>(text.size());
  struct stat old;
  return file.is_open() && ::fstat(file.descriptor(), &old) == 0 &&
         reserve(file.descriptor(), old.st_size, size) && file.write(text) &&
         ::ftruncate(file.descriptor(), size) == 0 && ::fsync(file.descriptor()) == 0 &&
         file.close();
}

// Opens a file to append to it, and waits until no one else does. It is still the file of that name
// then. A system without locks goes on without.
int open_locked(const std::string& path) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return -1;
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat opened, named;
    const bool same = ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
                      opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    if (same) return descriptor;
    ::close(descriptor);
  }
}

// Whether the last line lacks its end: who wrote it was killed, or an editor left it out.
bool ends_within_line(int descriptor, off_t size) {
  char last = '\n';
  return size > 0 && ::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

void check_writable(const char* option, const std::string& path) {
  const Target target = target_of(path);
  if (target.descriptor >= 0) {
    const int flags = ::fcntl(target.descriptor, F_GETFL);
    if (flags < 0) refuse(option, path, std::strerror(errno));
    if ((flags & O_ACCMODE) == O_RDONLY) refuse(option, path, "it is open for reading only");
    return;
  }
  struct stat status;
  if (::stat(target.path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(option, path, "it is a directory");
    if (::access(target.path.c_str(), W_OK) != 0) refuse(option, path, std::strerror(errno));
    return;
  }
  if (errno != ENOENT) refuse(option, path, std::strerror(errno));
  const std::string directory = directory_of(target.path);
  if (::stat(directory.c_str(), &status) != 0) refuse(option, path, "no such directory");
  if (::access(directory.c_str(), W_OK | X_OK) != 0) refuse(option, path, std::strerror(errno));
}

void check_csv_columns(const std::string& path, const std::string& header) {
  const Target target = target_of(path);
  if (!is_regular_or_new(target)) return;
  std::ifstream file(target.path);
  std::string first_line;
  if (!std::getline(file, first_line)) return;  // new or empty
  if (columns_lacking(first_line, header)) return;
  throw Refusal(format(
      "--csv %s: it holds other columns than this program writes; give a new file", path.c_str()));
}

void write_whole_file(const char* option, const std::string& path, const std::string& text) {
  const Target target = target_of(path);
  if (!is_regular_or_new(target)) return write_as_it_is(option, path, target, text);
  const Outcome outcome = replace(target.path, text);
  if (outcome == Outcome::written) return;
  if (outcome == Outcome::impossible && overwrite(target.path, text)) return;
  refuse(option, path, std::strerror(errno));
}

namespace {

// Gives a file from before some columns were added these columns, empty in its rows. Who waits to
// append to the old file finds the new one.
void widen_csv(const std::string& path, const std::string& header) {
  const File lock(open_locked(path));
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return;
  const size_t lacking = columns_lacking(line, header).value_or(0);
  if (lacking == 0) return;
  std::string text = header;
  while (std::getline(file, line)) text += line + std::string(lacking, ',') + "\n";
  write_whole_file("--csv", path, text);
}

}  // namespace

void append_csv_row(const std::string& path, const std::string& header, const std::string& row) {
  const Target target = target_of(path);
  if (!is_regular_or_new(target)) return write_as_it_is("--csv", path, target, header + row);

  widen_csv(target.path, header);
  File file(open_locked(target.path));
  struct stat before;
  if (!file.is_open() || ::fstat(file.descriptor(), &before) != 0) {
    refuse("--csv", path, std::strerror(errno));
  }
  const bool is_new = before.st_size == 0;
  const bool torn = ends_within_line(file.descriptor(), before.st_size);
  const std::string text = (is_new ? header : torn ? "\n" : "") + row;
  if (file.write(text) && ::fsync(file.descriptor()) == 0) {
    if (file.close()) return;
    refuse("--csv", path, std::strerror(errno));
  }
  const int reason = errno;
  if (is_new) {
    ::unlink(target.path.c_str());
  } else if (::ftruncate(file.descriptor(), before.st_size) != 0) {
    refuse("--csv", path, "the disk is full, and the last row is incomplete");
  }
  refuse("--csv", path, std::strerror(reason));
}
