#include "frontend/shards/shard_iterator.h"

#include <array>

#include "frontend/parallel/agreement.h"
#include "frontend/parallel/scatter_dataset.h"
#include "frontend/shards/shard_state.h"
#include "runtime/comm/communicator.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/random/seed.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

ShardBatchesOptions batches_options(const std::vector<std::string>& paths, int64_t batch_size,
                                    const ShardIteratorOptions& options) {
    ShardBatchesOptions made{.order = {.shuffle = options.shuffle,
                                       .window = options.window,
                                       .rank = options.rank,
                                       .ranks = options.ranks},
                             .repeat = options.repeat,
                             .epoch_size = options.epoch_size,
                             .n_threads = options.n_threads,
                             .n_prefetch = options.n_prefetch};
    if (Communicator* ranks = options.communicator) {
        agree(*ranks, "ShardIterator",
              {fmt::format("{} shards", paths.size()),
               fmt::format("shards whose names have the hash {:x}", uint64_t(names_hash(paths))),
               fmt::format("batches of {}, window {}, shuffle {}, repeat {}, epoch_size {}",
                           batch_size, options.window, options.shuffle, options.repeat,
                           options.epoch_size)});
        made.order.rank = ranks->rank();
        made.order.ranks = ranks->size();
        made.order.seed = agreed_seed(*ranks, options.seed);
    } else {
        const auto drawn = options.seed ? std::array<uint32_t, 4>{} : next_host_stream().words(0);
        made.order.seed =
            options.seed ? *options.seed : int64_t((uint64_t(drawn[0]) << 32 | drawn[1]) >> 1);
    }
    return made;
}

ShardBatches batches_of(std::vector<std::string> paths, int64_t batch_size,
                        ShardTransform transform, const ShardIteratorOptions& options) try {
    const ShardBatchesOptions made = batches_options(paths, batch_size, options);
    if (!transform) transform = example_of;
    return {std::move(paths), batch_size, made, std::move(transform)};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("ShardIterator");
}

}  // namespace

ShardIterator::ShardIterator(const std::string& pattern, int64_t batch_size,
                             ShardTransform transform, const ShardIteratorOptions& options)
    : batches_(batches_of(expand_shards(pattern), batch_size, std::move(transform), options)) {}

ShardIterator::ShardIterator(const std::vector<std::string>& patterns, int64_t batch_size,
                             ShardTransform transform, const ShardIteratorOptions& options)
    : batches_(batches_of(expand_shards(patterns), batch_size, std::move(transform), options)) {}

ShardIterator::ShardIterator(std::initializer_list<std::string> patterns, int64_t batch_size,
                             ShardTransform transform, const ShardIteratorOptions& options)
    : ShardIterator(std::vector<std::string>(patterns), batch_size, std::move(transform), options) {
}

std::optional<std::vector<Example>> ShardIterator::next() {
    std::optional<ShardBatch> batch = batches_.next();
    if (!batch) return std::nullopt;
    return std::move(batch->examples);
}

void ShardIterator::serialize(const Serializer& s) { serialize_shards(batches_, s); }

std::optional<double> ShardIterator::previous_epoch_detail() const {
    const double detail = batches_.progress().previous_epoch_detail;
    if (detail < 0) return std::nullopt;
    return detail;
}

}  // namespace catena
