#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace catena {

/// A thread that executes posted functions in order.
class BackgroundThread {
public:
    BackgroundThread();
    /// Executes all posted work first.
    ~BackgroundThread() { finish(); }
    BackgroundThread(const BackgroundThread&) = delete;

    /// Runs `work`, which must not throw, on the background thread.
    void post(std::function<void()> work);
    /// Executes all posted work and ends the thread; nothing may be posted any more. Unlike a
    /// pointer that is reset, the object is there until the work is done, which may ask it.
    void finish();
    bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

private:
    void work();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace catena
