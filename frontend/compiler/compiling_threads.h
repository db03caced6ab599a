#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace catena {

/// Threads that compile while others call. All end before the thread that started them, and so
/// before the process takes down what the compiler still uses: of the main thread, what belongs to
/// the thread is destroyed before all static objects.
class CompilingThreads {
public:
    static CompilingThreads& instance();
    void start(std::function<void()> work);
    void join();  ///< Returns when all have ended.

private:
    struct Running {
        std::thread thread;
        std::shared_ptr<std::atomic<bool>> done;
    };
    void forget_those_of_a_parent();

    std::mutex mutex_;
    std::vector<Running> running_;
    pid_t process_ = 0;  ///< Threads are not forked.
};

}  // namespace catena
