#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/core/random.h"

namespace catena {

/// From the present order and the place reached in it to the order of the next epoch, which is as long. With the
/// order 0, 1, 2, ... and place 0 it is asked for the first.
using OrderSampler = std::function<std::vector<int64_t>(const std::vector<int64_t>& order, int64_t position)>;

/// 0 ... n-1 in random order: a function of the stream and of `draw`.
std::vector<int64_t> permutation(int64_t n, const RandomStream& stream, int64_t draw);

/// Shuffles the present order, from a seed.
class ShuffleOrderSampler {
public:
    explicit ShuffleOrderSampler(int64_t seed) : stream_{uint64_t(seed), 0} {}
    std::vector<int64_t> operator()(const std::vector<int64_t>& order, int64_t position);

private:
    RandomStream stream_;
    int64_t draws_ = 0;
};

}  // namespace catena
