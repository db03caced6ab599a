#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/dataset/iterator/batch_order.h"
#include "frontend/dataset/iterator/iterator.h"
#include "runtime/core/memory/owned.h"

namespace catena {

/// Options of a MultiprocessIterator.
struct MultiprocessOptions {
    int n_processes = 0;  ///< Number of worker processes; 0: as many as there are processors.
    int n_prefetch = 1;   ///< Number of batches that are read ahead.
    /// Bytes of shared memory per example, default 4 MiB; larger examples are slower.
    std::optional<size_t> shared_mem = {};
    double dataset_timeout = 30;  ///< Seconds after which a slow example gives a warning, once.
    /// Number of examples after which a process is replaced; 0: never.
    int64_t maxtasksperchild = 0;
};

/// An iterator like SerialIterator, in the same order, whose worker processes read the next
/// mini-batches in the background: for datasets whose get_example is not thread-safe. The first
/// next() forks them, so they see the dataset as it was then; examples are returned through shared
/// memory, on the host. An error in a worker is rethrown by the next() that needs the example, and
/// the death of a worker is an Error; the next() after it starts other workers with the same batch.
///
/// Random numbers in get_example depend on the seed, the epoch and the example's position in it,
/// not on the number of processes. Forked processes have one thread and must not use a GPU; with
/// MPI, take the first batch before the communicator is created.
class MultiprocessIterator : public Iterator {
public:
    /// An iterator over the dataset in mini-batches; ValueError for a batch size below 1. No
    /// process is forked yet.
    MultiprocessIterator(Dataset dataset, int64_t batch_size, IteratorOptions options = {},
                         MultiprocessOptions processes = {});
    MultiprocessIterator(Dataset dataset, int64_t batch_size, MultiprocessOptions processes)
        : MultiprocessIterator(std::move(dataset), batch_size, IteratorOptions(), processes) {}
    ~MultiprocessIterator() override;
    std::optional<std::vector<Example>> next() override;
    void reset() override;
    /// Stops the processes.
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
    struct Ahead {
        BatchOrder order;  ///< The position after this batch.
        size_t examples;
    };
    std::optional<std::vector<Example>> next_of_workers();
    void prefetch();
    void drop_prefetched();
    Dataset dataset_;
    MultiprocessOptions processes_;
    BatchOrder order_;  ///< The position after the batch returned last.
    std::vector<Ahead> ahead_;
    Owned<class WorkerProcesses> workers_;
};

}  // namespace catena
