#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace catena::program {

/// The pieces of a launch while threads work on them. Each thread goes through its own from the
/// first to the last, and takes others' from their ends when its own are done: estimates are wrong,
/// and somebody else may want a processor.
class SharedPieces {
public:
    /// `until`: by thread, how many pieces are its own or those of threads before it. Only while no
    /// thread works on them.
    void begin(std::span<const int64_t> until);

    /// The next piece for thread `thread`, or -1 when all are taken. From any thread.
    int64_t take(int thread);

private:
    /// Pieces [first, last) that nobody has taken, as one number, so that owner and others agree.
    struct alignas(64) Left {  // A cache line each.
        std::atomic<uint64_t> first_and_last{0};
        int64_t take(bool from_the_end);
    };
    std::unique_ptr<Left[]> left_;
    int count_ = 0, capacity_ = 0;
};

}  // namespace catena::program
