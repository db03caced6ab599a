#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/random/random.h"

// What the programs that time convolutions beside oneDNN's have in common.

namespace catena {

inline double milliseconds(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    call();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// A float32 array on the processor in this order, of normal numbers.
inline Array filled(const Shape& shape, MemoryOrder order, uint64_t seed) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return array.view(shape, strides_in(order, shape), 0);
}

/// Milliseconds of the fastest of several calls; infinity for none.
struct InTurn {
    double before = std::numeric_limits<double>::infinity(), now = before;
};

/// Both in turn, 8 to 60 times, until they took `enough` milliseconds together. `now` may be empty.
inline InTurn time_in_turn(const std::function<void()>& before, const std::function<void()>& now,
                           double enough) {
    InTurn least;
    double sum = 0;
    for (int i = 0; i < 60 && (i < 8 || sum < enough); ++i) {
        least.before = std::min(least.before, milliseconds(before));
        if (now) least.now = std::min(least.now, milliseconds(now));
        sum += least.before + (now ? least.now : 0);
    }
    return least;
}

}  // namespace catena
