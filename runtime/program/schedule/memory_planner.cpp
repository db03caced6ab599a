#include "runtime/program/schedule/memory_planner.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace catena::program {

namespace {

int64_t aligned(int64_t bytes, int64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

/// A placed buffer.
struct Placed {
    int first, last;
    int64_t offset, end;  ///< The end is aligned.
};

/// The smallest gap of at least `bytes` between the `placed` buffers (by offset) live at the same
/// time as `buffer`.
int64_t best_gap(const std::vector<Placed>& placed, const Lifetime& buffer, int64_t alignment) {
    int64_t best = -1, best_size = 0, end = 0;
    for (const Placed& other : placed) {
        if (other.first > buffer.last || buffer.first > other.last) continue;
        const int64_t gap = other.offset - end;
        if (gap >= buffer.bytes && (best < 0 || gap < best_size)) {
            best = end, best_size = gap;
            if (gap < buffer.bytes + alignment) break;  // None is smaller.
        }
        end = std::max(end, other.end);
    }
    return best >= 0 ? best : end;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> buffers, int64_t alignment, int cut) {
    MemoryPlan plan;
    auto is_kept = [&](int i) { return buffers[i].first < cut && buffers[i].last >= cut; };
    plan.offsets.resize(buffers.size());
    std::vector<int> order(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    // In order of size, not of time: large buffers placed late leave gaps that nothing else fits.
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return buffers[a].bytes > buffers[b].bytes; });
    std::vector<Placed>
        placed;  // By offset, side by side in memory: all of it is read for each buffer.
    auto insert = [&](const Placed& buffer) {
        auto after = [](int64_t offset, const Placed& other) { return offset < other.offset; };
        placed.insert(std::upper_bound(placed.begin(), placed.end(), buffer.offset, after), buffer);
    };
    auto place = [&](int i) {
        const Lifetime& buffer = buffers[i];
        if (buffer.bytes == 0) return;
        const int64_t offset = plan.offsets[i] = best_gap(placed, buffer, alignment);
        plan.bytes = std::max(plan.bytes, offset + buffer.bytes);
        insert({buffer.first, buffer.last, offset, aligned(offset + buffer.bytes, alignment)});
    };
    if (cut >= 0) {
        for (int i : order)
            if (is_kept(i)) place(i);
        plan.kept_bytes = plan.bytes = aligned(plan.bytes, alignment);
        // Where they end, everything does.
        insert({std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), plan.kept_bytes,
                plan.kept_bytes});
    }
    for (int i : order)
        if (!is_kept(i)) place(i);
    return plan;
}

}  // namespace catena::program
