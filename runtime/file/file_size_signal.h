#pragma once

#include <signal.h>

namespace catena {

/// Where a file would pass the process's limit (ulimit -f) the system sends SIGXFSZ, which kills
/// the process. Blocked in this thread, write() fails with EFBIG, an error like a full disk.
class FileSizeSignalBlocked {
public:
    FileSizeSignalBlocked();
    ~FileSizeSignalBlocked();
    FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;

private:
    sigset_t signal_, before_;
};

}  // namespace catena
