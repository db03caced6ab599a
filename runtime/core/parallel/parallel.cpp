#include "runtime/core/parallel/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include <omp.h>

#include "runtime/core/parallel/in_parallel.h"
#include "runtime/core/parallel/share.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena {

namespace {

/// Tells OpenMP the number of threads, for oneDNN, which asks it. Under the thread sanitizer, which
/// cannot see the barriers between its threads, that is one.
void tell_openmp(int count) {
#if defined(__SANITIZE_THREAD__)
    count = 1;
#endif
    omp_set_num_threads(count);
}

/// The first number of OMP_NUM_THREADS, which may be a list, as OpenMP read it; else all
/// processors.
int threads_of_openmp() {
    const char* text = std::getenv("OMP_NUM_THREADS");
    const int value = text ? std::atoi(text) : 0;
    return value > 0 ? value : omp_get_num_procs();
}

/// A forked child has none of the pool's threads and would wait for them for ever. So they end
/// before the fork; the parent and the child each start new ones when they need them. The OpenMP of
/// clang does this by itself.
void end_pool_before_fork() {
#if !defined(__clang__)
    omp_pause_resource_all(omp_pause_soft);
#endif
}

int initial_threads() {
    constexpr int64_t most = std::numeric_limits<int>::max();
    const std::optional<int64_t> wanted = environment::whole_number("CATENA_NUM_THREADS", 1, most);
    const int threads = wanted ? int(*wanted) : threads_of_openmp();
    tell_openmp(threads);
    before_forks(end_pool_before_fork);
    return threads;
}

std::atomic<int>& threads() {
    static std::atomic<int> count{initial_threads()};
    return count;
}

#if defined(__SANITIZE_THREAD__)
// The sanitizer cannot see the barriers of libgomp, but it sees threads start and end.
thread_local bool inside = false;

template <class F>
void run_parts(int64_t parts, F&& part) {
    std::vector<std::thread> others;
    for (int64_t p = 1; p < parts; ++p)
        others.emplace_back([&part, p] {
            inside = true;
            part(p);
        });
    inside = true;
    part(0);
    inside = false;
    for (std::thread& other : others) other.join();
}
#else
/// Calls part(0) to part(parts - 1), which must not throw, on as many threads, and waits for all.
template <class F>
void run_parts(int64_t parts, F&& part) {
#pragma omp parallel num_threads(int(parts))
    {
        // OpenMP may give fewer threads than asked for.
        for (int64_t p = omp_get_thread_num(); p < parts; p += omp_get_num_threads()) part(p);
    }
}
#endif

}  // namespace

bool in_parallel() {
#if defined(__SANITIZE_THREAD__)
    return inside;
#else
    return omp_in_parallel();
#endif
}

int thread_count() { return threads().load(std::memory_order_relaxed); }

void set_thread_count(int count) {
    if (count < 1)
        fail<ValueError>("set_thread_count: {} threads cannot work; give 1 or more", count);
    threads().store(count);
    tell_openmp(count);
}

void parallel_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t),
                     void* context) {
    if (n <= 0) return;
    grain = std::max<int64_t>(grain, 1);
    if (n <= grain || in_parallel()) return body(context, 0, n);
    const int64_t parts = std::min<int64_t>(thread_count(), n / grain);
    if (parts <= 1) return body(context, 0, n);
    // An exception must not leave a parallel region; the first one is passed on.
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    run_parts(parts, [&](int64_t part) {
        const Share share = share_of(n, part, parts);
        try {
            body(context, share.begin, share.end);
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

}  // namespace catena
