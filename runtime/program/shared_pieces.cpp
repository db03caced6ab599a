#include "runtime/program/shared_pieces.h"

#include <algorithm>

namespace catena::program {

void SharedPieces::divide(std::span<const double> cost_until, int threads) {
    if (threads > capacity_) {
        ranges_ = std::make_unique<Range[]>(size_t(threads));
        capacity_ = threads;
    }
    count_ = threads;
    int64_t begin = 0;
    for (int t = 0; t < threads; ++t) {
        // A piece belongs to the thread in whose share its middle lies: the first that ends behind the share may lie mostly in it.
        const double share = cost_until.empty() ? 0 : cost_until.back() * (t + 1) / threads;
        int64_t end = std::ranges::upper_bound(cost_until, share) - cost_until.begin();
        if (end < int64_t(cost_until.size())) {
            const double before = end > 0 ? cost_until[size_t(end - 1)] : 0;
            if ((before + cost_until[size_t(end)]) / 2 <= share) ++end;
        }
        end = t + 1 == threads ? int64_t(cost_until.size()) : std::max(end, begin);
        ranges_[size_t(t)].next.store(begin, std::memory_order_relaxed);
        ranges_[size_t(t)].end = end;
        begin = end;
    }
}

int64_t SharedPieces::take(int thread) {
    for (int t = 0; t < count_; ++t) {
        Range& range = ranges_[size_t((thread + t) % count_)];
        if (range.next.load(std::memory_order_relaxed) >= range.end) continue;
        const int64_t piece = range.next.fetch_add(1, std::memory_order_relaxed);
        if (piece < range.end) return piece;
    }
    return -1;
}

}  // namespace catena::program
