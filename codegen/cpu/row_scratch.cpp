#include "codegen/cpu/row_scratch.h"

#include <functional>

namespace catena::codegen::cpu {

namespace {

/// Values that cost less are recomputed instead of stored and loaded.
constexpr double worth_storing = 10;

}  // namespace

std::vector<bool> RowScratch::known_at(int stage) const {
    std::vector<bool> known(slot.size(), false);
    for (size_t v = 0; v < slot.size(); ++v) known[v] = slot[v] >= 0 && from[v] < stage;
    return known;
}

RowScratch no_row_scratch(const Kernel& kernel) {
    const size_t n = kernel.values.size();
    return {.slot = std::vector<int>(n, -1), .from = std::vector<int>(n, -1)};
}

RowScratch find_row_scratch(const Kernel& kernel, const LoopNest& nest) {
    const size_t n = kernel.values.size();
    RowScratch scratch = no_row_scratch(kernel);
    if (!nest.lanes_reduced || nest.reduced_dims.size() != 1) return scratch;
    std::vector<int> first(n, -1);  // The first stage that computes a value.
    for (int stage = 0; stage <= nest.dependence().last_stage(); ++stage) {
        std::vector<bool> visited(n, false);
        // From the results towards the inputs: the last value that qualifies saves the most.
        std::function<void(int)> visit = [&](int v) {
            const KernelValue& value = kernel.values[size_t(v)];
            const bool in_loop =
                nest.level(v) == nest.level_last && value.kind != KernelValue::Kind::reduction;
            if (visited[size_t(v)] || !in_loop) return;
            visited[size_t(v)] = true;
            const bool again = first[size_t(v)] >= 0 && first[size_t(v)] < stage;
            if (scratch.slot[size_t(v)] >= 0 && again) return;
            if (again && value.type != Register::truth && nest.cost_of(v) >= worth_storing) {
                scratch.slot[size_t(v)] = scratch.slots++;
                scratch.from[size_t(v)] = first[size_t(v)];
                return;
            }
            if (first[size_t(v)] < 0) first[size_t(v)] = stage;
            for (int arg : value.args) visit(arg);
        };
        for (int r : nest.dependence().reductions_of(stage))
            visit(kernel.values[size_t(r)].args[0]);
        for (int o : nest.dependence().full_outputs_of(stage))
            visit(kernel.stores[size_t(o)].value);
    }
    return scratch;
}

}  // namespace catena::codegen::cpu
