#include "frontend/dataset/iterator/multithread_iterator.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "frontend/serializer/serializer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/parallel/start_thread.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"

namespace catena {

/// Threads that read one batch at a time; each takes the next unread example.
class MultithreadIterator::Workers {
public:
    Workers(const Dataset& dataset, const BatchOrder& order, int n_threads)
        : dataset_(dataset), order_(order) {
        threads_.reserve(size_t(n_threads));  // Nothing fails between a thread and its place.
        try {
            for (int k = 0; k < n_threads; ++k)
                threads_.push_back(start_thread("MultithreadIterator", [this] { work(); }));
        } catch (...) {
            end();
            throw;
        }
    }
    ~Workers() { end(); }

    /// Starts a batch; `order` is that before it.
    void start(std::vector<int64_t> indices, const BatchOrder& order) {
        std::vector<Example> examples(indices.size());
        std::lock_guard lock(mutex_);
        order_ = order;
        indices_ = std::move(indices);
        examples_ = std::move(examples);
        taken_ = done_ = 0;
        error_ = nullptr;
        wake_.notify_all();
    }
    std::vector<Example> wait() {
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [&] { return done_ == indices_.size(); });
        if (error_) std::rethrow_exception(error_);
        return std::move(examples_);
    }

private:
    void end() {
        {
            std::lock_guard lock(mutex_);
            ending_ = true;
            taken_ = indices_.size();
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, [&] { return ending_ || taken_ < indices_.size(); });
            if (ending_) return;
            size_t k = taken_++;
            lock.unlock();
            Example example;
            std::exception_ptr error;
            try {
                seed(k);
                example = dataset_[indices_[k]];
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            examples_[k] = std::move(example);
            if (error && !error_) error_ = error;
            if (++done_ == indices_.size()) finished_.notify_all();
        }
    }

    /// Seeds this thread's random numbers for the k-th example.
    void seed(size_t k) const {
        const DeviceScope host(cpu_device());
        set_seed(order_.seed_of(int64_t(k)));
    }

    const Dataset& dataset_;
    std::mutex mutex_;
    std::condition_variable wake_, finished_;
    std::vector<int64_t> indices_;
    BatchOrder order_;
    std::vector<Example> examples_;
    size_t taken_ = 0, done_ = 0;
    std::exception_ptr error_;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

MultithreadIterator::MultithreadIterator(Dataset dataset, int64_t batch_size,
                                         IteratorOptions options, int n_threads)
    : dataset_(std::move(dataset)),
      order_(dataset_.size(), batch_size, std::move(options)),
      ahead_(order_),
      n_threads_(n_threads) {
    if (n_threads <= 0)
        fail<ValueError>("MultithreadIterator: {} threads; at least one is needed", n_threads);
}

MultithreadIterator::MultithreadIterator(Dataset dataset, int64_t batch_size,
                                         IteratorOptions options, MultithreadOptions threads)
    : MultithreadIterator(std::move(dataset), batch_size, std::move(options), threads.n_threads) {}
MultithreadIterator::MultithreadIterator(Dataset dataset, int64_t batch_size,
                                         MultithreadOptions threads)
    : MultithreadIterator(std::move(dataset), batch_size, IteratorOptions(), threads.n_threads) {}

MultithreadIterator::~MultithreadIterator() = default;

void MultithreadIterator::prefetch(const BatchOrder& before) {
    ahead_ = before;
    std::optional<std::vector<int64_t>> indices = ahead_.next();
    if (!indices) return;
    if (!workers_) workers_ = Owned<Workers>(new Workers(dataset_, before, n_threads_));
    workers_->start(std::move(*indices), before);
    prefetched_ = true;
}

void MultithreadIterator::drop_prefetched() {
    if (!prefetched_) return;
    prefetched_ = false;
    try {
        workers_->wait();
    } catch (...) {
        // An error of an example that is no longer needed.
    }
}

std::optional<std::vector<Example>> MultithreadIterator::next() try {
    if (!prefetched_) prefetch(order_);
    if (!prefetched_) return std::nullopt;
    prefetched_ = false;
    std::vector<Example> examples = workers_->wait();
    BatchOrder after = ahead_;
    prefetch(after);
    order_ = std::move(after);  // Last: after an error the next call gives this batch.
    return examples;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("MultithreadIterator", "next");
}

void MultithreadIterator::reset() {
    drop_prefetched();
    order_.reset();
}

void MultithreadIterator::finalize() {
    drop_prefetched();
    workers_.reset();
}

void MultithreadIterator::serialize(const Serializer& s) {
    order_.serialize(s);
    if (s.loading()) s.later([this] { drop_prefetched(); });
}

}  // namespace catena
