#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "frontend/dataset/batch_order.h"
#include "frontend/dataset/iterator.h"

namespace catena {

struct MultiprocessOptions {
    int n_processes = 0;               ///< 0: as many as there are processors.
    int n_prefetch = 1;                ///< Batches that are read while one is used.
    std::optional<size_t> shared_mem = {}; ///< Bytes for each example, 4 MiB unless given; larger ones take longer.
    double dataset_timeout = 30;       ///< Seconds after which a slow example is complained about, once.
    int64_t maxtasksperchild = 0;      ///< A process that has read so many examples is replaced; 0: never.
};

/// As SerialIterator, in the same order, but processes of its own read the next mini-batches while this one is used:
/// for datasets whose get_example does not bear several threads. They are forked by the first next() and see the
/// dataset as it was then; examples come back by shared memory, on the host. An error there is thrown by the
/// next() that wants the example.
///
/// What get_example draws at random depends on the seed, the epoch and the place of the example in it, not on the
/// number of processes. Forked processes have one thread and must not use a GPU; with MPI, take the first batch
/// before the communicator is made.
class MultiprocessIterator : public Iterator {
public:
    MultiprocessIterator(Dataset dataset, int64_t batch_size, IteratorOptions options = {},
                         MultiprocessOptions processes = {});
    ~MultiprocessIterator() override;
    std::optional<std::vector<Example>> next() override;
    void reset() override;
    void finalize() override;  ///< Ends the processes.
    int64_t batch_size() const override { return order_.batch_size(); }
    bool repeat() const override { return order_.repeat(); }
    int64_t epoch() const override { return order_.epoch(); }
    bool is_new_epoch() const override { return order_.is_new_epoch(); }
    double epoch_detail() const override { return order_.epoch_detail(); }
    std::optional<double> previous_epoch_detail() const override { return order_.previous_epoch_detail(); }
    int64_t current_position() const override { return order_.position(); }
    void serialize(const Serializer& s) override;

private:
    struct Ahead {
        BatchOrder order;  ///< After this batch.
        size_t examples;
    };
    void prefetch();
    void drop_prefetched();
    Dataset dataset_;
    MultiprocessOptions processes_;
    BatchOrder order_;  ///< Of the batch given last.
    std::deque<Ahead> ahead_;
    std::unique_ptr<class WorkerProcesses> workers_;
};

}  // namespace catena
