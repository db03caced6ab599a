#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace nccl_double {

inline constexpr int most_ranks = 64;
inline constexpr size_t piece_bytes = 1 << 20;

/// What a rank is about to do, for the others to compare.
struct Call {
    uint64_t count;
    int32_t type, op;
};

/// Where the ranks of one communicator meet: a file that all of them map, named by the unique id.
/// It begins as zeros.
struct Meeting {
    std::atomic<int32_t> joined;
    std::atomic<int32_t> aborted;  ///< By rank aborted - 1.
    std::atomic<int64_t> arrived[most_ranks];
    Call calls[most_ranks];
    alignas(64) char pieces[most_ranks][piece_bytes];
};

std::string make_meeting_file();                ///< Its path; empty when there is none.
Meeting* map_meeting(const std::string& path);  ///< Null when it is not there.
void unmap(Meeting* meeting);

}  // namespace nccl_double
