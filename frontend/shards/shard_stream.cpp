#include "frontend/shards/shard_stream.h"

#include <algorithm>
#include <numeric>

#include "frontend/dataset/order_sampler.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

// Two streams of random numbers of one seed: orders of shards, which are the same on every rank,
// and draws from the window of each rank.
constexpr uint64_t orders_of_shards = 0;
constexpr uint64_t draws_of_rank_0 = 1;

}  // namespace

bool ShardPiece::has(int64_t sample) const {
    return sample >= begin || std::ranges::binary_search(loose, sample);
}

ShardStream::ShardStream(std::vector<std::string> paths, ShardOrder order)
    : paths_(std::move(paths)), order_(order) {
    if (order_.ranks < 1 || order_.rank < 0 || order_.rank >= order_.ranks)
        fail<ValueError>("shards: there is no rank {} of {}", order_.rank, order_.ranks);
    if (order_.window < 1)
        fail<ValueError>("shards: a window of {} samples; it should be 1 or more", order_.window);
    if (paths_.empty()) fail<ValueError>("shards: there are no paths");
    place_ = beginning();
    begin_pass();
}

ShardPlace ShardStream::beginning() const {
    return {.pass = order_.rest.pass, .total = order_.rest.total, .window = {}};
}

std::vector<ShardPiece> ShardStream::shards_of(int64_t pass) const {
    std::vector<ShardPiece> mine;
    if (order_.rest.has(pass)) {
        const std::vector<ShardPiece>& all = order_.rest.passes[size_t(pass - order_.rest.pass)];
        for (size_t i = size_t(order_.rank); i < all.size(); i += size_t(order_.ranks))
            mine.push_back(all[i]);
        return mine;
    }
    const int64_t count = int64_t(paths_.size());
    std::vector<int64_t> all(paths_.size());
    if (order_.shuffle)
        all = permutation(count, {uint64_t(order_.seed), orders_of_shards}, pass);
    else
        std::iota(all.begin(), all.end(), 0);
    for (int64_t i = order_.rank; i < count; i += order_.ranks)
        mine.push_back({.shard = all[size_t(i)]});
    return mine;
}

/// Of the rest of a pass there may be nothing for this rank.
void ShardStream::begin_pass() {
    while ((mine_ = shards_of(place_.pass)).empty() && order_.rest.has(place_.pass)) ++place_.pass;
}

double ShardStream::fraction() const { return double(place_.shard) / double(mine_.size() + 1); }

size_t ShardStream::draw(size_t window) const {
    if (!order_.shuffle) return 0;
    const RandomStream draws{uint64_t(order_.seed), draws_of_rank_0 + uint64_t(order_.rank)};
    const auto words = draws.words(uint64_t(place_.total));
    const uint64_t bits = uint64_t(words[0]) << 32 | words[1];
    return size_t((unsigned __int128)(bits)*window >> 64);
}

bool ShardStream::read_one() {
    while (place_.shard < int64_t(mine_.size())) {
        const ShardPiece& piece = mine_[size_t(place_.shard)];
        const int64_t shard = piece.shard;
        if (!reader_) {
            reader_.emplace(paths_[size_t(shard)]);
            while (reader_->position() < place_.sample)
                if (!reader_->skip())
                    fail<FileError>("{}: has {} samples, {} were read before: it is another file",
                                    paths_[size_t(shard)], reader_->position(), place_.sample);
        }
        while (!piece.has(reader_->position()) && reader_->skip()) {
        }
        if (std::optional<ShardSample> sample = reader_->next()) {
            place_.window.emplace_back(shard, sample->index);
            samples_.push_back(std::move(*sample));
            place_.sample = reader_->position();
            return true;
        }
        counts_[shard] = reader_->position();
        if (reader_->position() < piece.begin)
            fail<FileError>("{}: has {} samples, {} were read before: it is another file",
                            paths_[size_t(shard)], reader_->position(), piece.begin);
        reader_.reset();
        place_.sample = 0;
        ++place_.shard;
    }
    return false;
}

