#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace nccl_double {

inline constexpr int most_ranks = 16;
inline constexpr size_t piece_bytes = 1 << 20;
inline constexpr size_t channel_bytes = 1 << 16;

enum class Kind : int32_t { all_reduce, reduce_scatter, all_gather, broadcast };

/// What a rank is about to do with all others, for them to compare.
struct Call {
    Kind kind;
    int32_t root;  ///< -1: it has none.
    uint64_t count;
    int32_t type, op;
    bool operator==(const Call&) const = default;
};

/// From one rank to another: a message's header, then its bytes, a part at a time.
struct Channel {
    std::atomic<int32_t> has_header, has_part;
    uint64_t count;
    int32_t type;
    alignas(64) char part[channel_bytes];
};

/// Where the ranks of one communicator meet: a file that all of them map, named by the unique id.
/// It begins as zeros, and has no memory where nobody has written.
struct Meeting {
    std::atomic<int32_t> joined;
    std::atomic<int32_t> aborted;  ///< By rank aborted - 1.
    std::atomic<int64_t> arrived[most_ranks];
    Call calls[most_ranks];
    alignas(64) char pieces[most_ranks][piece_bytes];
    Channel channels[most_ranks][most_ranks];  ///< From and to.
};

std::string make_meeting_file();                ///< Its path; empty when there is none.
Meeting* map_meeting(const std::string& path);  ///< Null when it is not there.
void unmap(Meeting* meeting);

}  // namespace nccl_double
