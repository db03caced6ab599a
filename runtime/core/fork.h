#pragma once

#include <mutex>

namespace catena {

/// fork() copies the thread that calls it and the memory of all: what another thread has locked at that moment stays locked in
/// the child for ever, and what it was changing stays half changed. So a fork takes every mutex that was given here first, and
/// parent and child release them. Only for mutexes that are never destroyed. Returns `mutex`.
std::mutex& taken_by_forks(std::mutex& mutex);

/// While one is alive on another thread, fork() waits: for work under the locks of libraries, as the compiler's. May be nested.
class NoFork {
public:
    NoFork();
    ~NoFork();
    NoFork(const NoFork&) = delete;
    NoFork& operator=(const NoFork&) = delete;
};

/// Calls `function` on the thread that forks, before anything is taken. At most 8.
void before_forks(void (*function)());

}  // namespace catena
