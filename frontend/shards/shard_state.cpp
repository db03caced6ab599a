#include "frontend/shards/shard_state.h"

#include <set>
#include <utility>

#include "frontend/serializer/serializer.h"
#include "frontend/shards/shard_batches.h"
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

/// Whether the file is of another rank with the same options. FileError where it does not fit.
bool is_of_another_rank(const Serializer& s, const ShardBatches& batches,
                        const ShardProgress& loaded) {
    const ShardOrder& order = batches.options().order;
    const std::vector<int64_t> ranks =
        s.get("ranks", std::vector<int64_t>{order.rank, order.ranks});
    if (ranks.size() != 2 || ranks[1] != order.ranks)
        s.wrong("ranks",
                fmt::format("is that of a training by {} ranks, this one has {}: the ranks "
                            "divide the shards otherwise",
                            ranks.size() == 2 ? ranks[1] : 0, order.ranks));
    if (ranks[0] == order.rank) return false;
    const std::vector<int64_t> mine{order.shuffle, order.window, batches.options().epoch_size};
    if (s.get("order", mine) != mine || loaded.cut ||
        (batches.options().epoch_size == 0 && loaded.place.given > 0))
        s.wrong("ranks", fmt::format("is rank {}'s, and the place of rank {} does not follow from "
                                     "it: the options differ, or a pass was not read to its end",
                                     ranks[0], order.rank));
    return true;
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
    const ShardOrder& order = batches.options().order;
    const int64_t shards = int64_t(batches.paths().size());
    std::vector<int64_t> list{shards, names_hash(batches.paths())};
    int64_t seed = order.seed;
    ShardProgress progress = batches.progress();
    if (!s.loading()) {
        std::vector<int64_t> of, numbers, ranks{order.rank, order.ranks},
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
        return;
    }
    if (const auto saved = s.get("shards", list); saved != list)
        s.wrong("shards",
                fmt::format("is of a list of {} shards{}; here are {}, the first is {}",
                            saved.empty() ? 0 : saved[0],
                            !saved.empty() && saved[0] == shards ? " with other names" : "", shards,
                            batches.paths()[0]));
    progress = {
        .place = loaded_place(s, shards),
        .epoch = s.get("epoch", progress.epoch),
        .position = s.get("current_position", progress.position),
        .is_new_epoch = s.get("is_new_epoch", progress.is_new_epoch),
        .epoch_detail = s.get("epoch_detail", progress.epoch_detail),
        .previous_epoch_detail = s.get("previous_epoch_detail", progress.previous_epoch_detail),
        .cut = s.get("cut", false)};
    seed = s.get("seed", seed);
    if (is_of_another_rank(s, batches, progress))
        progress.place = batches.place_beside(progress.place, seed);
    s.later([&batches, seed, progress = std::move(progress)] { batches.go_to(progress, seed); });
}

}  // namespace catena
