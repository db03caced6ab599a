#pragma once

#include <mutex>
#include <shared_mutex>

namespace catena {

/// fork() copies the thread that calls it and the memory of all: what another thread has locked at
/// that moment stays locked in the child for ever, and what it was changing stays half changed. So
/// a fork takes every mutex that was given here first, the parent releases them, and the child has
/// new ones. Only for mutexes that are never destroyed, and that no thread holds while it forks
/// itself. Returns `mutex`. tests/structure/fork_test.cpp wants it for every mutex of which the
/// process has one.
std::mutex& taken_by_forks(std::mutex& mutex);
std::shared_mutex& taken_by_forks(std::shared_mutex& mutex);
std::recursive_mutex& taken_by_forks(std::recursive_mutex& mutex);

/// While one is alive on another thread, fork() waits: for work under the locks of libraries, as
/// the compiler's. May be nested.
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
