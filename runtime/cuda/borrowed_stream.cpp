#include "runtime/cuda/borrowed_stream.h"

#include <map>
#include <mutex>
#include <vector>

#include "runtime/core/system/fork.h"

namespace catena::cuda {

namespace {

struct Unused {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::map<CUcontext, std::vector<CUstream>> streams;
};
Unused& unused() {
    static Unused& all = *new Unused;
    return all;
}

}  // namespace

BorrowedStream::BorrowedStream(const std::string& device) {
    check(driver().cuCtxGetCurrent(&context_), device, "cuCtxGetCurrent");
    {
        std::lock_guard lock(unused().mutex);
        std::vector<CUstream>& left = unused().streams[context_];
        if (!left.empty()) {
            stream_ = left.back();
            left.pop_back();
            return;
        }
    }
    check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), device, "cuStreamCreate");
}

BorrowedStream::~BorrowedStream() {
    std::lock_guard lock(unused().mutex);
    try {
        unused().streams[context_].push_back(stream_);
    } catch (const std::bad_alloc&) {  // No memory to remember it: nobody borrows it again.
    }
}

}  // namespace catena::cuda