int64_t ShardStream::count_of(int64_t shard) {
    if (!counts_.contains(shard)) counts_[shard] = count_samples(paths_[size_t(shard)]);
    return counts_[shard];
}

bool ShardStream::count_one() {
    while (place_.shard < int64_t(mine_.size())) {
        const ShardPiece& piece = mine_[size_t(place_.shard)];
        const int64_t count = count_of(piece.shard);
        while (place_.sample < count && !piece.has(place_.sample)) ++place_.sample;
        if (place_.sample < count) {
            place_.window.emplace_back(piece.shard, place_.sample++);
            return true;
        }
        place_.sample = 0;
        ++place_.shard;
    }
    return false;
}

int64_t ShardStream::count_pass() {
    int64_t samples = 0;
    for (const ShardPiece& piece : mine_)
        samples +=
            std::max<int64_t>(count_of(piece.shard) - piece.begin, 0) + int64_t(piece.loose.size());
    return samples;
}

/// Fills the window. Without shuffling nothing is drawn, and one sample ahead tells the end of a
/// pass.
void ShardStream::fill() {
    const size_t size = order_.shuffle ? size_t(order_.window) : 1;
    while (place_.window.size() < size && read_one()) {
    }
}

void ShardStream::refill() {
    if (!stale_) return;
    std::vector<ShardSample> samples(place_.window.size());
    std::map<int64_t, std::map<int64_t, size_t>> wanted;  // Of each shard the samples, in order.
    for (size_t i = 0; i < place_.window.size(); ++i)
        wanted[place_.window[i].first][place_.window[i].second] = i;
    for (const auto& [shard, places] : wanted) {
        ShardReader reader(paths_[size_t(shard)]);
        for (const auto& [number, place] : places) {
            while (reader.position() < number && reader.skip()) {
            }
            std::optional<ShardSample> sample = reader.next();
            if (!sample)
                fail<FileError>("{}: has {} samples, number {} was read before: it is another file",
                                paths_[size_t(shard)], reader.position(), number);
            samples[place] = std::move(*sample);
        }
    }
    samples_ = std::move(samples);
    stale_ = false;
}

bool ShardStream::at_end_of_pass() {
    refill();
    fill();
    return place_.window.empty();
}

std::optional<ShardSample> ShardStream::next() {
    if (at_end_of_pass()) return std::nullopt;
    const size_t k = draw(samples_.size());
    ShardSample sample = std::move(samples_[k]);
    samples_[k] = std::move(samples_.back());
    samples_.pop_back();
    place_.window[k] = place_.window.back();
    place_.window.pop_back();
    ++place_.given;
    ++place_.total;
    return sample;
}

void ShardStream::next_pass() {
    place_ = {.pass = place_.pass + 1, .total = place_.total, .window = {}};
    samples_.clear();
    stale_ = false;
    reader_.reset();
    begin_pass();
}

void ShardStream::go_to(ShardPlace place) {
    place_ = std::move(place);
    samples_.clear();
    stale_ = true;
    reader_.reset();
    begin_pass();
}

void ShardStream::go_to_pass(int64_t pass) {
    go_to(beginning());
    while (place_.pass < pass) {
        place_.total += count_pass();
        next_pass();
    }
}

void ShardStream::go_behind(int64_t total) {
    go_to(beginning());
    while (true) {
        const int64_t samples = count_pass();
        if (samples == 0 && !order_.rest.has(place_.pass))
            fail<FileError>("shards: the shards of rank {} have no samples", order_.rank);
        if (place_.total + samples > total) break;
        place_.total += samples;
        next_pass();
    }
    const size_t size = order_.shuffle ? size_t(order_.window) : 1;
    while (true) {
        while (place_.window.size() < size && count_one()) {
        }
        if (place_.total >= total) break;
        const size_t k = draw(place_.window.size());
        place_.window[k] = place_.window.back();
        place_.window.pop_back();
        ++place_.given;
        ++place_.total;
    }
    stale_ = true;
}

}  // namespace catena
