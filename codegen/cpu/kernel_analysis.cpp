#include "codegen/cpu/kernel_analysis.h"

#include <algorithm>
#include <functional>

namespace catena::codegen::cpu {

namespace {

using Kind = KernelValue::Kind;

/// Values that cost less are recomputed instead of stored and loaded.
constexpr double worth_storing = 10;

}  // namespace

KernelAnalysis::KernelAnalysis(const Kernel& kernel) : kernel_(kernel) {
    inner = kernel.domain.rank() - 1;
    lanes_reduced = kernel.is_reduced(inner);
    for (int dim = 0; dim <= inner; ++dim)
        if (kernel.is_reduced(dim)) reduced_dims.push_back(dim);
    level_chunk = lanes_reduced ? -1 : level_unit + 1;
    level_first_reduced = lanes_reduced ? level_unit + 1 : level_unit + 2;
    level_last = level_first_reduced + int(reduced_dims.size()) - 1;

    size_t n = kernel.values.size();
    level.assign(n, level_kernel);
    stage.assign(n, 0);
    varying.assign(n, false);
    used_by_lanes.assign(n, false);
    for (size_t v = 0; v < n; ++v) {
        const KernelValue& value = kernel.values[v];
        if (value.kind == Kind::load) {
            level[v] = level_of_operand(value.operand);
            varying[v] = class_of(value.operand, inner) != StrideClass::zero;
        }
        for (int arg : value.args) {
            level[v] = std::max(level[v], level[arg]);
            stage[v] = std::max(stage[v], stage[arg]);
            varying[v] = varying[v] || varying[arg];
        }
        if (value.kind == Kind::reduction) {
            level[v] = lanes_reduced ? level_unit : level_chunk;
            stage[v] += 1;
            varying[v] = !lanes_reduced;
            used_by_lanes[value.args[0]] = true;
        }
        if (varying[v])
            for (int arg : value.args) used_by_lanes[arg] = true;
        last_stage = std::max(last_stage, stage[v]);
    }
    for (size_t o = 0; o < kernel.outputs.size(); ++o)
        if (class_of(int(kernel.inputs.size() + o), inner) != StrideClass::zero)
            used_by_lanes[kernel.stores[o].value] = true;
}

int KernelAnalysis::level_of_dim(int dim) const {
    for (size_t i = 0; i < reduced_dims.size(); ++i)
        if (reduced_dims[i] == dim) return level_first_reduced + int(i);
    return dim == inner ? level_chunk : level_unit;
}

int KernelAnalysis::level_of_operand(int o) const {
    int result = level_kernel;
    for (int dim = 0; dim <= inner; ++dim)
        if (class_of(o, dim) != StrideClass::zero) result = std::max(result, level_of_dim(dim));
    return result;
}

bool KernelAnalysis::is_full_output(int o) const {
    return level_of_operand(int(kernel_.inputs.size()) + o) >= level_first_reduced;
}

std::vector<int> KernelAnalysis::reductions_of(int of_stage) const {
    std::vector<int> found;
    for (size_t v = 0; v < kernel_.values.size(); ++v)
        if (kernel_.values[v].kind == Kind::reduction && stage[v] == of_stage + 1) found.push_back(int(v));
    return found;
}

std::vector<int> KernelAnalysis::full_outputs_of(int of_stage) const {
    std::vector<int> found;
    for (size_t o = 0; o < kernel_.outputs.size(); ++o)
        if (is_full_output(int(o)) && stage[kernel_.stores[o].value] == of_stage) found.push_back(int(o));
    return found;
}

std::vector<bool> KernelAnalysis::needed_by(int of_stage, const std::vector<bool>& known) const {
    std::vector<bool> needed(kernel_.values.size(), false);
    for (int r : reductions_of(of_stage)) needed[kernel_.values[r].args[0]] = true;
    for (int o : full_outputs_of(of_stage)) needed[kernel_.stores[o].value] = true;
    for (int v = int(needed.size()) - 1; v >= 0; --v)
        if (needed[v] && !known[v] && kernel_.values[v].kind != Kind::reduction)
            for (int arg : kernel_.values[v].args) needed[arg] = true;
    return needed;
}

double KernelAnalysis::cost_of(int value) const {
    std::vector<bool> seen(kernel_.values.size(), false);
    std::function<double(int)> cost = [&](int v) {
        if (seen[v] || level[v] != level_last || kernel_.values[v].kind == Kind::reduction) return 0.0;
        seen[v] = true;
        const KernelValue& at = kernel_.values[v];
        double own = 1;
        if (at.kind == Kind::constant) own = 0;
        if (at.kind == Kind::load && class_of(at.operand, inner) == StrideClass::general) own = 16;
        if (at.kind == Kind::instruction) own = facts_of(at.instruction).cost;
        for (int arg : at.args) own += cost(arg);
        return own;
    };
    return cost(value);
}

std::vector<bool> RowScratch::known_at(int stage) const {
    std::vector<bool> known(slot.size(), false);
    for (size_t v = 0; v < slot.size(); ++v) known[v] = slot[v] >= 0 && from[v] < stage;
    return known;
}

RowScratch find_row_scratch(const Kernel& kernel, const KernelAnalysis& analysis) {
    size_t n = kernel.values.size();
    RowScratch scratch{.slot = std::vector<int>(n, -1), .from = std::vector<int>(n, -1)};
    if (!analysis.lanes_reduced || analysis.reduced_dims.size() != 1) return scratch;
    std::vector<int> first(n, -1);  // The first stage that computes a value.
    for (int stage = 0; stage <= analysis.last_stage; ++stage) {
        std::vector<bool> visited(n, false);
        // From the results towards the inputs: the last value that qualifies saves the most.
        std::function<void(int)> visit = [&](int v) {
            const KernelValue& value = kernel.values[v];
            if (visited[v] || analysis.level[v] != analysis.level_last || value.kind == Kind::reduction) return;
            visited[v] = true;
            bool again = first[v] >= 0 && first[v] < stage;
            if (scratch.slot[v] >= 0 && again) return;
            if (again && value.type != Register::truth && analysis.cost_of(v) >= worth_storing) {
                scratch.slot[v] = scratch.slots++;
                scratch.from[v] = first[v];
                return;
            }
            if (first[v] < 0) first[v] = stage;
            for (int arg : value.args) visit(arg);
        };
        for (int r : analysis.reductions_of(stage)) visit(kernel.values[r].args[0]);
        for (int o : analysis.full_outputs_of(stage)) visit(kernel.stores[o].value);
    }
    return scratch;
}

}  // namespace catena::codegen::cpu
