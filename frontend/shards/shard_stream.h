#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/shards/shard_reader.h"

namespace catena {

/// What is left of a shard: the samples from `begin` on, and some before it.
struct ShardPiece {
    int64_t shard = 0;  ///< As a position in the list.
    int64_t begin = 0;
    std::vector<int64_t> loose = {};  ///< Numbers of samples before `begin`, ascending.
    bool has(int64_t sample) const;
};

/// What ranks have left of the passes that they were in, for another number of ranks to divide.
/// Later passes are divided as usual.
struct ShardRest {
    int64_t pass = 0;   ///< The first pass of which anything is left.
    int64_t total = 0;  ///< The number of samples that each rank has been given before.
    /// The pieces of this pass and the next ones: each rank takes one in turn.
    std::vector<std::vector<ShardPiece>> passes = {};
    /// Whether it is one of these passes.
    bool has(int64_t number) const {
        return number >= pass && number - pass < int64_t(passes.size());
    }
};

/// In which order samples of shards come, and which of them are a rank's.
struct ShardOrder {
    bool shuffle = true;    ///< Whether shards and samples are shuffled.
    int64_t window = 1000;  ///< The number of samples among which the next one is drawn.
    int64_t seed = 0;
    int rank = 0, ranks = 1;
    ShardRest rest = {};  ///< Where these ranks have begun.
};

/// Where a stream of samples is. The samples that follow depend on nothing else.
struct ShardPlace {
    int64_t pass = 0;    ///< The number of complete passes over the shards.
    int64_t shard = 0;   ///< The number of shards of this pass that were read to their end.
    int64_t sample = 0;  ///< The number of samples that were read of the next shard.
    int64_t given = 0;   ///< The number of samples given in this pass,
    int64_t total = 0;   ///< and in all passes.
    /// The samples in the window, in its order: shard, as a position in the list, and number in it.
    std::vector<std::pair<int64_t, int64_t>> window;
};

/// The samples of a rank's shards, pass after pass. Each pass has a new order of all shards, which
/// the ranks divide among themselves; samples that were read go into a window, from which one is
/// drawn at a time. A pass gives each sample of its shards once.
class ShardStream {
public:
    /// At the beginning. Opens no file yet. ValueError for a rank that there is not, and a window
    /// below 1.
    ShardStream(std::vector<std::string> paths, ShardOrder order);
    /// The next sample; none behind the last one of a pass, which next_pass() leaves.
    std::optional<ShardSample> next();
    /// Whether next() has given the last sample of this pass.
    bool at_end_of_pass();
    /// Goes to the beginning of the next pass.
    void next_pass();
    const ShardPlace& place() const { return place_; }
    /// Goes to a place. The samples of its window are read by the next next().
    void go_to(ShardPlace place);
    /// Goes to where the stream is after `total` samples, with as many in each pass as the shards
    /// have, whose samples are counted for it.
    void go_behind(int64_t total);
    /// Goes to the beginning of a pass, with as many samples given before as the shards have.
    void go_to_pass(int64_t pass);
    /// How much of this pass was given, about: by the shards that were read, and below 1.
    double fraction() const;
    /// The shards of this rank in a pass, in the order in which they are read.
    std::vector<ShardPiece> shards_of(int64_t pass) const;
    /// The number of samples in a shard, which is counted once.
    int64_t count_of(int64_t shard);
    /// Counts no shard that the other stream has counted.
    void know_counts_of(const ShardStream& other) { counts_ = other.counts_; }
    const ShardOrder& order() const { return order_; }
    const std::vector<std::string>& paths() const { return paths_; }

private:
    /// The beginning of what these ranks divide.
    ShardPlace beginning() const;
    void begin_pass();
    /// The next sample of the shards into the window; false at their end.
    bool read_one();
    /// Passes over the sample that read_one() would read, and keeps only its place in the window.
    bool count_one();
    /// The number of samples of this rank in this pass.
    int64_t count_pass();
    /// Which sample of a window of this size is next.
    size_t draw(size_t window) const;
    void fill();
    void refill();
    std::vector<std::string> paths_;
    ShardOrder order_;
    ShardPlace place_;
    std::vector<ShardPiece> mine_;  ///< The shards of this pass.
    /// The samples of the window, unless it is to be read again.
    std::vector<ShardSample> samples_;
    bool stale_ = false;
    std::optional<ShardReader> reader_;
    std::map<int64_t, int64_t> counts_;  ///< The numbers of samples of shards, as far as known.
};

}  // namespace catena
