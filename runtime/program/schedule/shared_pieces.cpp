#include "runtime/program/schedule/shared_pieces.h"

namespace catena::program {

namespace {

uint64_t packed(uint64_t first, uint64_t last) { return first << 32 | last; }

}  // namespace

void SharedPieces::begin(std::span<const int64_t> until) {
    const int threads = int(until.size());
    if (threads > capacity_) {
        left_ = std::make_unique<Left[]>(size_t(threads));
        capacity_ = threads;
    }
    count_ = threads;
    int64_t first = 0;
    for (int t = 0; t < threads; ++t) {
        left_[size_t(t)].first_and_last.store(packed(uint64_t(first), uint64_t(until[size_t(t)])),
                                              std::memory_order_relaxed);
        first = until[size_t(t)];
    }
}

int64_t SharedPieces::Left::take(bool from_the_end) {
    uint64_t known = first_and_last.load(std::memory_order_relaxed);
    for (;;) {
        const uint64_t first = known >> 32, last = known & 0xffffffff;
        if (first >= last) return -1;
        const uint64_t rest = from_the_end ? packed(first, last - 1) : packed(first + 1, last);
        if (first_and_last.compare_exchange_weak(known, rest, std::memory_order_relaxed))
            return int64_t(from_the_end ? last - 1 : first);
    }
}

int64_t SharedPieces::take(int thread) {
    for (int t = 0; t < count_; ++t)
        if (const int64_t piece = left_[size_t((thread + t) % count_)].take(t > 0); piece >= 0)
            return piece;
    return -1;
}

}  // namespace catena::program
