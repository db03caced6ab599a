#include "frontend/shards/shard_batches.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "frontend/dataset/rethrow_of.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/parallel/start_thread.h"
#include "runtime/core/random/random_stream.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

/// A batch that is being read, transformed, or waits to be taken.
struct Ahead {
    ShardBatch batch;
    ShardProgress after;
    size_t taken = 0, transformed = 0;
    std::exception_ptr error;
    bool is_end = false;  ///< True where there is no batch any more.
};

}  // namespace

class ShardBatches::Workers {
public:
    Workers(const ShardBatches& of)
        : batch_size_(of.batch_size_),
          options_(of.options_),
          transform_(of.transform_),
          stream_(of.paths_, of.options_.order),
          read_(of.progress_) {
        stream_.go_to(read_.place);
        const int transforming = transform_ ? options_.n_threads : 0;
        threads_.reserve(size_t(transforming) +
                         1);  // Nothing fails between a thread and its place.
        try {
            threads_.push_back(start_thread("ShardIterator", [this] { read(); }));
            for (int k = 0; k < transforming; ++k)
                threads_.push_back(start_thread("ShardIterator", [this] { transform(); }));
        } catch (...) {
            end();
            throw;
        }
    }
    ~Workers() { end(); }

    /// The first batch, when it is complete; rethrows its error. Null at the end.
    std::unique_ptr<Ahead> take() {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [&] {
            return (!ahead_.empty() && is_complete(*ahead_.front())) ||
                   (ahead_.empty() && failure_);
        });
        if (ahead_.empty()) std::rethrow_exception(failure_);
        if (ahead_.front()->error) std::rethrow_exception(ahead_.front()->error);
        if (ahead_.front()->is_end) return nullptr;
        std::unique_ptr<Ahead> first = std::move(ahead_.front());
        ahead_.pop_front();
        changed_.notify_all();
        return first;
    }

