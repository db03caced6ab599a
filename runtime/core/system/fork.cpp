#include "runtime/core/system/fork.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <pthread.h>

#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {

constinit PerThread<int> own_scopes;  ///< The number of NoFork objects of this thread.

/// A mutex of any kind.
struct Taken {
    void* mutex;
    bool (*try_lock)(void* mutex);
    void (*wait)(void* mutex);  ///< Waits until a mutex was free.
    void (*unlock)(void* mutex);
    void (*renew)(void* mutex);
};

template <class Mutex>
Taken taken(Mutex& mutex) {
    return {.mutex = &mutex,
            .try_lock = [](void* m) { return static_cast<Mutex*>(m)->try_lock(); },
            .wait = [](void* m) { const std::lock_guard lock(*static_cast<Mutex*>(m)); },
            .unlock = [](void* m) { static_cast<Mutex*>(m)->unlock(); },
            .renew = [](void* m) { std::construct_at(static_cast<Mutex*>(m)); }};
}

/// Never destroyed: a process may fork while it ends.
struct Forks {
    std::mutex gate;  ///< The lock of the variables below.
    std::vector<Taken> mutexes;
    std::array<void (*)(), 8> functions{};
    std::atomic<size_t> function_count{0};  ///< The number of functions, which only grows.
    std::atomic<int> scopes{0};             ///< Threads that are in a NoFork.

    Forks();
    std::optional<Taken> take_all();
    void release(size_t count);
    void begin();
    void end();
    void begin_child();
    template <class Mutex>
    Mutex& add(Mutex& mutex);
};

Forks& forks() {
    static Forks& instance = *new Forks;
    return instance;
}

Forks::Forks() {
    pthread_atfork([] { forks().begin(); }, [] { forks().end(); }, [] { forks().begin_child(); });
}

/// Takes all, or none and returns one that another thread holds.
std::optional<Taken> Forks::take_all() {
    gate.lock();
    for (size_t i = 0; i < mutexes.size(); ++i) {
        if (mutexes[i].try_lock(mutexes[i].mutex)) continue;
        const Taken held = mutexes[i];
        release(i);
        return held;
    }
    return std::nullopt;
}

void Forks::release(size_t count) {
    for (size_t i = 0; i < count; ++i) mutexes[i].unlock(mutexes[i].mutex);
    gate.unlock();
}

/// Waits only while it holds nothing, so that no order in which others take mutexes makes a
/// deadlock.
void Forks::begin() {
    const size_t count = function_count.load();
    for (size_t i = 0; i < count; ++i) functions[i]();
    const int own = own_scopes.get() > 0;
    while (true) {
        if (const std::optional<Taken> held = take_all()) {
            held->wait(held->mutex);
            continue;
        }
        const int all = scopes.load();
        if (all == own) return;
        end();
        scopes.wait(all);
    }
}

void Forks::end() { release(mutexes.size()); }

/// The C library knows who has locked a shared or recursive mutex by the thread's number, which is
/// another one in the child.
void Forks::begin_child() {
    scopes.store(own_scopes.get() > 0);
    for (const Taken& taken : mutexes) taken.renew(taken.mutex);
    gate.unlock();
}

template <class Mutex>
Mutex& Forks::add(Mutex& mutex) {
    const std::lock_guard lock(gate);
    mutexes.push_back(taken(mutex));
    return mutex;
}

}  // namespace

std::mutex& taken_by_forks(std::mutex& mutex) { return forks().add(mutex); }
std::shared_mutex& taken_by_forks(std::shared_mutex& mutex) { return forks().add(mutex); }
std::recursive_mutex& taken_by_forks(std::recursive_mutex& mutex) { return forks().add(mutex); }

void before_forks(void (*function)()) {
    Forks& f = forks();
    const std::lock_guard lock(f.gate);
    const size_t count = f.function_count.load();
    CATENA_ASSERT(count < f.functions.size(), "more functions before forks than there is room for");
    f.functions[count] = function;
    f.function_count.store(count + 1);
}

NoFork::NoFork() {
    if (own_scopes.get()++ > 0) return;
    Forks& f = forks();
    const std::lock_guard lock(f.gate);
    ++f.scopes;
}

NoFork::~NoFork() {
    if (--own_scopes.get() > 0) return;
    Forks& f = forks();
    --f.scopes;
    f.scopes.notify_all();
}

}  // namespace catena
