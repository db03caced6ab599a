#include "frontend/dataset/order_sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

int64_t size_of(const OrderPart& part) {
    return (part.examples + (part.drop_last ? 0 : part.ranks - 1)) / part.ranks;
}

}  // namespace

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

ShuffleOrderSampler::ShuffleOrderSampler(int64_t seed, OrderPart part)
    : stream_{uint64_t(seed), 0}, part_(part) {
    if (part.ranks < 1 || part.rank < 0 || part.rank >= part.ranks)
        fail<ValueError>("ShuffleOrderSampler: there is no rank {} of {}", part.rank, part.ranks);
    if (size_of(part) < 1)
        fail<ValueError>("ShuffleOrderSampler: {} examples{} leave none for each of {} ranks",
                         part.examples, part.drop_last ? " without the rest" : "", part.ranks);
}

std::vector<int64_t> ShuffleOrderSampler::present_part() const {
    CATENA_ASSERT(part_ && draws_ > 0, "asked only of samplers with a part, behind an order");
    const int64_t n = part_->examples;
    const std::vector<int64_t> all = permutation(n, stream_, draws_ - 1);
    std::vector<int64_t> mine(size_t(size_of(*part_)));
    for (size_t i = 0; i < mine.size(); ++i) {
        const int64_t at = (shift_ + part_->rank + int64_t(i) * part_->ranks) % n;
        mine[i] = all[size_t(at < 0 ? at + n : at)];  // Before the rest of a divided order.
    }
    return mine;
}

int64_t ShuffleOrderSampler::divide_rest(int64_t taken) {
    CATENA_ASSERT(part_, "asked only of samplers with a part");
    const int64_t ranks = part_->ranks, left = part_->examples - taken;
    const int64_t each = std::max<int64_t>(1, (left + (part_->drop_last ? 0 : ranks - 1)) / ranks);
    const int64_t position = size_of(*part_) - each;
    shift_ = taken - position * ranks;
    return position;
}

std::vector<int64_t> ShuffleOrderSampler::operator()(const std::vector<int64_t>& order, int64_t) {
    if (part_) {
        if (draws_ == 0 && int64_t(order.size()) != part_->examples)
            fail<ValueError>(
                "ShuffleOrderSampler: the dataset has {} examples, the sampler was made for {}",
                order.size(), part_->examples);
        ++draws_;
        shift_ = 0;
        return present_part();
    }
    std::vector<int64_t> shuffled;
    shuffled.reserve(order.size());
    for (int64_t i : permutation(int64_t(order.size()), stream_, draws_++))
        shuffled.push_back(order[size_t(i)]);
    return shuffled;
}

}  // namespace catena
