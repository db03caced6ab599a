#include "runtime/program/memory_planner.h"

#include <algorithm>
#include <numeric>

namespace catena::program {

namespace {

bool meet(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

/// The smallest gap of at least `bytes` between the buffers in `placed` (by offset) that `buffer` meets.
int64_t best_gap(std::span<const Lifetime> buffers, const std::vector<int64_t>& offsets,
                 std::span<const int> placed, const Lifetime& buffer, int64_t bytes, int64_t alignment) {
    int64_t best = -1, best_size = 0, end = 0;
    for (int other : placed) {
        if (!meet(buffers[other], buffer)) continue;
        int64_t gap = offsets[other] - end;
        if (gap >= bytes && (best < 0 || gap < best_size)) best = end, best_size = gap;
        int64_t other_end = offsets[other] + buffers[other].bytes;
        end = std::max(end, (other_end + alignment - 1) / alignment * alignment);
    }
    return best >= 0 ? best : end;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> buffers, int64_t alignment) {
    MemoryPlan plan;
    plan.offsets.resize(buffers.size());
    std::vector<int> order(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    // In order of size, not of birth: large buffers placed late leave holes that nothing else fits.
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return buffers[a].bytes > buffers[b].bytes; });
    std::vector<int> placed;  // By offset.
    for (int i : order) {
        if (buffers[i].bytes == 0) continue;
        plan.offsets[i] = best_gap(buffers, plan.offsets, placed, buffers[i], buffers[i].bytes, alignment);
        plan.bytes = std::max(plan.bytes, plan.offsets[i] + buffers[i].bytes);
        auto after = [&](int64_t offset, int other) { return offset < plan.offsets[other]; };
        placed.insert(std::upper_bound(placed.begin(), placed.end(), plan.offsets[i], after), i);
    }
    return plan;
}

}  // namespace catena::program
