#pragma once

#include <cstdint>
#include <type_traits>

namespace catena {

/// Calls body(context, step, part, parts) for steps 0, 1, .. and all parts of each: the parts of a
/// step on as many threads at once, a step after all parts of the one before. The threads stay from
/// step to step, so that a step costs one barrier. `parts` is `most_parts`, or fewer threads
/// (thread_count()), and 1 when nested: a result must not depend on it. `body` must not throw.
void run_parallel_steps(int64_t steps, int64_t most_parts,
                        void (*body)(void*, int64_t, int64_t, int64_t), void* context);

template <class F>
void parallel_steps(int64_t steps, int64_t most_parts, F&& body) {
    run_parallel_steps(
        steps, most_parts,
        [](void* f, int64_t step, int64_t part, int64_t parts) {
            (*static_cast<std::remove_reference_t<F>*>(f))(step, part, parts);
        },
        &body);
}

}  // namespace catena
