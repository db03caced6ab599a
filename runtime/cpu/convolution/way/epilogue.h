#pragma once

#include <cstdint>
#include <limits>

#include "runtime/core/array/array.h"
#include "runtime/cpu/column_statistics.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

/// A tail as part of a call: what is known of its operands, and what is learnt of the result.
struct TailEpilogue {
    ConvolutionTail numbers;  ///< Pointers are not null, except for `other`.
    /// Whether `before` or `shift`, and whether `scale` was given; else they are 0, and 1.
    bool adds = false, scales = false;
    /// Whether a bound is NaN, so that all results are.
    bool gives_nan = false;
    /// A bound of the magnitudes in x; if it is not finite, nothing is known.
    float range = std::numeric_limits<float>::infinity();
    /// Set by the call: a bound of the magnitudes in y, in the same way.
    float largest = 0;
};

/// What a forward convolution does with its result besides storing it: at most one of these.
struct Epilogue {
    enum class Kind : uint8_t {
        none,
        bias,        ///< The epilogue adds a number to each channel.
        tail,        ///< The epilogue is elementwise work.
        statistics,  ///< The epilogue gathers the statistics of the result's channels.
    };

    Array bias;  ///< The numbers that are added, [channels]; undefined: none.
    TailEpilogue* tail = nullptr;
    ColumnStatistics* statistics = nullptr;

    Kind kind() const {
        return statistics       ? Kind::statistics
               : tail           ? Kind::tail
               : bias.defined() ? Kind::bias
                                : Kind::none;
    }
    /// Whether there is a bias alone, or nothing.
    bool is_plain() const { return !tail && !statistics; }
    const float* bias_elements() const { return bias.defined() ? bias.elements<float>() : nullptr; }
};

}  // namespace catena
