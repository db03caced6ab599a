#pragma once

#include "frontend/dataset/iterator/batch_order.h"
#include "frontend/dataset/iterator/iterator.h"

namespace catena {

/// An iterator that reads the examples of a mini-batch one after the other, when it is requested:
///
///     ct::SerialIterator batches({images, labels}, 128, {.repeat = false});
///     while (auto batch = batches.next_batch()) step((*batch)[0], (*batch)[1]);
///     batches.reset();
///
/// Without `repeat` the last batch of an epoch may be smaller.
class SerialIterator : public Iterator {
public:
    /// An iterator over the dataset in mini-batches; ValueError for a batch size below 1.
    SerialIterator(Dataset dataset, int64_t batch_size, IteratorOptions options = {});
    std::optional<std::vector<Example>> next() override;
    void reset() override { order_.reset(); }
    int64_t batch_size() const override { return order_.batch_size(); }
    bool repeat() const override { return order_.repeat(); }
    int64_t epoch() const override { return order_.epoch(); }
    bool is_new_epoch() const override { return order_.is_new_epoch(); }
    double epoch_detail() const override { return order_.epoch_detail(); }
    std::optional<double> previous_epoch_detail() const override {
        return order_.previous_epoch_detail();
    }
    int64_t current_position() const override { return order_.position(); }
    int64_t examples_per_epoch() const override { return order_.size(); }
    bool shuffles() const override { return order_.shuffles(); }
    void serialize(const Serializer& s) override { order_.serialize(s); }
    /// The dataset whose examples the iterator gives.
    const Dataset& dataset() const { return dataset_; }

private:
    Dataset dataset_;
    BatchOrder order_;
};

}  // namespace catena
