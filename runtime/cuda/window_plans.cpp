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
    if (known == plans_.end()) known = plans_.emplace(key, restore_or_make(key, role, operands, attributes)).first;
    return known->second ? &*known->second : nullptr;
}

std::optional<Plan> WindowPlans::restore_or_make(const std::string& key, LibraryRole role, const Operands& operands,
                                                 const Attributes& attributes) const {
    if (store_.find)
        if (const std::optional<std::string> text = store_.find(key))
            if (std::optional<Plan> plan = Plan::from_text(*text, source_)) return plan;
    std::optional<Plan> plan = make(role, operands, attributes);
    forget_cudnn_warnings();  // Of each engine that was tried.
    if (plan && plan->is_compiled() && store_.keep) store_.keep(key, plan->text());
    return plan;
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
