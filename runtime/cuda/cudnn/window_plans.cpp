#include "runtime/cuda/cudnn/window_plans.h"

#ifdef CATENA_HAS_CUDNN

#include <fmt/format.h>

#include "runtime/core/system/hash.h"

namespace catena::cuda {

namespace {

std::vector<int64_t> numbers_of(LibraryRole role, const Operands& operands, const PlanChoice& how) {
    std::vector<int64_t> numbers{int64_t(role), int64_t(how.tf32), how.fastest_of != nullptr};
    numbers.reserve(3 + operands.size() * 13);
    for (const Array& x : operands) {
        numbers.insert(numbers.end(), {int64_t(x.dtype()), alignment_of(x), int64_t(x.rank())});
        for (int d = 0; d < x.rank(); ++d)
            numbers.insert(numbers.end(), {x.dim(d), x.strides()[d]});
    }
    return numbers;
}

/// The choice's key as text, for other processes.
std::string text_of(LibraryRole role, const Operands& operands, const Attributes& attributes,
                    const PlanChoice& how) {
    std::string text = fmt::format("{}{}{}", int(role), how.tf32 ? " tf32" : "",
                                   how.fastest_of ? " measured" : "");
    for (const Array& x : operands)
        text +=
            fmt::format(" {} {} {}", to_string(x.type()), to_string(x.strides()), alignment_of(x));
    for (const Attributes::Entry& entry : attributes.entries())
        text += fmt::format(" {}={}", entry.name, to_string(entry.value));
    return text;
}

}  // namespace

size_t WindowPlans::HashOfAsked::operator()(const Asked& asked) const {
    uint64_t hash = asked.attributes.entries()
                        .size();  // Their values seldom differ where all else is the same.
    for (int64_t number : asked.numbers) hash = mixed_hash(hash, uint64_t(number));
    return hash;
}

WindowPlans::Choice& WindowPlans::find(LibraryRole role, const Operands& operands,
                                       const Attributes& attributes, const PlanChoice& how) {
    Asked asked{numbers_of(role, operands, how), attributes};
    auto known = choices_.find(asked);
    if (known == choices_.end()) {
        Choice choice = restore_or_make(text_of(role, operands, attributes, how), role, operands,
                                        attributes, how);
        known = choices_.emplace(std::move(asked), std::move(choice)).first;
    }
    return known->second;
}

WindowPlans::Choice WindowPlans::restore_or_make(const std::string& key, LibraryRole role,
                                                 const Operands& operands,
                                                 const Attributes& attributes,
                                                 const PlanChoice& how) const {
    const size_t most_workspace = how.most_workspace();
    if (store_.find)
        if (const std::optional<std::string> text = store_.find(key))
            if (std::optional<Plan> plan = Plan::from_text(*text, source_);
                plan && plan->workspace() <= most_workspace)
                return {.plan = std::move(plan), .most_workspace = most_workspace};
    Choice choice = make(role, operands, attributes, how, most_workspace);
    forget_cudnn_warnings();  // Of each engine that was tried.
    if (choice.plan && (how.fastest_of || choice.plan->is_compiled()) && store_.keep)
        store_.keep(key, choice.plan->text());
    return choice;
}

WindowPlans::Choice WindowPlans::make(LibraryRole role, const Operands& operands,
                                      const Attributes& attributes, const PlanChoice& how,
                                      size_t most_workspace) const {
    constexpr size_t most_measured = 16;
    Choice choice{.most_workspace = most_workspace};
    std::vector<Plan> plans;
    try {
        plans = Plan::find(is_window_role(role) ? window_operation(role, operands, attributes)
                                                : normalization_operation(role, operands),
                           source_, EngineRules::of(operands[0].dtype(), most_workspace, how.tf32),
                           how.fastest_of ? most_measured : 1, &choice.skipped_workspace);
    } catch (const CudnnError& error) {
        if (!error.refused()) throw;
    }
    if (!plans.empty())
        choice.plan = std::move(plans[plans.size() > 1 ? how.fastest_of(plans) : 0]);
    return choice;
}

}  // namespace catena::cuda

#endif
