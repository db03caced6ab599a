#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include <nccl.h>

namespace nccl_double {

/// What all communicators of the process share.
struct Process {
    std::mutex mutex;
    std::map<std::string, int> calls;
    std::map<std::string, std::pair<int, std::string>> failing;
    std::string last_error;
    bool (*owns)(const void*, size_t) = nullptr;
    long elements = 0;
    int last_type = -1;
    std::atomic<bool> is_held{false};
};
Process& process();

ncclResult_t error(ncclResult_t result, const std::string& words);
/// Counts a call; what it shall fail with.
int note(const char* call);

}  // namespace nccl_double
