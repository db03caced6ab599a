#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace catena::capture {

/// Counts how many of a region's calls are new: they take a path or sizes that no call had before,
/// so that following and compiling them costs time and gains none. While most are new, calls run as
/// eager code, for longer and longer; in between some are followed, to see whether calls repeat by
/// now.
class Repetition {
public:
    /// Whether this call should run as eager code.
    bool rests() {
        if (resting_.load(std::memory_order_relaxed) <= 0) return false;
        return resting_.fetch_sub(1, std::memory_order_relaxed) > 0;
    }
    /// Counts a followed call; by one thread at a time. Returns for how many calls the region will
    /// now run as eager code.
    int64_t followed(bool is_new) {
        share_ += (double(is_new) - share_) / remembered;
        if (share_ < 0.25) pause_ = shortest;
        if (share_ < 0.75) return 0;
        share_ = 0.5;
        resting_ = pause_;
        return std::exchange(pause_, std::min(2 * pause_, longest));
    }

private:
    /// The number of latest calls over which the share is averaged.
    static constexpr double remembered = 64;
    static constexpr int64_t shortest = 64, longest = 4096;
    std::atomic<int64_t> resting_ = 0;
    double share_ = 0;  ///< The share of new calls among the latest.
    int64_t pause_ = shortest;
};

}  // namespace catena::capture
