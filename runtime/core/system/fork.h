#pragma once

#include <mutex>
#include <shared_mutex>

namespace catena {

/// Registers a mutex that fork() takes before it copies the process, and returns it. Otherwise a
/// lock that another thread holds at that moment would stay locked in the child for ever. The
/// parent then releases all such mutexes, and the child gets new ones. Only for mutexes that are
/// never destroyed, and that no thread holds while it forks itself. tests/structure/fork_test.cpp
/// demands it of every global mutex.
std::mutex& taken_by_forks(std::mutex& mutex);
std::shared_mutex& taken_by_forks(std::shared_mutex& mutex);
std::recursive_mutex& taken_by_forks(std::recursive_mutex& mutex);

/// Delays fork() on all other threads while alive: for work under the locks of libraries, such as
/// the compiler's. May be nested.
class NoFork {
public:
    NoFork();
    ~NoFork();
    NoFork(const NoFork&) = delete;
    NoFork& operator=(const NoFork&) = delete;
};

/// Registers a function that is called on the forking thread before any mutex is taken. At most 8.
void before_forks(void (*function)());

}  // namespace catena
