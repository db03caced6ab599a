#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "frontend/dataset/order_sampler.h"

namespace catena {

class Serializer;

/// Options of an iterator: how it goes through its dataset.
struct IteratorOptions {
    /// Whether it goes on with the next epoch; the last batch is then filled from it.
    bool repeat = true;
    /// Whether every epoch has a new order, determined by the seed (see set_seed).
    bool shuffle = true;
    OrderSampler order_sampler = {};  ///< A function that gives the orders, instead of shuffling.
};

/// Selects the examples of the next mini-batch and tracks the position in the epochs. It shuffles
/// with its own random stream, seeded at construction: other random numbers and prefetching do not
/// influence it.
class BatchOrder {
public:
    /// Starts at the first epoch. ValueError unless both numbers are positive; a dataset that does
    /// not repeat may be empty.
    BatchOrder(int64_t size, int64_t batch_size, IteratorOptions options);
    /// The indices of the next mini-batch's examples; none when the only epoch is over.
    std::optional<std::vector<int64_t>> next();
    /// Begins again at the first epoch, in another order.
    void reset();

    /// The number of examples in a mini-batch; without `repeat` the last one may have fewer.
    int64_t batch_size() const { return batch_size_; }
    /// Whether an epoch follows the last one.
    bool repeat() const { return options_.repeat; }
    /// Number of completed epochs.
    int64_t epoch() const { return epoch_; }
    /// Whether the last batch completed an epoch.
    bool is_new_epoch() const { return is_new_epoch_; }
    /// The position in epochs: 1.5 when half of the second epoch is done.
    double epoch_detail() const { return detail(epoch_, position_); }
    /// epoch_detail() before the last batch; none before the first.
    std::optional<double> previous_epoch_detail() const;
    /// The number of examples of the present epoch that have been given.
    int64_t position() const { return position_; }
    /// Number of examples in an epoch.
    int64_t size() const { return size_; }
    /// Whether each epoch has an order of its own.
    bool shuffles() const { return options_.shuffle || options_.order_sampler; }
    /// The seed of the random numbers that the dataset draws for the k-th example of the next
    /// batch: it depends on the iterator's stream and the example's position, not on who reads it.
    int64_t seed_of(int64_t k) const;

    /// Saves or loads the position under Chainer's keys, and what Chainer does not save:
    /// "random_state", the stream of later shuffles, and "sampler_draws" of a ShuffleOrderSampler.
    /// Of one that gives a rank's part of each order "sampler_seed" and "sampler_part", too, from
    /// which each rank finds its own part, also in a file of another rank and of another number of
    /// them: these divide what is left of the epoch. "size" is the number of examples in an epoch;
    /// where the file is one of another number of ranks (BeginAnewScope) and the size
    /// differs, the epoch begins anew.
    void serialize(const Serializer& s);

private:
    double detail(int64_t epoch, int64_t position) const;
    void renew_order(int64_t position);
    void save(const Serializer& s);
    int64_t saved_size(const Serializer& s);
    void begin_epoch(const Serializer& s);
    void note_place();
    void load(const Serializer& s);
    void load_stream(const Serializer& s);
    void load_order(const Serializer& s);
    void load_part(const Serializer& s, ShuffleOrderSampler& sampler);
    void check_position(const Serializer& s) const;
    ShuffleOrderSampler* shuffle_sampler() {
        return options_.order_sampler.target<ShuffleOrderSampler>();
    }
    int64_t size_, batch_size_;
    int64_t dataset_size_;  ///< A sampler may give orders of fewer examples, or of more.
    IteratorOptions options_;
    RandomStream stream_;
    int64_t draws_ = 0;
    std::shared_ptr<const std::vector<int64_t>> order_;  ///< The present order; null: 0, 1, 2, ...
    int64_t position_ = 0, epoch_ = 0;
    bool is_new_epoch_ = false;
    double previous_epoch_detail_ = -1;
};

}  // namespace catena
