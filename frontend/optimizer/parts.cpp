#include "frontend/optimizer/parts.h"

#include <utility>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/communication/parts.h"

namespace catena {
namespace {

/// The elements of a part in memory of their own: the whole array is to be released.
Array cut_out(const Array& whole, const RankPart& part) {
    const Array row = whole.as_contiguous();
    Array own = Array::empty({whole.dtype(), {part.size}}, whole.device());
    copy_elements(row.view({part.size}, {1}, row.body()->offset + part.begin), own);
    return own;
}

/// Moments and master of a slot.
template <class Slot, class F>
void for_each_state(Slot& slot, const F& f) {
    for (auto& moment : slot.moments) f(moment);
    if (slot.master.is_initialized()) f(slot.master);
}

/// A master that was made for a content of another shape is made again, see masters.h.
void hold_part(UpdateSlot& slot, const ParameterPart& part) {
    if (slot.part && !(*slot.part == part)) check_is_whole(slot);
    if (slot.part) return;
    const RecorderScope paused(nullptr);
    for_each_state(slot, [&](const State& state) {
        if (state.shape() == part.shape) state.set_array(cut_out(state.array(), part.elements));
    });
    slot.part = part;
}

}  // namespace

Variables GradientExchange::gather(std::span<const PartToGather>) {
    CATENA_ASSERT(false, "only a sharded exchange has parts to gather");
    return {};
}

void take_part(UpdateSlot& slot, const RankPart& part, const Variable& gradient) {
    const Variable param = slot.param;
    hold_part(slot, {part, param.shape()});
    param.cleargrad();
    slot.whole = param;
    slot.param = Variable(parallel::cut(param, part).array(), false);
    slot.param.set_name(param.name());
    slot.param.set_grad_variable(gradient);
}

void check_is_whole(const UpdateSlot& slot) {
    if (!slot.part) return;
    fail<ValueError>(
        "update: this rank has the moments of the elements {} to {} of {} alone, from an update "
        "that was sharded otherwise; call gather_moments(optimizer) on all ranks before another "
        "communicator, option or rule",
        slot.part->elements.begin, slot.part->elements.begin + slot.part->elements.size, slot.path);
}

SavedSlot whole_of(const UpdateSlot& slot, GradientExchange* exchange) {
    SavedSlot saved;
    if (!slot.part) {
        for (const State& moment : slot.moments) saved.moments.push_back(moment.array());
        if (slot.master.is_initialized()) saved.master = slot.master.array();
        return saved;
    }
    if (!exchange || !exchange->is_sharded()) check_is_whole(slot);
    const RecorderScope paused(nullptr);
    const auto no_graph = no_backprop_mode();
    std::vector<PartToGather> parts;
    for_each_state(slot, [&](const State& state) {
        parts.push_back({&slot.path, Variable(state), {state.dtype(), slot.part->shape}});
    });
    const Variables wholes = exchange->gather(parts);
    for (const Variable& whole : wholes) saved.moments.push_back(whole.array());
    if (slot.master.is_initialized()) {
        saved.master = saved.moments.back();
        saved.moments.pop_back();
    }
    return saved;
}

void take_loaded(UpdateSlot& slot, bool has_moments) {
    const std::optional<ParameterPart> part = std::exchange(slot.part, std::nullopt);
    if (part && !has_moments) hold_part(slot, *part);
}

//---- an update

PartsScope::PartsScope(std::vector<UpdateSlot>& slots, GradientExchange* exchange,
                       PartsScope*& current, FunctionRef<std::string()> type_name)
    : slots_(slots), exchange_(exchange), current_(current), type_name_(type_name) {
    current_ = this;
}

PartsScope::~PartsScope() {
    current_ = nullptr;
    for (UpdateSlot& slot : slots_) {
        if (!slot.whole.defined()) continue;
        slot.param = std::exchange(slot.whole, Variable());
        slot.param.cleargrad();
    }
}

void PartsScope::begin() {
    for (UpdateSlot& slot : slots_) {
        if (!slot.whole.defined()) continue;
        const Variable& part = slot.replaced.defined() ? slot.replaced : slot.param;
        held_.push_back({.slot = &slot,
                         .part = part,
                         .updated = slot.param,
                         .stored = part.array(),
                         .whole = slot.whole.array()});
    }
}

void PartsScope::suit(const OptimizerHook& hook, std::span<UpdateSlot> slots) {
    if (held_.empty()) return;
    if (hook.takes_parts())
        use_parts();
    else
        use_wholes(slots);
}

void PartsScope::use_wholes(std::span<UpdateSlot> slots) {
    std::vector<Held*> taken;
    for (Held& held : held_)
        if (!held.is_whole && held.slot >= slots.data() && held.slot < slots.data() + slots.size())
            taken.push_back(&held);
    if (taken.empty()) return;
    store();
    std::vector<PartToGather> parts;
    for (const Held* held : taken) {
        const UpdateSlot& slot = *held->slot;
        const Type type{held->updated.dtype(), slot.whole.shape()};
        if (slot.replaced.defined()) parts.push_back({&slot.path, held->updated, type});
        if (const Variable gradient = held->updated.grad_variable(); gradient.defined())
            parts.push_back({&slot.path, gradient, type});
    }
    const Variables wholes = exchange_->gather(parts);
    size_t next = 0;
    for (Held* held : taken) {
        UpdateSlot& slot = *held->slot;
        slot.param = slot.replaced.defined() ? Variable(wholes[next++].array(), false) : slot.whole;
        if (held->updated.grad_variable().defined()) slot.param.set_grad_variable(wholes[next++]);
        held->is_whole = true;
        held->seen = slot.param.array();
    }
}

void PartsScope::use_parts() {
    for (Held& held : held_)
        if (held.is_whole) cut_again(held);
}

/// Takes over what a hook has changed. A parameter that it changed has its content on all ranks.
void PartsScope::cut_again(Held& held) {
    UpdateSlot& slot = *held.slot;
    const RankPart& elements = slot.part->elements;
    const Variable whole = slot.param, gradient = whole.grad_variable();
    if (!(whole.array() == held.seen)) assign(held.updated, parallel::cut(whole, elements));
    if (!(slot.whole.array() == held.whole)) {
        held.whole = slot.whole.array();
        if (!slot.replaced.defined()) held.stored = held.part.array();
    }
    held.updated.set_grad_variable(gradient.defined() ? parallel::cut(gradient, elements)
                                                      : Variable());
    whole.cleargrad();
    slot.param = held.updated;
    held.is_whole = false;
    held.seen = Array();
}

void PartsScope::store() {
    std::vector<Held*> changed;
    std::vector<PartToGather> parts;
    for (Held& held : held_) {
        const UpdateSlot& slot = *held.slot;
        if (held.is_whole) continue;
        if (!(slot.whole.array() == held.whole) || slot.whole.grad_variable().defined())
            fail<ValueError>(
                "{}: a hook changed {} or its gradient, of which each rank updates a part; hooks "
                "that take parts change those of optimizer.active_slots()",
                type_name_(), slot.path);
        if (held.part.array() == held.stored) continue;
        changed.push_back(&held);
        parts.push_back({&slot.path, held.part, slot.whole.type()});
    }
    if (parts.empty()) return;
    const Variables wholes = exchange_->gather(parts);
    for (size_t i = 0; i < changed.size(); ++i) {
        const Variable& param = changed[i]->slot->whole;
        assign(param, wholes[i]);
        changed[i]->stored = changed[i]->part.array();
        changed[i]->whole = param.array();
    }
}

}  // namespace catena
