#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/profile/profile_scope.h"

/// Records what a process spends its time on: a slice for each launch of a compiled program, each
/// compilation and its stages, each call of a region. Off unless CATENA_PROFILE names a file, which
/// is written when the process exits, or a ProfileScope is alive.
namespace catena::profile {

using Clock = std::chrono::steady_clock;

/// The description of a slice. Kept until the process ends.
struct Label {
    std::string name;      ///< The user's functions: "relu, add".
    std::string category;  ///< The kind of work: "library call", "kernels", "compile".
    std::string place;     ///< The user's line, "model.cpp:12"; may be empty.
    double bytes_read = 0, bytes_written = 0;
    double operations = 0;  ///< Floating-point operations, of a product or convolution.
};

/// An interval of one thread's time. Two slices of one lane do not overlap unless one contains the
/// other.
struct Slice {
    const Label* label = nullptr;
    int64_t begin = 0, end = 0;  ///< Nanoseconds since recording began.
};

/// A thread with its slices, in order of their end.
struct LaneContent {
    int number = 0;           ///< The lane's number, in order of the threads' first slices.
    bool is_of_pool = false;  ///< True if the thread has only run parts of launches.
    std::vector<Slice> slices;
};
struct Content {
    std::vector<LaneContent> lanes;
    /// How many slices were dropped because there were more than most_slices.
    int64_t dropped = 0;
};

/// The largest number of slices that are stored; later ones are only counted.
constexpr int64_t most_slices = int64_t(1) << 21;

namespace detail {
enum State : int { unread = -1, off = 0 };
/// The source of the recording: `unread` until CATENA_PROFILE has been read, else what keeps
/// recording on.
extern std::atomic<int> state;
bool read_environment();
}  // namespace detail

/// Whether slices are recorded. ValueError when CATENA_PROFILE names a file in a folder that does
/// not exist.
inline bool is_on() {
    const int state = detail::state.load(std::memory_order_relaxed);
    if (state == detail::off) [[likely]]
        return false;
    return state > 0 || detail::read_environment();
}

/// A number that grows with every outermost ProfileScope that begins without CATENA_PROFILE: counts
/// from earlier generations are void.
int64_t generation();

/// Stores a label for the life of the process; equal labels are stored once.
const Label* keep(Label label);

/// Records a slice of this thread, if recording is on. `in_pool`: it is a part of a launch, see
/// LaneContent.
void add(const Label* label, Clock::time_point begin, Clock::time_point end, bool in_pool = false);
inline void add(Label label, Clock::time_point begin, Clock::time_point end) {
    if (is_on()) add(keep(std::move(label)), begin, end);
}

/// A copy of all slices; other threads may go on recording.
Content content();

/// Records the time from its construction to its destruction.
class Span {
public:
    Span(const char* category, std::string_view name, const SourceLoc& at = {}) {
        if (is_on()) begin(category, name, at);
    }
    ~Span() {
        if (label_) add(label_, begin_, Clock::now());
    }
    Span(const Span&) = delete;

private:
    void begin(const char* category, std::string_view name, const SourceLoc& at);
    const Label* label_ = nullptr;
    Clock::time_point begin_;
};

}  // namespace catena::profile
