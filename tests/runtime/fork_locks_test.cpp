// A process is forked while its other threads hold locks of which there is one: its child can take
// each of them.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <source_location>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/array/code_device.h"
#include "runtime/core/system/fork.h"
#include "runtime/file/limits.h"
#include "runtime/graph/op/op.h"
#include "runtime/profile/profiler.h"

namespace catena::testing {
namespace {

/// What takes a lock of the process, for reading or writing.
std::vector<std::function<void()>> users_of_locks() {
    const OpDef& op = *all_ops().front();
    return {
        [] { set_file_limits(file_limits()); },
        [&op] { find_op(op.name); },
        [] { fault_site("op", SourceLoc(std::source_location::current())); },
        [] { profile::keep({.name = "label", .category = "test"}); },
        [] {
            static std::shared_mutex& mutex = taken_by_forks(*new std::shared_mutex);
            const std::shared_lock reading(mutex);
        },
        [] {
            static std::recursive_mutex& mutex = taken_by_forks(*new std::recursive_mutex);
            const std::lock_guard once(mutex);
            const std::lock_guard twice(mutex);
        },
    };
}

/// Two threads that do the same again and again.
class Busy {
public:
    explicit Busy(const std::function<void()>& work) {
        for (int i = 0; i < 2; ++i)
            threads_.emplace_back([this, work] {
                while (!over_) work();
            });
    }
    ~Busy() {
        over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

private:
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

#if defined(__SANITIZE_ADDRESS__)
constexpr int forks = 6;  // Each copies the tables of the shadow memory.
#else
constexpr int forks = 40;
#endif

TEST(ForkLocks, a_child_can_take_what_other_threads_held) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer does not follow forks of processes with threads";
#endif
    const std::vector<std::function<void()>> users = users_of_locks();
    for (size_t i = 0; i < users.size(); ++i) {
        users[i]();
        const Busy busy(users[i]);
        for (int fork_number = 0; fork_number < forks; ++fork_number) {
            const pid_t child = fork();
            ASSERT_GE(child, 0);
            if (child == 0) {
                alarm(20);  // A child that waits for ever ends by this signal.
                users[i]();
                users[i]();
                _exit(0);
            }
            int status = -1;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            ASSERT_TRUE(WIFEXITED(status))
                << "user " << i << ", fork " << fork_number << ": signal " << WTERMSIG(status);
        }
    }
}

}  // namespace
}  // namespace catena::testing
