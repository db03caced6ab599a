#include "runtime/core/parallel/parallel_steps.h"

#include <algorithm>

#if defined(__SANITIZE_THREAD__)
#include <barrier>
#endif

#include <omp.h>

#include "runtime/core/parallel/in_parallel.h"
#include "runtime/core/parallel/parallel.h"

namespace catena {

void run_parallel_steps(int64_t steps, int64_t most_parts,
                        void (*body)(void*, int64_t, int64_t, int64_t), void* context) {
    const int64_t parts = std::min<int64_t>(most_parts, thread_count());
    if (parts <= 1 || in_parallel()) {
        for (int64_t step = 0; step < steps; ++step) body(context, step, 0, 1);
        return;
    }
#if defined(__SANITIZE_THREAD__)
    // The sanitizer cannot see the barriers of libgomp.
    std::barrier all_done(parts);
    parallel_for(parts, 1, [&](int64_t part, int64_t) {
        for (int64_t step = 0; step < steps; ++step) {
            body(context, step, part, parts);
            all_done.arrive_and_wait();
        }
    });
#else
#pragma omp parallel num_threads(int(parts))
    for (int64_t step = 0; step < steps; ++step) {
        // OpenMP may give fewer threads than asked for.
        for (int64_t part = omp_get_thread_num(); part < parts; part += omp_get_num_threads())
            body(context, step, part, parts);
#pragma omp barrier
    }
#endif
}

}  // namespace catena
