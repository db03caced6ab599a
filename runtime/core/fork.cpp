#include "runtime/core/fork.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include <pthread.h>

#include "runtime/core/error.h"

namespace catena {
namespace {

thread_local int own_scopes = 0;  ///< Of NoFork on this thread.

/// Never destroyed: a process may fork while it ends.
struct Forks {
    std::mutex gate;                        ///< Guards what follows.
    std::vector<std::mutex*> mutexes;
    std::array<void (*)(), 8> functions{};
    std::atomic<size_t> function_count{0};  ///< Only grows.
    std::atomic<int> scopes{0};             ///< Threads that are in a NoFork.

    Forks();
    std::mutex* take_all();
    void release(size_t count);
    void begin();
    void end();
};

Forks& forks() {
    static Forks& instance = *new Forks;
    return instance;
}

Forks::Forks() {
    pthread_atfork([] { forks().begin(); }, [] { forks().end(); },
                   [] {
                       forks().scopes.store(own_scopes > 0);
                       forks().end();
                   });
}

/// Takes all, or none and returns one that another thread holds.
std::mutex* Forks::take_all() {
    gate.lock();
    for (size_t i = 0; i < mutexes.size(); ++i) {
        std::mutex* const mutex = mutexes[i];
        if (mutex->try_lock()) continue;
        release(i);
        return mutex;
    }
    return nullptr;
}

void Forks::release(size_t count) {
    for (size_t i = 0; i < count; ++i) mutexes[i]->unlock();
    gate.unlock();
}

/// Waits only while it holds nothing, so that no order in which others take mutexes makes a deadlock.
void Forks::begin() {
    const size_t count = function_count.load();
    for (size_t i = 0; i < count; ++i) functions[i]();
    const int own = own_scopes > 0;
    while (true) {
        if (std::mutex* held = take_all()) {
            const std::lock_guard wait(*held);
            continue;
        }
        const int all = scopes.load();
        if (all == own) return;
        end();
        scopes.wait(all);
    }
}

void Forks::end() { release(mutexes.size()); }

}  // namespace

std::mutex& taken_by_forks(std::mutex& mutex) {
    Forks& f = forks();
    const std::lock_guard lock(f.gate);
    f.mutexes.push_back(&mutex);
    return mutex;
}

void before_forks(void (*function)()) {
    Forks& f = forks();
    const std::lock_guard lock(f.gate);
    const size_t count = f.function_count.load();
    CATENA_ASSERT(count < f.functions.size(), "more functions before forks than there is room for");
    f.functions[count] = function;
    f.function_count.store(count + 1);
}

NoFork::NoFork() {
    if (own_scopes++ > 0) return;
    Forks& f = forks();
    const std::lock_guard lock(f.gate);
    ++f.scopes;
}

NoFork::~NoFork() {
    if (--own_scopes > 0) return;
    Forks& f = forks();
    --f.scopes;
    f.scopes.notify_all();
}

}  // namespace catena
