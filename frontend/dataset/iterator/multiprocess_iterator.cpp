#include "frontend/dataset/iterator/multiprocess_iterator.h"

#include <algorithm>
#include <thread>

#include "frontend/dataset/iterator/worker_processes.h"
#include "frontend/serializer/serializer.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

constexpr size_t usual_bytes = size_t(4) << 20;  // Unwritten pages take no memory.

}  // namespace

MultiprocessIterator::MultiprocessIterator(Dataset dataset, int64_t batch_size,
                                           IteratorOptions options, MultiprocessOptions processes)
    : dataset_(std::move(dataset)),
      processes_(processes),
      order_(dataset_.size(), batch_size, std::move(options)) {
    if (processes_.n_processes < 0 || processes_.n_prefetch < 0 || processes_.maxtasksperchild < 0)
        fail<ValueError>(
            "MultiprocessIterator: n_processes is {}, n_prefetch {}, maxtasksperchild {}; none of "
            "them "
            "can be negative",
            processes_.n_processes, processes_.n_prefetch, processes_.maxtasksperchild);
    if (processes_.n_processes == 0)
        processes_.n_processes = std::max(1, int(std::thread::hardware_concurrency()));
}

MultiprocessIterator::~MultiprocessIterator() = default;

/// Starts reading one more batch, if there is one.
void MultiprocessIterator::prefetch() {
    BatchOrder order = ahead_.empty() ? order_ : ahead_.back().order;
    const BatchOrder before = order;
    std::optional<std::vector<int64_t>> indices = order.next();
    if (!indices) return;
    if (!workers_)
        workers_ = Owned<WorkerProcesses>(new WorkerProcesses(
            dataset_,
            WorkerOptions{.processes = processes_.n_processes,
                          .tasks_at_once = order.batch_size() * (processes_.n_prefetch + 1),
                          .bytes_per_example = processes_.shared_mem.value_or(usual_bytes),
                          .timeout = processes_.dataset_timeout,
                          .tasks_per_process = processes_.maxtasksperchild}));
    std::vector<WorkerProcesses::Task> tasks;
    for (size_t k = 0; k < indices->size(); ++k)
        tasks.push_back({(*indices)[k], before.seed_of(int64_t(k))});
    workers_->start(tasks);
    ahead_.push_back({std::move(order), tasks.size()});
}

std::optional<std::vector<Example>> MultiprocessIterator::next() try {
    try {
        return next_of_workers();
    } catch (...) {
        MultiprocessIterator::finalize();  // The next call starts again with this batch.
        throw;
    }
} catch (const std::bad_alloc&) {
    throw_out_of_memory("MultiprocessIterator", "next");
}

std::optional<std::vector<Example>> MultiprocessIterator::next_of_workers() {
    if (ahead_.empty()) prefetch();
    if (ahead_.empty()) return std::nullopt;
    while (int(ahead_.size()) <= processes_.n_prefetch) {
        const size_t before = ahead_.size();
        prefetch();
        if (ahead_.size() == before) break;
    }
    std::vector<Example> examples = workers_->collect(ahead_.front().examples);
    if (processes_.n_prefetch > 0) prefetch();
    order_ =
        std::move(ahead_.front().order);  // Last: after an error it is the order before this batch.
    ahead_.erase(ahead_.begin());
    return examples;
}

void MultiprocessIterator::drop_prefetched() {
    ahead_.clear();
    if (!workers_ || workers_->pending() == 0) return;
    try {
        workers_->collect(size_t(workers_->pending()));
    } catch (...) {
        workers_.reset();  // An error of an example that is no longer needed.
    }
}

void MultiprocessIterator::reset() {
    drop_prefetched();
    order_.reset();
}

void MultiprocessIterator::finalize() {
    ahead_.clear();
    workers_.reset();
}

void MultiprocessIterator::serialize(const Serializer& s) {
    order_.serialize(s);
    if (s.loading()) s.later([this] { drop_prefetched(); });
}

}  // namespace catena
