// Which parameters an optimizer has.
#include <unordered_set>

#include "frontend/link/parameter_list.h"
#include "frontend/optimizer/optimizer.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {

Optimizer& Optimizer::setup(Link& link) try {
    link.check_all_listed();
    if (link.params().empty())
        fail<ValueError>(
            "{}: setup: {} has no parameters to train; list its links with add_children and its "
            "parameters "
            "with add_param",
            type_name(), link.type_name());
    restart(link);
    add_slots(link.namedparams());
    begin_training();
    begin();
    return *this;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "setup");
}

Optimizer& Optimizer::setup(std::span<const NamedParameter> params) try {
    if (params.empty())
        fail<ValueError>("{}: setup: the list has no parameters to train", type_name());
    auto list = std::make_shared<ParameterList>();
    for (const NamedParameter& each : params) list->add(each.name, each.param);
    list_ = std::move(list);
    restart(*list_);
    add_slots(list_->in_order());
    begin_training();
    begin();
    return *this;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "setup");
}

Optimizer& Optimizer::add_params(std::span<const NamedParameter> params) try {
    if (const Link& link = target(); &link != list_.get())
        fail<ValueError>(
            "{}: add_params: setup() was given {}, which lists its parameters; call setup() again",
            type_name(), link.type_name());
    const size_t known = list_->in_order().size();
    for (const NamedParameter& each : params) list_->add(each.name, each.param);
    add_slots(list_->in_order().subspan(known));
    if (exchange_) exchange_->restart();
    begin_training();
    return *this;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "add_params");
}

/// Begins anew for the parameters of `link`.
void Optimizer::restart(Link& link) {
    if (&link != list_.get()) list_.reset();
    if (exchange_) exchange_->restart();
    target_ = link.place();
    slots_.clear();
    hooks_.clear();
    epoch_ = 0;
    set_step_count(0);
}

/// A parameter that has two paths is updated once.
void Optimizer::add_slots(std::span<const std::pair<std::string, Parameter*>> params) {
    std::unordered_set<const VariableBody*> seen;
    for (const UpdateSlot& slot : slots_) seen.insert(slot.param.body());
    for (const auto& [path, param] : params) {
        if (!seen.insert(param->body()).second) continue;
        slots_.push_back({.path = path,
                          .param = *param,
                          .enabled = param->update_flag(),
                          .use_fp32 = use_fp32_});
        param->body()->is_trained = true;
    }
}

void Optimizer::begin_training() {
    first_update_.emplace();
    checked_at_ = Part::changes();
    note_code_change();
}

}  // namespace catena
