#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace catena::program {

/// The pieces of a launch while threads work on them. Each thread begins with neighbouring pieces of about the same cost as the
/// others', and takes from the others when its own are done: estimates are wrong, and somebody else may want a processor.
class SharedPieces {
public:
    /// Divides as many pieces as `cost_until` has numbers, the sums of their costs up to and including each, among `threads`.
    /// Only while no thread works on them.
    void divide(std::span<const double> cost_until, int threads);

    /// The next piece for thread `thread`, or -1 when all are taken. From any thread.
    int64_t take(int thread);

private:
    struct alignas(64) Range {  // A cache line each.
        std::atomic<int64_t> next{0};
        int64_t end = 0;
    };
    std::unique_ptr<Range[]> ranges_;
    int count_ = 0, capacity_ = 0;
};

}  // namespace catena::program
