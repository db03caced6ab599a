#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace catena {

/// Threads that compile in the background. All end before the thread that started them, and so
/// before the process destroys what the compiler still uses: objects of the main thread are
/// destroyed before all static ones.
class CompilingThreads {
public:
    static CompilingThreads& instance();
    void start(std::function<void()> work);
    /// Waits until all threads have ended.
    void join();

private:
    struct Running {
        std::thread thread;
        std::shared_ptr<std::atomic<bool>> done;
    };
    void forget_those_of_a_parent();

    std::mutex mutex_;
    std::vector<Running> running_;
    pid_t process_ = 0;  ///< The process that started the threads: a forked child has none of them.
};

}  // namespace catena
