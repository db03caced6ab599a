#pragma once

#include <memory>
#include <utility>

#include "frontend/dataset/iterator/batch_order.h"
#include "frontend/dataset/iterator/iterator.h"
#include "runtime/core/memory/owned.h"

namespace catena {

/// Options of a MultithreadIterator.
struct MultithreadOptions {
    /// Number of threads that read examples, 1 at least.
    int n_threads = 1;
};

/// An iterator like SerialIterator, in the same order, whose threads read the next mini-batch in
/// the background. The dataset's get_example must be thread-safe. An error in a thread is rethrown
/// by the next() that needs the example; the one after it reads the batch again.
///
/// Random numbers in get_example depend on the seed, the epoch and the example's position in it, as
/// those of a MultiprocessIterator, not on the number of threads.
class MultithreadIterator : public Iterator {
public:
    /// An iterator over the dataset in mini-batches; ValueError for a batch size or a number of
    /// threads below 1.
    MultithreadIterator(Dataset dataset, int64_t batch_size, IteratorOptions options = {},
                        int n_threads = 1);
    MultithreadIterator(Dataset dataset, int64_t batch_size, IteratorOptions options,
                        MultithreadOptions threads);
    MultithreadIterator(Dataset dataset, int64_t batch_size, MultithreadOptions threads);
    ~MultithreadIterator() override;
    std::optional<std::vector<Example>> next() override;
    void reset() override;
    void finalize() override;
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
    void serialize(const Serializer& s) override;

private:
    class Workers;
    /// Starts reading the batch after `before`, if there is one.
    void prefetch(const BatchOrder& before);
    void drop_prefetched();
    Dataset dataset_;
    BatchOrder order_;  ///< The position after the batch returned last.
    BatchOrder ahead_;  ///< The position after the batch that is being read.
    bool prefetched_ = false;
    int n_threads_;
    Owned<Workers> workers_;
};

}  // namespace catena
