#pragma once

#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// Draws integers with given probabilities in constant time (Walker 1977), from the thread's random
/// numbers.
class WalkerAlias {
public:
    /// Weights that need not add up to 1. ValueError when there are none, or one is negative or not
    /// finite, or all are 0.
    explicit WalkerAlias(const std::vector<double>& weights);

    Variable operator()(const Shape& shape) const;  ///< Independent draws, int32.
    void move(Device& device);

private:
    Array threshold_;  ///< For each integer, where its share of its interval ends, [n].
    /// For each interval, its integer and the integer that owns the rest of it, [2 n].
    Array values_;
};

}  // namespace catena
