"""How a file is written: all of its text, or nothing. common/host/support/output_files.h does the
same for what is written in C++. Needs the standard library of Python 3.8 and nothing else."""

import os
import stat
import tempfile


def write_whole(path, text):
    """Replaces a file by one that holds `text` in UTF-8. A link is followed, the mode kept. A device,
    a FIFO and a file with other names, or in a read-only folder, are written as they are."""
    whole = str(text).encode("utf-8")
    path = os.fspath(path)
    if os.path.exists(path) and not os.path.isfile(path) or path.startswith(("/dev/", "/proc/")):
        with open(path, "ab", buffering=0) as file:
            file.write(whole)
        return
    path = os.path.realpath(path)
    old = os.stat(path) if os.path.exists(path) else None
    try:
        if old and old.st_nlink > 1:
            raise PermissionError
        new, name = tempfile.mkstemp(prefix=f"{os.path.basename(path)}.", suffix=".tmp",
                                     dir=os.path.dirname(path))
    except PermissionError:
        with open(path, "wb") as file:
            file.write(whole)
        return
    try:
        with open(new, "wb") as file:
            file.write(whole)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode) if old else 0o666 & ~umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
