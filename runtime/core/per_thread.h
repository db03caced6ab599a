#pragma once

#include <unistd.h>

#include <utility>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace catena {

/// A value that each thread creates at its first use. It is destroyed with its thread; the main
/// thread's is not, because destructors of statics may use it: a user's objects at file scope are
/// destroyed after all thread_local ones.
///
///     thread_local PerThread<std::vector<Hook*>> hooks;
///     hooks.get().push_back(&hook);
///     thread_local PerThread<Variable> state;
///     return state.get([] { return Variable(...); });
template <class T>
class PerThread {
public:
    PerThread() = default;
    PerThread(const PerThread&) = delete;
    PerThread& operator=(const PerThread&) = delete;
    ~PerThread() {
        if (!is_main_thread()) delete std::exchange(value_, nullptr);
    }

    template <class Make>
    T& get(Make&& make) {
        if (!value_) value_ = new T(std::forward<Make>(make)());
        return *value_;
    }
    T& get() {
        return get([] { return T(); });
    }

private:
    static bool is_main_thread() {
#if defined(__linux__)
        return syscall(SYS_gettid) == getpid();
#else
        return true;
#endif
    }
    T* value_ = nullptr;
};

}  // namespace catena
