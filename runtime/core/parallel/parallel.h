#pragma once

#include <cstdint>
#include <type_traits>

namespace catena {

/// The number of threads that operations may use: CATENA_NUM_THREADS, else OMP_NUM_THREADS, else
/// the number of cores.
int thread_count();
/// Sets the number of threads that operations may use. ValueError below 1.
void set_thread_count(int threads);

/// Calls body(context, begin, end) for the shares of [0, n) (share_of(),
/// runtime/core/parallel/share.h), at least `grain` long each, on the pool shared with oneDNN
/// (OpenMP). Runs inline when n <= grain, on one thread, or when nested. Which elements share a
/// range may vary with the thread count: a result must not depend on it.
void parallel_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t),
                     void* context);

/// parallel_ranges() with a callable: body(begin, end).
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& body) {
    parallel_ranges(
        n, grain,
        [](void* f, int64_t begin, int64_t end) {
            (*static_cast<std::remove_reference_t<F>*>(f))(begin, end);
        },
        &body);
}

}  // namespace catena
