#include "runtime/core/parallel_steps.h"

#include <algorithm>

#if defined(__SANITIZE_THREAD__)
#include <barrier>
#include <thread>
#include <vector>
#endif

#include <omp.h>

#include "runtime/core/parallel.h"

namespace catena {

void run_parallel_steps(int64_t steps, int64_t most_parts, void (*body)(void*, int64_t, int64_t, int64_t), void* context) {
    const int64_t parts = std::min<int64_t>(most_parts, thread_count());
    if (parts <= 1 || omp_in_parallel()) {
        for (int64_t step = 0; step < steps; ++step) body(context, step, 0, 1);
        return;
    }
#if defined(__SANITIZE_THREAD__)
    // The sanitizer cannot see the barriers of libgomp.
    std::barrier all_done(parts);
    const auto run = [&](int64_t part) {
        for (int64_t step = 0; step < steps; ++step) {
            body(context, step, part, parts);
            all_done.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;
    for (int64_t part = 1; part < parts; ++part) others.emplace_back(run, part);
    run(0);
#else
#pragma omp parallel num_threads(int(parts))
    for (int64_t step = 0; step < steps; ++step) {
        // OpenMP may give fewer threads than asked for.
        for (int64_t part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) body(context, step, part, parts);
#pragma omp barrier
    }
#endif
}

}  // namespace catena
