#include "codegen/cpu/loop_nest.h"

#include <algorithm>
#include <functional>

namespace catena::codegen::cpu {

using Kind = KernelValue::Kind;

LoopNest::LoopNest(const Kernel& kernel) : kernel_(kernel), dependence_(kernel) {
    lanes_reduced = kernel.is_reduced(kernel.inner());
    for (int dim = 0; dim <= kernel.inner(); ++dim)
        if (kernel.is_reduced(dim)) reduced_dims.push_back(dim);
    level_chunk = lanes_reduced ? -1 : level_unit + 1;
    level_first_reduced = lanes_reduced ? level_unit + 1 : level_unit + 2;
    level_last = level_first_reduced + int(reduced_dims.size()) - 1;
    find_levels();
    find_uses();
}

int LoopNest::level_of_dim(int dim) const {
    for (size_t i = 0; i < reduced_dims.size(); ++i)
        if (reduced_dims[i] == dim) return level_first_reduced + int(i);
    return dim == kernel_.inner() ? level_chunk : level_unit;
}

void LoopNest::find_levels() {
    for (int v = 0; v < int(kernel_.values.size()); ++v) {
        // A reduction is known where the loops over the reduced dimensions end.
        const int after = lanes_reduced ? level_unit : level_chunk;
        int level = dependence_.stage(v) > 0 ? after : level_kernel;
        for (int dim = 0; dim <= kernel_.inner(); ++dim)
            if (dependence_.dims(v) >> dim & 1) level = std::max(level, level_of_dim(dim));
        level_.push_back(level);
    }
}

void LoopNest::find_uses() {
    used_by_lanes_.assign(kernel_.values.size(), false);
    for (size_t v = 0; v < kernel_.values.size(); ++v)
        if (kernel_.values[v].kind == Kind::reduction || dependence_.varying(int(v)))
            for (int arg : kernel_.values[v].args) used_by_lanes_[size_t(arg)] = true;
    for (size_t o = 0; o < kernel_.outputs.size(); ++o)
        if (kernel_.outputs[o].strides[kernel_.inner()] != 0)
            used_by_lanes_[size_t(kernel_.stores[o].value)] = true;
}

double LoopNest::cost_of(int value) const {
    std::vector<bool> seen(kernel_.values.size(), false);
    std::function<double(int)> cost = [&](int v) {
        const KernelValue& at = kernel_.values[size_t(v)];
        if (seen[size_t(v)] || level(v) != level_last || at.kind == Kind::reduction) return 0.0;
        seen[size_t(v)] = true;
        double own = 1;
        if (at.kind == Kind::constant) own = 0;
        if (at.kind == Kind::instruction) own = facts_of(at.instruction).cost;
        const bool gathers =
            at.kind == Kind::load && stride_class(kernel_, kernel_.inputs[size_t(at.operand)],
                                                  kernel_.inner()) == StrideClass::general;
        if (gathers) own = 16;
        for (int arg : at.args) own += cost(arg);
        return own;
    };
    return cost(value);
}

}  // namespace catena::codegen::cpu
