#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace catena {

namespace per_thread {

/// This thread's values, indexed by the numbers of their PerThread objects; null until the first
/// value is made.
extern constinit thread_local void** values [[gnu::tls_model("initial-exec")]];

/// Stores a value for this thread under the PerThread's number, which is assigned at the first use
/// in the process.
void keep(std::atomic<int>& number, void* value, void (*destroy)(void* value));

}  // namespace per_thread

/// A value that each thread creates at its first use, on the heap: a library that a running
/// process loads has room for a hundred bytes or so of thread_local data, all variables together.
/// Destroyed with its thread, after all that is thread_local; one that is used yet later is made
/// anew, and destroyed as well. The main thread's is not destroyed, because destructors of statics
/// may use it: a user's objects at file scope are destroyed after all that is the thread's.
///
///     constinit PerThread<std::vector<Hook*>> hooks;  // Or static, in a function.
///     hooks.get().push_back(&hook);
///     static constinit PerThread<Variable> state;
///     return state.get([] { return Variable(...); });
template <class T>
class PerThread {
public:
    constexpr PerThread() = default;
    PerThread(const PerThread&) = delete;
    PerThread& operator=(const PerThread&) = delete;

    template <class Make>
    T& get(Make&& make) {
        if (void* const value = per_thread::values[number_.load(std::memory_order_relaxed)])
            return *static_cast<T*>(value);
        return add(std::make_unique<T>(std::forward<Make>(make)()));
    }
    T& get() {
        if (void* const value = per_thread::values[number_.load(std::memory_order_relaxed)])
            return *static_cast<T*>(value);
        return add(std::make_unique<T>());
    }

private:
    [[gnu::noinline]] T& add(std::unique_ptr<T> made) {
        per_thread::keep(number_, made.get(), [](void* value) { delete static_cast<T*>(value); });
        return *made.release();
    }

    /// The index into `values`; 0, whose value is always null, before the first use.
    std::atomic<int> number_{0};
};

}  // namespace catena
