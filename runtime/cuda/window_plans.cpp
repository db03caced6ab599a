#include "runtime/cuda/window_plans.h"

#ifdef CATENA_HAS_CUDNN

#include <fmt/format.h>

namespace catena::cuda {

WindowPlans::Choice& WindowPlans::find(LibraryRole role, const Operands& operands, const Attributes& attributes,
                                       const std::function<size_t()>& most_workspace) {
    std::string key = fmt::format("{}", int(role));
    for (const Array& x : operands)
        key += fmt::format(" {} {} {}", to_string(x.type()), to_string(x.strides()), alignment_of(x));
    for (const Attributes::Entry& entry : attributes.entries())
        key += fmt::format(" {}={}", entry.name, to_string(entry.value));
    auto known = choices_.find(key);
    if (known == choices_.end())
        known = choices_.emplace(key, restore_or_make(key, role, operands, attributes, most_workspace())).first;
    return known->second;
}

WindowPlans::Choice WindowPlans::restore_or_make(const std::string& key, LibraryRole role, const Operands& operands,
                                                 const Attributes& attributes, size_t most_workspace) const {
    if (store_.find)
        if (const std::optional<std::string> text = store_.find(key))
            if (std::optional<Plan> plan = Plan::from_text(*text, source_); plan && plan->workspace() <= most_workspace)
                return {.plan = std::move(plan), .most_workspace = most_workspace};
    Choice choice = make(role, operands, attributes, most_workspace);
    forget_cudnn_warnings();  // Of each engine that was tried.
    if (choice.plan && choice.plan->is_compiled() && store_.keep) store_.keep(key, choice.plan->text());
    return choice;
}

WindowPlans::Choice WindowPlans::make(LibraryRole role, const Operands& operands, const Attributes& attributes,
                                      size_t most_workspace) const {
    Choice choice{.most_workspace = most_workspace};
    try {
        choice.plan = Plan::find(is_window_role(role) ? window_operation(role, operands, attributes)
                                                      : normalization_operation(role, operands),
                                 source_, EngineRules::of(operands[0].dtype(), most_workspace), &choice.skipped_workspace);
    } catch (const CudnnError& error) {
        if (!error.refused()) throw;
    }
    return choice;
}

}  // namespace catena::cuda

#endif
