#pragma once

#include <concepts>
#include <initializer_list>
#include <source_location>

#include "runtime/core/array/shape.h"

namespace catena {

/// The axes of a reduction: all, one, or several; negative ones count from the last.
class ReductionAxes {
public:
    /// All axes.
    ReductionAxes() = default;
    /// One axis.
    template <std::integral T>
    ReductionAxes(T axis) {
        axes_.push_back(int64_t(axis));
    }
    /// Several axes.
    ReductionAxes(std::initializer_list<int64_t> axes) : axes_(axes) {}
    /// Several axes.
    ReductionAxes(const Axes& axes) : axes_(axes) {}
    /// The axes as sorted, non-negative numbers.
    Axes resolve(const char* op, int rank) const { return normalize_axes(op, axes_, rank, true); }

private:
    Axes axes_;
};

/// The first of some numbers that are arguments one by one, `x.reshape(2, -1)`, with the line where
/// it is written. Made by implicit conversion; never stored.
class FirstNumber {
public:
    /// A number, with the line of the program.
    template <std::integral T>
    FirstNumber(T value, const std::source_location& at = std::source_location::current())
        : value_(int64_t(value)), at_(at) {}
    /// This number and those behind it.
    template <std::integral... Rest>
    Dims and_then(Rest... rest) const {
        return {value_, int64_t(rest)...};
    }
    /// The line of the program.
    const std::source_location& location() const { return at_; }

private:
    int64_t value_;
    std::source_location at_;
};

}  // namespace catena
