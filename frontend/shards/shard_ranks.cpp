#include "frontend/shards/shard_ranks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/serializer/begin_anew.h"
#include "frontend/serializer/serializer.h"
#include "frontend/shards/divide_rest.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// The place in an epoch of another size that is as far from its beginning.
int64_t scaled_position(const SavedShards& saved, int64_t epoch_size) {
    const ShardProgress& progress = saved.progress;
    if (epoch_size == 0) return progress.position * saved.order.ranks;
    const double part = progress.epoch_detail - double(progress.epoch);
    const int64_t position =
        saved.epoch_size > 0
            ? int64_t((__int128)(progress.position) * epoch_size / saved.epoch_size)
            : int64_t(std::clamp(part, 0.0, 1.0) * double(epoch_size));
    return std::clamp<int64_t>(position, 0, epoch_size - 1);
}

}  // namespace

void save_rest(const ShardRest& rest, const Serializer& s) {
    std::vector<int64_t> begin{rest.pass, rest.total, int64_t(rest.passes.size())}, pieces, loose;
    int64_t piece_number = 0;
    for (size_t pass = 0; pass < rest.passes.size(); ++pass)
        for (const ShardPiece& piece : rest.passes[pass]) {
            pieces.insert(pieces.end(), {int64_t(pass), piece.shard, piece.begin});
            for (const int64_t sample : piece.loose)
                loose.insert(loose.end(), {piece_number, sample});
            ++piece_number;
        }
    s("rest_begin", begin);
    s("rest_pieces", pieces);
    s("rest_loose", loose);
}

ShardRest loaded_rest(const Serializer& s, int64_t shards) {
    if (!s.has("rest_begin")) return {};
    const std::vector<int64_t> nothing{0, 0, 0},
        begin = s.get("rest_begin", nothing), pieces = s.get("rest_pieces", std::vector<int64_t>()),
        loose = s.get("rest_loose", std::vector<int64_t>());
    const int64_t count = int64_t(pieces.size()) / 3;
    constexpr int64_t most_passes = 1'000'000;
    if (begin.size() != 3 || std::ranges::min(begin) < 0 || begin[2] > most_passes)
        s.wrong("rest_begin", "is not where ranks can have begun");
    if (pieces.size() % 3 != 0 || loose.size() % 2 != 0)
        s.wrong("rest_pieces",
                fmt::format("has {} numbers, 'rest_loose' {}; threes and pairs are right",
                            pieces.size(), loose.size()));
    ShardRest rest{.pass = begin[0], .total = begin[1], .passes = {}};
    rest.passes.resize(size_t(begin[2]));
    std::vector<std::pair<int64_t, size_t>> places;
    for (size_t i = 0; i < pieces.size(); i += 3) {
        const int64_t pass = pieces[i], shard = pieces[i + 1], from = pieces[i + 2];
        if (pass < 0 || pass >= begin[2] || shard < 0 || shard >= shards || from < 0)
            s.wrong(
                "rest_pieces",
                fmt::format("has shard {} from sample {} in pass {}; there are {} and {}", shard,
                            from, pass, counted(shards, "shard"), counted(begin[2], "pass")));
        std::vector<ShardPiece>& all = rest.passes[size_t(pass)];
        places.emplace_back(pass, all.size());
        all.push_back({.shard = shard, .begin = from});
    }
    for (size_t i = 0; i < loose.size(); i += 2) {
        const int64_t number = loose[i], sample = loose[i + 1];
        if (number < 0 || number >= count)
            s.wrong("rest_loose", fmt::format("has piece {} of {}", number, count));
        const auto [pass, place] = places[size_t(number)];
        ShardPiece& piece = rest.passes[size_t(pass)][place];
        if (sample < 0 || sample >= piece.begin ||
            (!piece.loose.empty() && sample <= piece.loose.back()))
            s.wrong("rest_loose", fmt::format("has sample {} of a shard that is left from {} on",
                                              sample, piece.begin));
        piece.loose.push_back(sample);
    }
    return rest;
}

void go_on_by_other_ranks(const ShardBatches& batches, const Serializer& s, SavedShards& saved) {
    ShardProgress& progress = saved.progress;
    const int64_t epoch_size = batches.options().epoch_size;
    const bool by_passes = saved.epoch_size == 0 && saved.order.ranks > 1;
    if (!by_passes && saved.order.ranks > int64_t(batches.paths().size()))
        s.wrong("ranks", fmt::format("has {} for {}", counted(saved.order.ranks, "rank"),
                                     counted(int64_t(batches.paths().size()), "shard")));
    const bool is_known = !progress.cut && (!by_passes || progress.place.given == 0);
    ShardRest rest{.pass = progress.place.pass, .total = progress.place.total, .passes = {}};
    if (is_known && !by_passes) {
        rest = rest_behind(batches.paths(), saved.order, progress.place.total);
        if (begins_anew())
            note_beginning("an iterator shares out the samples that were left of its shards");
    } else if (!is_known) {
        const char* problem =
            "what was left of the shards does not follow from one rank's file, because a pass was "
            "not read to its end";
        if (!begins_anew())
            s.wrong("ranks", fmt::format("is that of a training by {}, this one has {}: {}",
                                         counted(saved.order.ranks, "rank"),
                                         batches.options().order.ranks, problem));
        note_beginning(fmt::format("an iterator begins a new pass over its shards: {}", problem));
        ++rest.pass;
    }
    progress.position = is_known || epoch_size > 0 ? scaled_position(saved, epoch_size) : 0;
    progress.cut = false;
    progress.place = {.pass = rest.pass, .total = rest.total, .window = {}};
    if (epoch_size > 0)
        progress.epoch_detail =
            double(progress.epoch) + double(progress.position) / double(epoch_size);
    saved.order.rest = std::move(rest);
}

}  // namespace catena
