#include "frontend/shards/divide_rest.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace catena {
namespace {

/// What is left of a rank's shards of a pass, in their order; pieces may have nothing.
std::vector<ShardPiece> left_of(ShardStream& rank, int64_t pass) {
    const ShardPlace& place = rank.place();
    std::vector<ShardPiece> pieces = rank.shards_of(pass);
    if (place.pass < pass || (place.pass == pass && place.given == 0)) return pieces;
    if (place.pass > pass) return {};
    for (size_t i = 0; i < pieces.size() && int64_t(i) <= place.shard; ++i) {
        ShardPiece& piece = pieces[i];
        const int64_t read = int64_t(i) < place.shard ? rank.count_of(piece.shard) : place.sample;
        std::erase_if(piece.loose, [&](int64_t sample) { return sample < read; });
        piece.begin = std::max(piece.begin, read);
        for (const auto& [shard, sample] : place.window)
            if (shard == piece.shard) piece.loose.push_back(sample);
        std::ranges::sort(piece.loose);
    }
    return pieces;
}

/// The pieces of all ranks in their common order; those that were begun come first, so that they
/// and the whole shards are each shared out evenly.
std::vector<ShardPiece> left_of_all(std::deque<ShardStream>& ranks, int64_t pass) {
    std::vector<std::vector<ShardPiece>> each;
    size_t most = 0;
    for (ShardStream& rank : ranks)
        most = std::max(most, each.emplace_back(left_of(rank, pass)).size());
    std::vector<ShardPiece> begun, whole;
    for (size_t i = 0; i < most; ++i)
        for (size_t r = 0; r < ranks.size(); ++r) {
            if (i >= each[r].size()) continue;
            ShardPiece& piece = each[r][i];
            if (piece.begin == 0)
                whole.push_back(std::move(piece));
            else if (!piece.loose.empty() || piece.begin < ranks[r].count_of(piece.shard))
                begun.push_back(std::move(piece));
        }
    begun.insert(begun.end(), whole.begin(), whole.end());
    return begun;
}

}  // namespace

ShardRest rest_behind(const std::vector<std::string>& paths, ShardOrder order, int64_t total) {
    std::deque<ShardStream> ranks;
    ShardRest rest{.pass = 0, .total = total, .passes = {}};
    // Of later passes these ranks may not have been given all samples themselves.
    int64_t last = order.rest.pass + int64_t(order.rest.passes.size()) - 1;
    for (order.rank = 0; order.rank < order.ranks; ++order.rank) {
        ShardStream& rank = ranks.emplace_back(paths, order);
        if (order.rank > 0) rank.know_counts_of(ranks[ranks.size() - 2]);
        rank.go_behind(total);
        const int64_t pass = rank.place().pass;
        rest.pass = order.rank == 0 ? pass : std::min(rest.pass, pass);
        last = std::max(last, pass);
    }
    for (int64_t pass = rest.pass; pass <= last; ++pass)
        rest.passes.push_back(left_of_all(ranks, pass));
    return rest;
}

}  // namespace catena
