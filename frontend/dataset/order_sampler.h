#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

/// The part of every epoch that one of several ranks takes: examples rank, rank + ranks, ... of the
/// order of all of them.
struct OrderPart {
    /// The number of examples that all ranks divide among themselves.
    int64_t examples = 0;
    int rank = 0;   ///< The number of the rank whose part it is, from 0.
    int ranks = 1;  ///< The number of ranks.
    /// Whether the rest of examples / ranks is left out; false: the first ones of the order fill it
    /// up. Either way all ranks take equally many.
    bool drop_last = false;
};

/// An OrderSampler that shuffles the current order with a seed.
class ShuffleOrderSampler {
public:
    /// Shuffles with random numbers of this seed.
    explicit ShuffleOrderSampler(int64_t seed) : stream_{uint64_t(seed), 0} {}
    /// A sampler of which each epoch is this part of a new order of all examples. The orders depend
    /// on the seed and on the number of the epoch, so ranks with one seed take different examples
    /// of each epoch. ValueError for a rank that is none of the ranks, and for a part without
    /// examples.
    ShuffleOrderSampler(int64_t seed, OrderPart part);
    /// The next epoch's order: the present one, shuffled, or the part of a new one. `position` is
    /// not used. ValueError if it begins with a dataset of another size than the part's.
    std::vector<int64_t> operator()(const std::vector<int64_t>& order, int64_t position);
    /// Number of orders that the sampler has given.
    int64_t draws() const { return draws_; }
    /// Sets how many orders have been drawn, as when a training is resumed.
    void set_draws(int64_t draws) { draws_ = draws; }
    /// The part that it gives of every order, so that the order of an epoch follows from seed,
    /// draws() and shift(); null: it gives whole orders.
    const OrderPart* part() const { return part_ ? &*part_ : nullptr; }
    /// The part of the latest order; only for a sampler that has a part.
    std::vector<int64_t> present_part() const;
    /// Example i of the part is number shift() + rank + i * ranks of the latest order: 0, unless
    /// its rest was divided anew.
    int64_t shift() const { return shift_; }
    /// Sets the shift of the latest order, as when a training is resumed.
    void set_shift(int64_t shift) { shift_ = shift; }
    /// Divides the rest of the latest order, of which other numbers of ranks have given the first
    /// `taken` examples: the part begins with it at the position that is returned, at which the
    /// epoch has as many examples left as they have, shared out. Fewer than `ranks` of the order's
    /// first ones fill it up. With drop_last as many are left out instead, unless no rank would
    /// have any.
    int64_t divide_rest(int64_t taken);
    /// The seed.
    int64_t seed() const { return int64_t(stream_.seed); }
    /// Sets the seed, as when a training is resumed.
    void set_seed(int64_t seed) { stream_.seed = uint64_t(seed); }

private:
    RandomStream stream_;
    int64_t draws_ = 0, shift_ = 0;
    std::optional<OrderPart> part_;
};

}  // namespace catena
