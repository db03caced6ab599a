#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

class Device;
class Iterator;
class Serializer;

/// A C++ iterator over the mini-batches of an Iterator, for range-based `for`.
class BatchCursor {
public:
    /// Begins at the first mini-batch, which is read at once.
    explicit BatchCursor(Iterator& iterator);
    /// The present mini-batch.
    Batch& operator*() { return *batch_; }
    /// Reads the next mini-batch.
    BatchCursor& operator++();
    /// Whether the only epoch is over.
    bool operator==(std::default_sentinel_t) const { return !batch_; }

private:
    Iterator* iterator_;
    std::optional<Batch> batch_;  ///< The present batch; none at the end.
};

/// Base of iterators, which give the mini-batches of a dataset, epoch after epoch.
class Iterator {
public:
    virtual ~Iterator() = default;
    /// The examples of the next mini-batch; nothing when the only epoch is over. An error of the
    /// dataset leaves the iterator (and a snapshot of it) unchanged, so the next call reads the
    /// same batch again.
    virtual std::optional<std::vector<Example>> next() = 0;
    /// The next mini-batch, stacked by concat_examples, on `device` (null: on that of the
    /// examples): `while (auto batch = it.next_batch()) step((*batch)[0], (*batch)[1]);`
    std::optional<Batch> next_batch(Device* device = nullptr);
    /// The batches of next_batch() to the end of the only epoch, or without an end:
    /// `for (auto& batch : iterator) step(batch[0], batch[1]);`
    BatchCursor begin() { return BatchCursor(*this); }
    /// The end of the only epoch.
    std::default_sentinel_t end() const { return {}; }
    /// Restarts at the first epoch, in another order.
    virtual void reset() = 0;
    /// Stops threads; next() starts them again.
    virtual void finalize() {}

    /// The number of examples in a mini-batch.
    virtual int64_t batch_size() const = 0;
    /// Whether an epoch follows the last one.
    virtual bool repeat() const = 0;
    /// Number of completed epochs.
    virtual int64_t epoch() const = 0;
    /// Whether the last batch completed an epoch.
    virtual bool is_new_epoch() const = 0;
    /// The position in epochs: 1.5 when half of the second epoch is done.
    virtual double epoch_detail() const = 0;
    /// The value of epoch_detail() before the last batch; none before the first.
    virtual std::optional<double> previous_epoch_detail() const = 0;
    /// The number of examples of the present epoch that have been given.
    virtual int64_t current_position() const = 0;
    /// Number of examples in an epoch, by which triggers count epochs exactly. 0: not known, and
    /// they go by epoch_detail().
    virtual int64_t examples_per_epoch() const { return 0; }
    /// Whether each epoch has an order of its own, so that an Evaluator saves the order.
    virtual bool shuffles() const { return false; }

    /// Saves or loads the position, the order and the random numbers.
    virtual void serialize(const Serializer& s) = 0;
};

}  // namespace catena
