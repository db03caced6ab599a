#include "runtime/comm/background.h"

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/start_thread.h"

namespace catena {

BackgroundThread::BackgroundThread()
    : thread_(start_thread("messages beside the computation", [this] { work(); })) {}

void BackgroundThread::finish() {
    if (!thread_.joinable()) return;
    {
        std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void BackgroundThread::post(std::function<void()> work) {
    {
        std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
}

void BackgroundThread::work() {
    set_thread_count(thread_count());  // OpenMP knows the number by thread.
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        std::function<void()> next = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        next();
        next = nullptr;  // Releases its captures before the next one is announced.
        lock.lock();
    }
}

}  // namespace catena