private:
    bool is_complete(const Ahead& ahead) const {
        return ahead.error || ahead.is_end || !transform_ ||
               ahead.transformed == ahead.batch.samples.size();
    }
    void end() {
        {
            std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    //---- the thread that reads

    void read() {
        try {
            while (read_one()) {
            }
        } catch (...) {  // There is no memory for a batch.
            std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            taken_.notify_all();
        }
    }
    /// Reads the next batch when there is room for it; false when it was the last one.
    bool read_one() {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock,
                          [&] { return ending_ || int(ahead_.size()) < options_.n_prefetch; });
            if (ending_) return false;
        }
        auto next = std::make_unique<Ahead>();
        try {
            read_batch(*next);
        } catch (...) {
            next->error = std::current_exception();
        }
        const bool was_last = next->error || next->is_end;
        std::lock_guard lock(mutex_);
        ahead_.push_back(std::move(next));
        changed_.notify_all();
        taken_.notify_all();
        return !was_last;
    }
    void read_batch(Ahead& next) {
        std::vector<ShardSample>& samples = next.batch.samples;
        next.batch.first = stream_.place().total;
        next.is_end = !options_.repeat && read_.epoch > 0;
        if (next.is_end) return;
        read_.previous_epoch_detail = read_.epoch_detail;
        read_.is_new_epoch = false;
        while (int64_t(samples.size()) < batch_size_) {
            std::optional<ShardSample> sample = stream_.next();
            if (!sample) {  // A pass without a sample.
                if (!stream_.order().rest.has(stream_.place().pass)) break;
                stream_.next_pass();
                continue;
            }
            samples.push_back(std::move(*sample));
            ++read_.position;
            const bool pass_is_over = stream_.at_end_of_pass();
            if (pass_is_over) stream_.next_pass();
            if (options_.epoch_size > 0 ? read_.position < options_.epoch_size : !pass_is_over)
                continue;
            ++read_.epoch;
            read_.position = 0;
            read_.is_new_epoch = true;
            if (!options_.repeat) break;
        }
        const bool needs_samples = options_.repeat || options_.epoch_size > 0;
        if (needs_samples && int64_t(samples.size()) < batch_size_ && !read_.is_new_epoch)
            fail<FileError>("shards: the shards of rank {} have no samples, the first of {} is {}",
                            options_.order.rank, stream_.paths().size(), stream_.paths()[0]);
        next.is_end = samples.empty();
        next.batch.examples.resize(transform_ ? samples.size() : 0);
        read_.place = stream_.place();
        read_.epoch_detail =
            double(read_.epoch) + (options_.epoch_size > 0
                                       ? double(read_.position) / double(options_.epoch_size)
                                       : stream_.fraction());
        next.after = read_;
    }

    //---- those that transform

    Example transformed(const ShardSample& sample) const {
        try {
            return transform_(sample);
        } catch (const Error&) {
            rethrow_of<ShapeError, DtypeError, DeviceError, ValueError, FileError>(
                fmt::format("ShardIterator: {}, sample {} ('{}'): ", sample.shard, sample.index,
                            printable_name(sample.key)));
        }
    }
    void transform() {
        std::unique_lock lock(mutex_);
        while (true) {
            Ahead* ahead = nullptr;
            changed_.wait(lock, [&] {
                for (size_t i = 0; i < ahead_.size() && !ahead; ++i)
                    if (!ahead_[i]->error && ahead_[i]->taken < ahead_[i]->batch.samples.size())
                        ahead = ahead_[i].get();
                return ending_ || ahead;
            });
            if (ending_) return;
            const size_t k = ahead->taken++;
            lock.unlock();
            Example example;
            std::exception_ptr error;
            try {
                const DeviceScope host(cpu_device());
                set_seed(seed_of_sample(options_.order, ahead->batch.first + int64_t(k)));
                example = transformed(ahead->batch.samples[k]);
                ahead->batch.samples[k] = {};
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            ahead->batch.examples[k] = std::move(example);
            if (error && !ahead->error) ahead->error = error;
            if (++ahead->transformed == ahead->batch.samples.size() || error) taken_.notify_all();
        }
    }

    const int64_t batch_size_;
    const ShardBatchesOptions options_;
    const ShardTransform& transform_;
    ShardStream stream_;  ///< The samples as the reading thread has them, from its next one on.
    ShardProgress read_;
    std::mutex mutex_;
    std::condition_variable changed_, taken_;
    std::deque<std::unique_ptr<Ahead>> ahead_;
    std::exception_ptr failure_;  ///< What ended the reading thread outside of a batch.
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

int64_t seed_of_sample(const ShardOrder& order, int64_t number) {
    const RandomStream stream{uint64_t(order.seed), ~uint64_t(order.rank)};
    const auto words = stream.words(uint64_t(number));
    return int64_t((uint64_t(words[0]) << 32 | words[1]) >> 1);
}

ShardBatches::ShardBatches(std::vector<std::string> paths, int64_t batch_size,
                           ShardBatchesOptions options, ShardTransform transform)
    : paths_(std::move(paths)),
      batch_size_(batch_size),
      options_(options),
      transform_(std::move(transform)) {
    if (batch_size < 1)
        fail<ValueError>("shards: the batch size must be positive, not {}", batch_size);
    if (options.n_threads < 1 || options.n_prefetch < 1)
        fail<ValueError>("shards: {} threads and {} batches ahead; at least one is needed of each",
                         options.n_threads, options.n_prefetch);
    if (options.epoch_size < 0)
        fail<ValueError>("shards: an epoch of {} samples; 0 means a pass over the shards",
                         options.epoch_size);
    const ShardStream checked(paths_, options.order);
    const bool goes_on = options.repeat || options.epoch_size > 0;
    if (goes_on && int64_t(paths_.size()) < options.order.ranks)
        fail<ValueError>("shards: {} shards for {} ranks; each rank needs one at least",
                         paths_.size(), options.order.ranks);
    if (options.repeat && options.order.ranks > 1 && options.epoch_size == 0)
        fail<ValueError>(
            "shards: the shards of {} ranks have different numbers of samples, so that their "
            "epochs "
            "would end at different batches; give epoch_size, the same on all ranks",
            options.order.ranks);
}

ShardBatches::~ShardBatches() = default;

std::optional<ShardBatch> ShardBatches::next() try {
    if (!workers_) workers_ = Owned<Workers>(new Workers(*this));
    std::unique_ptr<Ahead> ahead;
    try {
        ahead = workers_->take();
    } catch (...) {
        stop();
        throw;
    }
    if (!ahead) return std::nullopt;
    progress_ = std::move(ahead->after);
    return std::move(ahead->batch);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("ShardIterator", "next");
}

void ShardBatches::stop() { workers_.reset(); }

void ShardBatches::reset() {
    stop();
    ShardProgress begin{.place = progress_.place, .cut = progress_.cut};
    if (options_.epoch_size == 0 && begin.place.given > 0) {
        begin.place = {.pass = begin.place.pass + 1, .total = begin.place.total, .window = {}};
        begin.cut = true;
    }
    progress_ = std::move(begin);
}

void ShardBatches::go_to(ShardProgress progress, int64_t seed, ShardRest rest) {
    stop();
    options_.order.seed = seed;
    options_.order.rest = std::move(rest);
    progress_ = std::move(progress);
}

ShardPlace ShardBatches::place_beside(const ShardPlace& other, int64_t seed,
                                      const ShardRest& rest) const {
    ShardOrder order = options_.order;
    order.seed = seed;
    order.rest = rest;
    ShardStream mine(paths_, order);
    if (options_.epoch_size > 0)
        mine.go_behind(other.total);
    else  // Ranks have given different numbers of samples, but all are between the same passes.
        mine.go_to_pass(other.pass);
    return mine.place();
}

}  // namespace catena
