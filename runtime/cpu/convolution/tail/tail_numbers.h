#pragma once

// What kernels that add a tail to sums in registers know of it, and tell of their results.

#include <atomic>
#include <bit>
#include <cstdint>

#include "runtime/cpu/convolution/tail/convolution_tail.h"
#include "runtime/cpu/product/tiles/tile.h"

namespace catena {

/// An epilogue as such kernels read it: as ConvolutionTail, but `before` is where sums begin, and
/// scale and shift are both null where they change nothing.
struct TailNumbers {
    const float *before, *scale, *shift, *other;
    float lowest, highest;

    /// Whether the sums are only clipped to their bounds.
    bool only_clips() const { return !scale && !other; }
    /// Converts an epilogue that has `channels` numbers in each operand.
    TailNumbers(const ConvolutionTail& tail, int64_t channels)
        : before(tail.before),
          scale(nullptr),
          shift(nullptr),
          other(tail.other),
          lowest(tail.lowest),
          highest(tail.highest) {
        for (int64_t c = 0; c < channels && !scale; ++c)
            if (!(tail.scale[c] == 1 && tail.shift[c] == 0)) scale = tail.scale, shift = tail.shift;
    }
};

/// The largest magnitudes so far, lane by lane, as bits: those of infinity and NaN are the largest.
struct alignas(64) LargestLanes {
    int32_t bits[tile_lanes] = {};

    int32_t largest() const {
        int32_t most = 0;
        for (const int32_t each : bits) most = each > most ? each : most;
        return most;
    }
};

/// The largest magnitudes of all threads.
class LargestOfThreads {
public:
    void note(const LargestLanes& found) {
        const int32_t bits = found.largest();
        int32_t known = bits_.load();
        while (bits > known && !bits_.compare_exchange_weak(known, bits)) {
        }
    }
    float magnitude() const { return std::bit_cast<float>(bits_.load()); }

private:
    std::atomic<int32_t> bits_ = 0;
};

}  // namespace catena
