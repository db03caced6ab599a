#pragma once

#include "runtime/core/parallel/parallel.h"

namespace catena::testing {

/// Another number of threads while alive.
class Threads {
public:
    explicit Threads(int count) : before_(thread_count()) { set_thread_count(count); }
    ~Threads() { set_thread_count(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

private:
    int before_;
};

}  // namespace catena::testing
