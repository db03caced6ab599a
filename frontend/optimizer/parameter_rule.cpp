#include "frontend/optimizer/parameter_rule.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/ranges.h>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {

ParameterRule Optimizer::update_rule(const Parameter& param) try {
    target();
    for (UpdateSlot& slot : slots_)
        if (slot.is_of(param.body())) return {*this, slot};
    fail<ValueError>("{}: update_rule: '{}' is not a parameter of the link that setup() was given",
                     type_name(), param.name());
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "update_rule");
}

Cell ParameterRule::hyperparameter(std::string_view name) {
    const Cell shared = optimizer_->rule_of(*slot_).hyperparameter(name);
    if (const Cell* own = slot_->own_number(shared.name())) return *own;
    note_code_change();
    return slot_->own_numbers.emplace_back(shared.value(), shared.name());
}

bool ParameterRule::has_own(std::string_view name) const {
    return slot_->own_number(optimizer_->rule_of(*slot_).hyperparameter(name).name()) != nullptr;
}

void ParameterRule::follow_optimizer() {
    slot_->own_numbers.clear();
    if (slot_->rule) slot_->moments.clear();
    slot_->rule.reset();
    note_code_change();
}

void ParameterRule::set_enabled(bool enabled) {
    if (std::exchange(*slot_->enabled, enabled) != enabled) note_code_change();
}

void ParameterRule::use_fp32_update(bool use) {
    if (std::exchange(slot_->use_fp32, use) != use) note_code_change();
}

ParameterRule& ParameterRule::use(std::shared_ptr<Optimizer> other) {
    if (!other)
        fail<ValueError>("{}: update_rule of {}: use() needs an optimizer, not null",
                         optimizer_->type_name(), slot_->path);
    optimizer_->set_rule(*slot_, std::move(other));
    return *this;
}

Variable ParameterRule::state(std::string_view name) const {
    const Optimizer& rule = optimizer_->rule_of(*slot_);
    const std::vector<std::string> names = rule.moment_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        fail<ValueError>("{}: there is no state '{}'; there are: {}", rule.type_name(), name,
                         fmt::join(names, ", "));
    return slot_->moments.empty() ? Variable()
                                  : Variable(slot_->moments[size_t(found - names.begin())]);
}

ParameterRule& ParameterRule::add_hook(std::shared_ptr<ParameterHook> hook, std::string name) {
    if (name.empty()) name = hook->name();
    for (const auto& [taken, other] : slot_->hooks)
        if (taken == name)
            fail<ValueError>(
                "{}: a hook of {} is named '{}' already; give another name, or remove that one "
                "first",
                optimizer_->type_name(), slot_->path, name);
    slot_->hooks.emplace_back(std::move(name), std::move(hook));
    note_code_change();
    return *this;
}

void ParameterRule::remove_hook(const std::string& name) {
    if (std::erase_if(slot_->hooks, [&](const auto& hook) { return hook.first == name; }) == 0)
        fail<ValueError>("{}: no hook of {} is named '{}'; it has [{}]", optimizer_->type_name(),
                         slot_->path, name, fmt::join(slot_->hooks | std::views::keys, ", "));
    note_code_change();
}

}  // namespace catena
