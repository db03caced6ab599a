#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "frontend/dataset/iterator/iterator.h"
#include "frontend/shards/shard_batches.h"
#include "frontend/shards/shard_paths.h"

namespace catena {

class Communicator;

/// Options of a ShardIterator.
struct ShardIteratorOptions {
    /// Whether it goes on with the next epoch; the last batch is then filled from it.
    bool repeat = true;
    /// Whether every pass over the shards has a new order of shards and samples.
    bool shuffle = true;
    /// The number of samples that are kept in memory to draw the next one from.
    int64_t window = 1000;
    /// The seed of all orders, and of random numbers in `transform`; by default drawn from the
    /// process's random state. With a communicator it is rank 0's.
    std::optional<int64_t> seed = {};
    /// The samples of an epoch, of each rank; 0: an epoch is a pass over the shards.
    int64_t epoch_size = 0;
    int n_threads = 1;   ///< Threads that call `transform`; one more reads.
    int n_prefetch = 2;  ///< Batches that are read ahead.
    /// The ranks that divide the shards among themselves; null: `rank` and `ranks` say it.
    Communicator* communicator = nullptr;
    int rank = 0;   ///< This rank's number, without a communicator.
    int ranks = 1;  ///< The number of ranks, without a communicator.
};

/// An iterator over samples in tar shards (WebDataset's), which are read from the beginning to the
/// end and need not fit in memory:
///
///     ct::ShardIterator batches("train-{0000..0146}.tar", 64, [](const ct::ShardSample& sample) {
///         return ct::Example{ct::decode_image(sample["jpg"], sample.name("jpg")),
///                            ct::Array::scalar(int32_t(sample.integer("cls")))};
///     });
///
/// A thread reads ahead, others call the function that makes an example of a sample. Random numbers
/// in it depend on the seed and on the sample's number, not on the number of threads. Without a
/// function, an example is a dict of bytes (example_of()).
///
/// Of several ranks each reads other shards in every pass. Shards have different numbers of
/// samples, so ranks that train together need the same `epoch_size`, and then never wait for one
/// that has no batch any more. Without `repeat` an epoch is all samples of this rank once.
///
/// Before the first pass is over nobody knows how many samples there are: epoch_detail() goes by
/// shards, and without an epoch_size examples_per_epoch() is 0.
///
/// A snapshot has the names of the samples in the window, not their content; loading it reads them
/// again. Every rank can load a file of any other one: it continues behind as many samples, and
/// counts those of its shards for it. Another number of ranks divides what was left of the shards.
class ShardIterator : public Iterator {
public:
    /// An iterator over the shards that the pattern names, see expand_shards(). ValueError for
    /// options that do not fit; no file is opened yet. With a communicator all ranks make it
    /// together; ValueError on all of them if their shards or options differ.
    ShardIterator(const std::string& pattern, int64_t batch_size, ShardTransform transform = {},
                  const ShardIteratorOptions& options = {});
    ShardIterator(const std::vector<std::string>& patterns, int64_t batch_size,
                  ShardTransform transform = {}, const ShardIteratorOptions& options = {});
    ShardIterator(std::initializer_list<std::string> patterns, int64_t batch_size,
                  ShardTransform transform = {}, const ShardIteratorOptions& options = {});
    std::optional<std::vector<Example>> next() override;
    void reset() override { batches_.reset(); }
    void finalize() override { batches_.stop(); }
    int64_t batch_size() const override { return batches_.batch_size(); }
    bool repeat() const override { return batches_.options().repeat; }
    int64_t epoch() const override { return batches_.progress().epoch; }
    bool is_new_epoch() const override { return batches_.progress().is_new_epoch; }
    double epoch_detail() const override { return batches_.progress().epoch_detail; }
    std::optional<double> previous_epoch_detail() const override;
    int64_t current_position() const override { return batches_.progress().position; }
    int64_t examples_per_epoch() const override { return batches_.options().epoch_size; }
    bool shuffles() const override { return batches_.options().order.shuffle; }
    void serialize(const Serializer& s) override;

private:
    ShardBatches batches_;
};

}  // namespace catena
