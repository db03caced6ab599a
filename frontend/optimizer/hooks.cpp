#include "frontend/optimizer/hooks.h"

#include "frontend/optimizer/by_device.h"
#include "frontend/optimizer/gradient_sweep.h"
#include "frontend/optimizer/square_norm.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using HookSlots = std::span<UpdateSlot* const>;
constexpr auto gradient_alone = GradientSweepValues::gradient;
constexpr auto gradient_and_param = GradientSweepValues::gradient_and_param;

const Sweep& weight_decay_sweep() {
    static const Sweep sweep(
        "weight_decay",
        {.values = 2,
         .targets = {0},
         .scalars = {"rate"},
         .formula = make_formula<2, 1>([](auto g, auto p, auto rate) { return g + rate * p; })});
    return sweep;
}

const Sweep& lasso_sweep() {
    static const Sweep sweep(
        "lasso", {.values = 2,
                  .targets = {0},
                  .scalars = {"rate"},
                  .formula = make_formula<2, 1>([](auto g, auto p, auto rate) {
                      auto sign = select(p > 0.0, 1.0, select(p < 0.0, -1.0, p));  // NaN stays.
                      return g + rate * sign;
                  })});
    return sweep;
}

const Sweep& clipping_sweep() {
    static const Sweep sweep(
        "clip_gradient",
        {.values = 1,
         .shared = 1,
         .targets = {0},
         .formula = make_formula<2, 0>([](auto g, auto rate) { return g * rate; })});
    return sweep;
}

const Sweep& hard_clipping_sweep() {
    static const Sweep sweep("hard_clip_gradient",
                             {.values = 1,
                              .targets = {0},
                              .scalars = {"lower_bound", "upper_bound"},
                              .formula = make_formula<1, 2>([](auto g, auto lower, auto upper) {
                                  return minimum(maximum(g, lower), upper);
                              })});
    return sweep;
}

const Sweep& lars_sweep() {
    static const Sweep sweep(
        "scale_layer_rate",
        {.values = 2,
         .shared = 1,
         .targets = {0},
         .scalars = {"weight_decay"},
         .formula = make_formula<3, 1>(
             [](auto g, auto p, auto rate, auto decay) { return rate * (g + decay * p); })});
    return sweep;
}

/// Optimizer::active_slots(), into a list that has memory.
void find_active(Optimizer& optimizer, std::vector<UpdateSlot*>& active) {
    for (UpdateSlot& slot : optimizer.slots())
        if (slot.is_active()) active.push_back(&slot);
}

Variable norm(const Variable& array) { return sqrt(square_norm(std::span(&array, 1))); }

}  // namespace

void ParameterHook::operator()(Optimizer& optimizer) {
    auto no_graph = no_backprop_mode();
    ReusedVector<UpdateSlot*> slots;
    find_active(optimizer, slots);
    for_each_device(
        std::span<UpdateSlot* const>(slots),
        [](const UpdateSlot* slot) -> Device& { return slot->param.device(); },
        [&](HookSlots there, Device& device) {
            change(there, beside(optimizer.step_count(), device));
        });
}

void WeightDecay::change(HookSlots slots, const Variable&) {
    sweep_gradients(weight_decay_sweep(), slots, {}, {rate}, gradient_and_param);
}

void Lasso::change(HookSlots slots, const Variable&) {
    sweep_gradients(lasso_sweep(), slots, {}, {rate}, gradient_and_param);
}

void GradientClipping::operator()(Optimizer& optimizer) {
    auto no_graph = no_backprop_mode();
    ReusedVector<UpdateSlot*> slots;
    find_active(optimizer, slots);
    if (slots.empty()) return;
    ReusedVector<Variable> gradients;
    for (UpdateSlot* slot : slots) gradients.push_back(slot->param.grad_variable());
    Variable rate = threshold / sqrt(square_norm(gradients));
    rate = where(rate < 1, rate, 1);
    sweep_gradients(clipping_sweep(), slots, std::span(&rate, 1), {}, gradient_alone);
}

void GradientHardClipping::change(HookSlots slots, const Variable&) {
    sweep_gradients(hard_clipping_sweep(), slots, {}, {lower_bound, upper_bound}, gradient_alone);
}

void GradientLARS::change(HookSlots slots, const Variable&) {
    for (UpdateSlot* slot : slots) {
        const Variable size = norm(slot->param);
        const Variable local =
            size / (eps + norm(slot->param.grad_variable()) + weight_decay * size);
        const Variable rate = where(size > threshold, local, 1);
        sweep_gradients(lars_sweep(), std::span(&slot, 1), std::span(&rate, 1), {weight_decay},
                        gradient_and_param);
    }
}

GradientNoise::GradientNoise(double eta, Noise noise)
    : eta(eta, "eta"), noise_(noise ? std::move(noise) : Noise(exponential_decay_noise)) {}

void GradientNoise::change(HookSlots slots, const Variable& t) {
    for (UpdateSlot* slot : slots) {
        const Variable g = slot->param.grad_variable();
        DeviceScope scope(g.device());
        const Variable noise = noise_(g.type(), *this, t);
        if (noise.shape() != g.shape())
            fail<ShapeError>(
                "GradientNoise: the noise of {} has shape {}, its gradient {}; they should be "
                "equal",
                slot->path, to_string(noise.shape()), to_string(g.shape()));
        slot->param.set_grad_variable(cast(g + noise, g.dtype()));
    }
}

Variable exponential_decay_noise(const Type& gradient, const GradientNoise& hook,
                                 const Variable& t) {
    const Dtype dtype = compute_dtype(gradient.dtype);
    const Variable deviation = sqrt(hook.eta / pow(1.0 + cast(t, Dtype::float64), 0.55));
    return cast(cast(deviation, dtype) * random_normal(gradient.shape, dtype), gradient.dtype);
}

}  // namespace catena
