#include "frontend/shards/shard_state.h"

#include <limits>
#include <set>
#include <utility>

#include "frontend/serializer/serializer.h"
#include "frontend/shards/shard_batches.h"
#include "frontend/shards/shard_ranks.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The place in a file; FileError for numbers that no such iterator has.
ShardPlace loaded_place(const Serializer& s, int64_t shards) {
    const auto count = [&](std::string_view key) {
        const int64_t value = s.get(key, int64_t(0));
        if (value < 0) s.wrong(key, fmt::format("is {}, not a number of things", value));
        return value;
    };
    ShardPlace place{.pass = count("pass"),
                     .shard = count("shard"),
                     .sample = count("sample"),
                     .given = count("given"),
                     .total = count("total"),
                     .window = {}};
    if (place.shard > shards)
        s.wrong("shard", fmt::format("is {}, there are {} shards", place.shard, shards));
    const std::vector<int64_t> of = s.get("window_shards", std::vector<int64_t>()),
                               numbers = s.get("window_samples", std::vector<int64_t>());
    if (of.size() != numbers.size())
        s.wrong("window_samples",
                fmt::format("has {} numbers, 'window_shards' {}", numbers.size(), of.size()));
    std::set<std::pair<int64_t, int64_t>> seen;
    for (size_t i = 0; i < of.size(); ++i) {
        if (of[i] < 0 || of[i] >= shards || numbers[i] < 0 ||
            !seen.emplace(of[i], numbers[i]).second)
            s.wrong("window_shards",
                    fmt::format("has sample {} of shard {} twice, or there is none: there are {} "
                                "shards",
                                numbers[i], of[i], shards));
        place.window.emplace_back(of[i], numbers[i]);
    }
    return place;
}

/// Where this rank goes on from another one's place. FileError where it does not follow from it.
ShardPlace place_from(const Serializer& s, const ShardBatches& batches, const SavedShards& saved) {
    const ShardOrder& order = batches.options().order;
    const int64_t epoch_size = batches.options().epoch_size;
    const bool is_alike = saved.order.shuffle == order.shuffle &&
                          saved.order.window == order.window && saved.epoch_size == epoch_size;
    if (!is_alike || saved.progress.cut || (epoch_size == 0 && saved.progress.place.given > 0))
        s.wrong("ranks", fmt::format("is rank {}'s, and the place of rank {} does not follow from "
                                     "it: the options differ, or a pass was not read to its end",
                                     saved.order.rank, order.rank));
    return batches.place_beside(saved.progress.place, saved.order.seed, saved.order.rest);
}

/// The order in a file; that of `batches` as far as the file does not say.
void load_order(const Serializer& s, const ShardBatches& batches, SavedShards& saved) {
    const ShardOrder& order = batches.options().order;
    saved.order = order;
    saved.order.rest = loaded_rest(s, int64_t(batches.paths().size()));
    saved.order.seed = s.get("seed", order.seed);
    const std::vector<int64_t> ranks =
        s.get("ranks", std::vector<int64_t>{order.rank, order.ranks});
    if (ranks.size() != 2 || ranks[0] < 0 || ranks[0] >= ranks[1] ||
        ranks[1] > std::numeric_limits<int>::max())
        s.wrong("ranks", "is no rank of a number of them");
    saved.order.rank = int(ranks[0]);
    saved.order.ranks = int(ranks[1]);
    const std::vector<int64_t> how = s.get(
        "order", std::vector<int64_t>{order.shuffle, order.window, batches.options().epoch_size});
    if (how.size() != 3 || how[1] < 1 || how[2] < 0)
        s.wrong("order", "is not shuffle, window and epoch_size");
    saved.order.shuffle = how[0] != 0;
    saved.order.window = how[1];
    saved.epoch_size = how[2];
}

void save_shards(const ShardBatches& batches, const Serializer& s) {
    const ShardOrder& order = batches.options().order;
    ShardProgress progress = batches.progress();
    int64_t seed = order.seed;
    std::vector<int64_t> of, numbers, ranks{order.rank, order.ranks},
        list{int64_t(batches.paths().size()), names_hash(batches.paths())},
        how{order.shuffle, order.window, batches.options().epoch_size};
    for (const auto& [shard, number] : progress.place.window) {
        of.push_back(shard);
        numbers.push_back(number);
    }
    s("current_position", progress.position);
    s("epoch", progress.epoch);
    s("is_new_epoch", progress.is_new_epoch);
    s("epoch_detail", progress.epoch_detail);
    s("previous_epoch_detail", progress.previous_epoch_detail);
    s("seed", seed);
    s("shards", list);
    s("ranks", ranks);
    s("order", how);
    s("cut", progress.cut);
    s("pass", progress.place.pass);
    s("shard", progress.place.shard);
    s("sample", progress.place.sample);
    s("given", progress.place.given);
    s("total", progress.place.total);
    s("window_shards", of);
    s("window_samples", numbers);
    save_rest(order.rest, s);
}

}  // namespace

// FNV-1a.
int64_t names_hash(const std::vector<std::string>& paths) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const std::string& path : paths)
        for (const char c : file_name(path) + "\n")
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return int64_t(hash);
}

void serialize_shards(ShardBatches& batches, const Serializer& s) {
    if (!s.loading()) return save_shards(batches, s);
    const int64_t shards = int64_t(batches.paths().size());
    const std::vector<int64_t> list{shards, names_hash(batches.paths())};
    if (const auto saved = s.get("shards", list); saved != list)
        s.wrong("shards",
                fmt::format("is of a list of {} shards{}; here are {}, the first is {}",
                            saved.empty() ? 0 : saved[0],
                            !saved.empty() && saved[0] == shards ? " with other names" : "", shards,
                            batches.paths()[0]));
    const ShardProgress& now = batches.progress();
    SavedShards saved{.progress = {.place = loaded_place(s, shards),
                                   .epoch = s.get("epoch", now.epoch),
                                   .position = s.get("current_position", now.position),
                                   .is_new_epoch = s.get("is_new_epoch", now.is_new_epoch),
                                   .epoch_detail = s.get("epoch_detail", now.epoch_detail),
                                   .previous_epoch_detail =
                                       s.get("previous_epoch_detail", now.previous_epoch_detail),
                                   .cut = s.get("cut", false)},
                      .order = {}};
    load_order(s, batches, saved);
    const ShardOrder& order = batches.options().order;
    if (saved.order.ranks != order.ranks)
        go_on_by_other_ranks(batches, s, saved);
    else if (saved.order.rank != order.rank)
        saved.progress.place = place_from(s, batches, saved);
    s.later([&batches, saved = std::move(saved)] {
        batches.go_to(saved.progress, saved.order.seed, saved.order.rest);
    });
}

}  // namespace catena
