#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace catena::capture {

/// How many of a region's calls are new: of paths or sizes that none had before, so that to follow
/// and to compile them costs time and brings none. While most are, calls run as eager code, for
/// longer and longer; in between some are followed, to see whether they repeat.
class Repetition {
public:
    /// True: this call is to run as eager code.
    bool rests() {
        if (resting_.load(std::memory_order_relaxed) <= 0) return false;
        return resting_.fetch_sub(1, std::memory_order_relaxed) > 0;
    }
    /// After a followed call, by one thread at a time. Returns for how many calls the region rests
    /// now.
    int64_t followed(bool is_new) {
        share_ += (double(is_new) - share_) / remembered;
        if (share_ < 0.25) pause_ = shortest;
        if (share_ < 0.75) return 0;
        share_ = 0.5;
        resting_ = pause_;
        return std::exchange(pause_, std::min(2 * pause_, longest));
    }

private:
    static constexpr double remembered = 64;  ///< Calls.
    static constexpr int64_t shortest = 64, longest = 4096;
    std::atomic<int64_t> resting_ = 0;
    double share_ = 0;  ///< Of new ones among the latest.
    int64_t pause_ = shortest;
};

}  // namespace catena::capture
