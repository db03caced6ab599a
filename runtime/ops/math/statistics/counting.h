#pragma once

#include <optional>
#include <utility>

#include "runtime/graph/op/op.h"

namespace catena {

// Where values belong among others, and how many belong there, under NumPy's names. No gradients,
// but of interp and of bincount's weights.

enum class Side { left, right };
/// The places in the ascending vector `sorted` where each value can be inserted: before the
/// elements that equal it (left), or behind them. int64; NaN is larger than all numbers.
Variable searchsorted(const Operand& sorted, const Operand& values, Side side = Side::left);
/// Whether each element of x is one of `values`; bool. NaN is none.
Variable isin(const Operand& x, const Operand& values);

/// How often each of 0, 1, ... occurs in x, integers that are not negative, or the sums of their
/// weights. As long as the largest says, which is read on the host, and at least minlength.
Variable bincount(const Operand& x, int64_t minlength = 0);
Variable bincount(const Operand& x, const Operand& weights, int64_t minlength = 0);

struct Histogram {
    Variable counts, edges;  ///< int64 [bins] and the bins' borders, [bins + 1].
};
/// How many elements are in each of `bins` bins of one width, from the least to the largest element
/// or in the given range; the last contains its right border.
Histogram histogram(const Operand& x, int64_t bins = 10,
                    std::optional<std::pair<double, double>> range = {});
/// The histogram over bins with these borders, ascending.
Histogram histogram(const Operand& x, const Operand& edges);

/// The polygon through the points (xp, fp) at x; xp ascends. Beyond its ends fp's first and last.
Variable interp(const Operand& x, const Operand& xp, const Operand& fp);

}  // namespace catena
