#include "runtime/cuda/window_plans.h"

#ifdef CATENA_HAS_CUDNN

#include <fmt/format.h>

namespace catena::cuda {

const Plan* WindowPlans::find(LibraryRole role, const Operands& operands, const Attributes& attributes) {
    std::string key = fmt::format("{}", int(role));
    for (const Array& x : operands)
        key += fmt::format(" {} {} {}", to_string(x.type()), to_string(x.strides()), alignment_of(x));
    for (const Attributes::Entry& entry : attributes.entries())
        key += fmt::format(" {}={}", entry.name, to_string(entry.value));
    auto known = plans_.find(key);
    if (known == plans_.end()) known = plans_.emplace(key, make(role, operands, attributes)).first;
    return known->second ? &*known->second : nullptr;
}

std::optional<Plan> WindowPlans::make(LibraryRole role, const Operands& operands, const Attributes& attributes) const {
    try {
        return Plan::find(is_window_role(role) ? window_operation(role, operands, attributes)
                                               : normalization_operation(role, operands),
                          source_, EngineRules::of(operands[0].dtype()));
    } catch (const CudnnError& error) {
        if (!error.refused()) throw;
        return std::nullopt;
    }
}

}  // namespace catena::cuda

#endif
