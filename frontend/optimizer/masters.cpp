#include "frontend/optimizer/masters.h"

#include "frontend/serializer/serializer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena {
namespace {

bool is_same(const Variable& a, const Variable& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    return a.array() == b.array();
}

/// Zeros, which the parameter's elements replace.
void make_master(UpdateSlot& slot) {
    const RecorderScope paused(nullptr);
    const DeviceScope beside(slot.param.device());
    slot.master.set_array(Array::zeros({slot.update_dtype(), slot.param.shape()}));
    slot.master.set_name(slot.path + "/" + std::string(master_key));
}

/// States that began in 16 bits, or on another device.
void widen(const State& state, const UpdateSlot& slot) {
    Device& device = slot.param.device();
    const bool is_elsewhere = &state.device() != &device && !device.is_meta();
    if (state.dtype() == slot.update_dtype() && !is_elsewhere) return;
    const RecorderScope paused(nullptr);
    const Array wide = state.array().astype(slot.update_dtype());
    state.set_array(is_elsewhere ? wide.to(device) : wide);
}

void take_master(UpdateSlot& slot) {
    const Variable param = slot.param, gradient = param.grad_variable();
    const Dtype wide = slot.update_dtype();
    if (!slot.master.is_initialized() || slot.master.shape() != param.shape()) make_master(slot);
    widen(slot.master, slot);
    for (const State& moment : slot.moments) widen(moment, slot);
    const Variable rounds_to_it = cast(slot.master, param.dtype()) == param;
    assign(slot.master, where(rounds_to_it, slot.master, cast(param, wide)));
    slot.master.set_grad_variable(cast(gradient, wide));
    slot.replaced = param;
    slot.replaced_gradient = gradient;
    slot.param = slot.master;
}

void give_back(UpdateSlot& slot) {
    const bool was_cleared = !slot.param.grad_variable().defined();
    slot.param.cleargrad();
    slot.param = std::exchange(slot.replaced, Variable());
    slot.replaced_gradient = Variable();
    if (was_cleared) slot.param.cleargrad();
}

void store(const UpdateSlot& slot) {
    assign(slot.replaced, cast(slot.param, slot.replaced.dtype()));
}

}  // namespace

void take_masters(std::span<UpdateSlot> slots) {
    for (UpdateSlot& slot : slots)
        if (!slot.replaced.defined() && slot.is_active() &&
            slot.update_dtype() != slot.param.dtype())
            take_master(slot);
}

MastersScope::~MastersScope() {
    for (UpdateSlot& slot : optimizer_.slots())
        if (slot.replaced.defined()) give_back(slot);
}

void MastersScope::store_updates() {
    for (UpdateSlot& slot : optimizer_.slots()) {
        if (!slot.replaced.defined()) continue;
        if (!is_same(slot.replaced.grad_variable(), slot.replaced_gradient))
            fail<ValueError>(
                "{}: a hook changed the gradient of {}, which is updated in float32 by now; hooks "
                "change those of "
                "optimizer.active_slots()",
                optimizer_.type_name(), slot.path);
        if (slot.is_active()) store(slot);
        stored_.emplace_back(&slot, slot.param.array());
    }
}

void MastersScope::store_changes() {
    for (const auto& [slot, array] : stored_)
        if (!(slot->param.array() == array)) store(*slot);
    stored_.clear();
}

void load_master(const Serializer& s, UpdateSlot& slot) {
    const std::string key(master_key);
    Array array = slot.use_fp32 && s.has(key) ? s.read(key) : Array();
    if (array.defined()) {
        if (slot.param.array().defined() && array.shape() != slot.param.shape())
            s.wrong(key, fmt::format("has shape {}, its parameter {}", to_string(array.shape()),
                                     to_string(slot.param.shape())));
        array = s.converted(key, array, Dtype::float32);
    }
    s.later([&slot, array, key] {
        slot.master.set_array(array.defined() && slot.param.array().defined()
                                  ? array.to(slot.param.device())
                                  : array);
        slot.master.set_name(slot.path + "/" + key);
    });
}

}  // namespace catena
