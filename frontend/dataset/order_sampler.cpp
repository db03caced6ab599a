#include "frontend/dataset/order_sampler.h"

#include <numeric>
#include <utility>

namespace catena {

std::vector<int64_t> permutation(int64_t n, const RandomStream& stream, int64_t draw) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    // Fisher and Yates. The multiplication maps 64 random bits to [0, i] with a bias below 2^-32
    // for any real n.
    for (int64_t i = n - 1; i > 0; --i) {
        auto words = stream.words(uint64_t(draw) << 32 | uint64_t(uint32_t(i)));
        uint64_t bits = uint64_t(words[0]) << 32 | words[1];
        int64_t j = int64_t((unsigned __int128)(bits)*uint64_t(i + 1) >> 64);
        std::swap(order[size_t(i)], order[size_t(j)]);
    }
    return order;
}

std::vector<int64_t> ShuffleOrderSampler::operator()(const std::vector<int64_t>& order, int64_t) {
    std::vector<int64_t> shuffled;
    shuffled.reserve(order.size());
    for (int64_t i : permutation(int64_t(order.size()), stream_, draws_++))
        shuffled.push_back(order[size_t(i)]);
    return shuffled;
}

}  // namespace catena
