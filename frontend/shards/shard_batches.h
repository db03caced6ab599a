#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/shards/shard_stream.h"
#include "runtime/core/memory/owned.h"

namespace catena {

/// Options of ShardBatches.
struct ShardBatchesOptions {
    ShardOrder order = {};
    bool repeat = true;      ///< Whether an epoch follows the last one, also within a batch.
    int64_t epoch_size = 0;  ///< The samples of an epoch; 0: an epoch is a pass over the shards.
    int n_threads = 1;       ///< Threads that transform samples.
    int n_prefetch = 2;      ///< Batches that are read ahead.
};

/// Where batches of samples are: what a snapshot holds.
struct ShardProgress {
    ShardPlace place;
    int64_t epoch = 0;     ///< The number of complete epochs.
    int64_t position = 0;  ///< The number of samples given in this epoch.
    bool is_new_epoch = false;
    double epoch_detail = 0, previous_epoch_detail = -1;
    /// Whether a reset() has left out the rest of a pass, so that the place does not follow from
    /// the number of samples.
    bool cut = false;
};

/// A batch: the samples, or the examples that they were transformed to.
struct ShardBatch {
    std::vector<ShardSample> samples;
    std::vector<Example> examples;
    int64_t first = 0;  ///< The number of its first sample among all that the rank has been given.
};

/// The seed of the random numbers that a transform draws for a sample: it depends on the sample's
/// number among all that the rank is given, not on the thread.
int64_t seed_of_sample(const ShardOrder& order, int64_t number);

/// A function of a sample, called by several threads at once.
using ShardTransform = std::function<Example(const ShardSample& sample)>;

/// Batches of the samples of a ShardStream. A thread reads them ahead, others transform them; at
/// any time there are no more samples than the window, the batches that are read ahead, the one
/// that is being read and the one that was given last.
class ShardBatches {
public:
    /// An iterator over batches, whose elements are samples where there is no transform. No file is
    /// opened, and no thread started yet.
    ShardBatches(std::vector<std::string> paths, int64_t batch_size, ShardBatchesOptions options,
                 ShardTransform transform = {});
    ~ShardBatches();
    /// The next batch; none when the epoch is over and is not repeated. An error leaves the
    /// progress as it was, and the next call reads the same batch again.
    std::optional<ShardBatch> next();
    /// Begins the next epoch as the first one: in another order.
    void reset();
    /// Ends the threads; next() starts them again.
    void stop();
    const ShardProgress& progress() const { return progress_; }
    /// Continues at a place, with the orders of this seed, of ranks that have begun with this rest.
    void go_to(ShardProgress progress, int64_t seed, ShardRest rest);
    /// Where this rank is when another one with the same options, this seed and this rest is at
    /// `other`: behind as many samples, or passes where an epoch is one. The samples of its shards
    /// are counted for it; FileError if they cannot be.
    ShardPlace place_beside(const ShardPlace& other, int64_t seed, const ShardRest& rest) const;
    int64_t batch_size() const { return batch_size_; }
    const ShardBatchesOptions& options() const { return options_; }
    const std::vector<std::string>& paths() const { return paths_; }

private:
    class Workers;
    std::vector<std::string> paths_;
    int64_t batch_size_;
    ShardBatchesOptions options_;
    ShardTransform transform_;
    ShardProgress progress_;  ///< The progress behind the batch that was given last.
    Owned<Workers> workers_;
};

}  // namespace catena
