#pragma once

#include <signal.h>

namespace catena {

/// Blocks the signal SIGXFSZ in this thread while alive. The system sends it where a file would
/// exceed the process's limit (ulimit -f), which kills the process; blocked, write() fails with
/// EFBIG, an error like a full disk.
class FileSizeSignalBlocked {
public:
    FileSizeSignalBlocked();
    ~FileSizeSignalBlocked();
    FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;

private:
    sigset_t signal_, before_;
};

}  // namespace catena
