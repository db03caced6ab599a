#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/core/random/random_stream.h"

namespace catena {

/// A function that gives the order of the next epoch from the current order, of equal length, and
/// the position reached in it. For the first epoch it is called with the order 0, 1, 2, ... and
/// position 0. Iterators save the state of a ShuffleOrderSampler, and none of others.
using OrderSampler =
    std::function<std::vector<int64_t>(const std::vector<int64_t>& order, int64_t position)>;

/// A permutation of 0 ... n-1, determined by the stream and `draw`.
std::vector<int64_t> permutation(int64_t n, const RandomStream& stream, int64_t draw);

/// An OrderSampler that shuffles the current order with a seed.
class ShuffleOrderSampler {
public:
    /// With random numbers of this seed.
    explicit ShuffleOrderSampler(int64_t seed) : stream_{uint64_t(seed), 0} {}
    /// The next epoch's order: the present one, shuffled. `position` is not used.
    std::vector<int64_t> operator()(const std::vector<int64_t>& order, int64_t position);
    /// Number of orders that it has given.
    int64_t draws() const { return draws_; }
    /// Sets how many orders have been drawn, as when a training is resumed.
    void set_draws(int64_t draws) { draws_ = draws; }

private:
    RandomStream stream_;
    int64_t draws_ = 0;
};

}  // namespace catena
