#include "runtime/file/file_size_signal.h"

#include <ctime>

#include <pthread.h>

namespace catena {

FileSizeSignalBlocked::FileSizeSignalBlocked() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
}

FileSizeSignalBlocked::~FileSizeSignalBlocked() {
    if (sigismember(&before_, SIGXFSZ)) return;
    const timespec now = {};
    while (sigtimedwait(&signal_, nullptr, &now) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace catena
