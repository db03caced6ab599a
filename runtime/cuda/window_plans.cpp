#include "runtime/cuda/window_plans.h"

#ifdef CATENA_HAS_CUDNN

#include <fmt/format.h>

namespace catena::cuda {

namespace {

std::vector<int64_t> numbers_of(LibraryRole role, bool tf32, const Operands& operands) {
    std::vector<int64_t> numbers{int64_t(role), int64_t(tf32)};
    numbers.reserve(2 + operands.size() * 13);
    for (const Array& x : operands) {
        numbers.insert(numbers.end(), {int64_t(x.dtype()), alignment_of(x), int64_t(x.rank())});
        for (int d = 0; d < x.rank(); ++d) numbers.insert(numbers.end(), {x.dim(d), x.strides()[d]});
    }
    return numbers;
}

/// The same for other processes.
std::string text_of(LibraryRole role, bool tf32, const Operands& operands, const Attributes& attributes) {
    std::string text = fmt::format("{}{}", int(role), tf32 ? " tf32" : "");
    for (const Array& x : operands)
        text += fmt::format(" {} {} {}", to_string(x.type()), to_string(x.strides()), alignment_of(x));
    for (const Attributes::Entry& entry : attributes.entries())
        text += fmt::format(" {}={}", entry.name, to_string(entry.value));
    return text;
}

}  // namespace

size_t WindowPlans::HashOfAsked::operator()(const Asked& asked) const {
    uint64_t hash = asked.attributes.entries().size();  // Their values seldom differ where all else is the same.
    for (int64_t number : asked.numbers) hash = (hash ^ uint64_t(number)) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
    return hash;
}

WindowPlans::Choice& WindowPlans::find(LibraryRole role, const Operands& operands, const Attributes& attributes,
                                       const std::function<size_t()>& most_workspace, bool tf32) {
    Asked asked{numbers_of(role, tf32, operands), attributes};
    auto known = choices_.find(asked);
    if (known == choices_.end()) {
        Choice choice = restore_or_make(text_of(role, tf32, operands, attributes), role, operands, attributes, most_workspace(), tf32);
        known = choices_.emplace(std::move(asked), std::move(choice)).first;
    }
    return known->second;
}

WindowPlans::Choice WindowPlans::restore_or_make(const std::string& key, LibraryRole role, const Operands& operands,
                                                 const Attributes& attributes, size_t most_workspace, bool tf32) const {
    if (store_.find)
        if (const std::optional<std::string> text = store_.find(key))
            if (std::optional<Plan> plan = Plan::from_text(*text, source_); plan && plan->workspace() <= most_workspace)
                return {.plan = std::move(plan), .most_workspace = most_workspace};
    Choice choice = make(role, operands, attributes, most_workspace, tf32);
    forget_cudnn_warnings();  // Of each engine that was tried.
    if (choice.plan && choice.plan->is_compiled() && store_.keep) store_.keep(key, choice.plan->text());
    return choice;
}

WindowPlans::Choice WindowPlans::make(LibraryRole role, const Operands& operands, const Attributes& attributes,
                                      size_t most_workspace, bool tf32) const {
    Choice choice{.most_workspace = most_workspace};
    try {
        choice.plan = Plan::find(is_window_role(role) ? window_operation(role, operands, attributes)
                                                      : normalization_operation(role, operands),
                                 source_, EngineRules::of(operands[0].dtype(), most_workspace, tf32), &choice.skipped_workspace);
    } catch (const CudnnError& error) {
        if (!error.refused()) throw;
    }
    return choice;
}

}  // namespace catena::cuda

#endif
