#include "frontend/optimizer/loss_scaling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/optimizer/all_finite.h"
#include "frontend/optimizer/by_device.h"
#include "frontend/optimizer/gradient_sweep.h"
#include "frontend/optimizer/masters.h"
#include "frontend/serializer/serializer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena {
namespace {

const Sweep& loss_unscale_sweep() {
    static const Sweep sweep(
        "unscale_gradient_by",
        {.values = 1,
         .shared = 1,
         .targets = {0},
         .scalars = {},
         .formula = make_formula<2, 0>([](auto g, auto scale) { return g / scale; })});
    return sweep;
}

Array on_host(Dtype dtype, double value) {
    const DeviceScope host(cpu_device());
    return Array::full({dtype, {}}, value);
}

}  // namespace

LossScaling::LossScaling(std::shared_ptr<GradientExchange> between,
                         const LossScalingOptions& options)
    : between_(std::move(between)),
      growth_(std::pow(2.0, 1.0 / double(options.interval))),
      highest_(options.highest),
      scale_(on_host(Dtype::float32, options.initial)),
      was_too_large_(on_host(Dtype::bool_, 0)),
      safe_(on_host(Dtype::bool_, 1)),
      sent_scale_(on_host(Dtype::float32, options.initial)) {
    scale_.set_name("/loss_scale");
    was_too_large_.set_name("/was_too_large");
    safe_.set_name("/is_safe_to_update");
    sent_scale_.set_name("/sent_scale");
}

void LossScaling::restart() {
    if (between_) between_->restart();
    before_.clear();
}

double LossScaling::scale() const { return scale_.array().item<double>(); }
bool LossScaling::is_safe_to_update() const { return safe_.array().item<bool>(); }

/// Gives the loss the gradient that backward begins with.
void LossScaling::begin(const Variable& loss, const BackwardOptions& options) {
    if (loss.size() != 1)
        fail<ValueError>("loss_scaling: the loss should be one number, it is {}",
                         to_string(loss.type()));
    move_beside(scale_, loss.device());
    auto no_graph = no_backprop_mode();
    loss.set_grad_variable(
        cast(broadcast_to(scale_ * options.loss_scale, loss.shape()), loss.dtype()));
}

void LossScaling::backward(Optimizer& optimizer, const Variable& loss,
                           const BackwardOptions& options) {
    begin(loss, options);
    if (between_)
        between_->backward(optimizer, loss, options);
    else
        loss.backward(options);
}

void LossScaling::backward_part(const Variable& loss, const BackwardOptions& options) {
    begin(loss, options);
    if (between_)
        between_->backward_part(loss, options);
    else
        loss.backward(options);
}

GradientExchange::Outcome LossScaling::finish(Optimizer& optimizer) {
    move_beside(sent_scale_, scale_.device());
    const Outcome outcome = between_ ? between_->finish(optimizer) : Outcome::replaced;
    const Variable scale = is_behind() ? Variable(sent_scale_.array(), false) : Variable(scale_);
    if (is_behind() && outcome != Outcome::dropped) assign(sent_scale_, scale_);
    if (outcome != Outcome::replaced) return outcome;
    before_.clear();
    take_masters(optimizer.slots());  // What 16 bits hold is divided in float32.
    const std::vector<UpdateSlot*> slots = optimizer.active_slots();
    if (slots.empty()) return outcome;
    check_nan_in_grads(optimizer);
    unscale(slots, scale);
    update_loss_scale();
    if (current_recorder() || !is_safe_to_update()) {  // Eager code reads it: good updates then
                                                       // keep nothing, and are in place.
        keep_states(optimizer, slots);
        bring_back_after(optimizer);
    }
    return outcome;
}

void LossScaling::check_nan_in_grads(Optimizer& optimizer) {
    auto no_graph = no_backprop_mode();
    std::vector<Variable> gradients;
    for (UpdateSlot* slot : optimizer.active_slots())
        gradients.push_back(slot->param.grad_variable());
    if (gradients.empty()) return;
    // It is on the loss's device, which is one of the model's.
    if (std::ranges::none_of(gradients,
                             [&](const Variable& g) { return &g.device() == &scale_.device(); }))
        move_beside(scale_, gradients[0].device());
    for (const State* state : {&was_too_large_, &safe_}) move_beside(*state, scale_.device());
    Variable finite = beside(all_finite(gradients), scale_.device());
    if (std::ranges::any_of(optimizer.slots(),
                            [](const UpdateSlot& slot) { return slot.whole.defined(); }))
        finite = everywhere(finite);
    assign(safe_, finite);
}

void LossScaling::unscale(std::span<UpdateSlot* const> slots, const Variable& scale) const {
    const Variable shared[] = {scale};
    sweep_gradients(loss_unscale_sweep(), slots, shared, {}, GradientSweepValues::gradient);
}

void LossScaling::update_loss_scale() {
    auto no_graph = no_backprop_mode();
    const Variable growth = where(was_too_large_, scale_ * growth_, scale_ * 2.0);
    const Variable next = where(safe_, growth, scale_ * 0.5);
    assign(scale_, maximum(minimum(next, highest_), 1.0));
    assign(was_too_large_, was_too_large_ || !safe_);
}

void LossScaling::keep_states(Optimizer& optimizer, std::span<UpdateSlot* const> slots) {
    for (UpdateSlot* slot : slots) {
        optimizer.initialize_moments(*slot);
        before_.push_back({slot->param, slot->param.array()});
        for (const State& moment : slot->moments) before_.push_back({moment, moment.array()});
    }
}

class LossScaling::BringBack final : public OptimizerHook {
public:
    explicit BringBack(std::weak_ptr<LossScaling> scaling) : scaling_(std::move(scaling)) {}
    std::string name() const override { return "loss_scaling"; }
    Timing timing() const override { return Timing::post; }
    bool takes_parts() const override { return true; }
    void operator()(Optimizer&) override {
        if (const auto scaling = scaling_.lock()) scaling->bring_back_if_bad();
    }

private:
    std::weak_ptr<LossScaling> scaling_;
};

/// Restores the parameters after the update, by a hook that is the last one each time, for others
/// may change parameters, and setup() removes all.
void LossScaling::bring_back_after(Optimizer& optimizer) {
    const auto hook = std::make_shared<BringBack>(weak_from_this());
    try {
        optimizer.remove_hook(hook->name());
    } catch (const ValueError&) {
    }
    optimizer.add_hook(hook);
}

void LossScaling::bring_back_if_bad() {
    std::vector<Before> changed = std::exchange(before_, {});
    std::erase_if(changed,
                  [](const Before& before) { return before.state.array() == before.content; });
    for_each_device(
        std::span<const Before>(changed),
        [](const Before& before) -> Device& { return before.state.device(); },
        [&](std::span<const Before> there, Device& device) {
            const Variable safe = beside(safe_, device);
            for (const auto& [state, content] : there)
                assign(state, where(safe, state, Variable(content, false)));
        });
}

void LossScaling::serialize(const Serializer& s) {
    if (between_) between_->serialize(s);
    if (s.has("loss_scale")) s("loss_scale", scale_, Dtype::float32);
    if (s.has("was_too_large")) s("was_too_large", was_too_large_, Dtype::bool_);
    if (is_behind() && s.has("sent_scale")) s("sent_scale", sent_scale_, Dtype::float32);
}

std::shared_ptr<LossScaling> loss_scaling(Optimizer& optimizer, const LossScalingOptions& options) {
    if (options.interval < 1 || !(options.initial > 0) || !(options.initial <= options.highest))
        fail<ValueError>(
            "loss_scaling: interval {} should be at least 1 and 0 < initial {} <= highest {}",
            options.interval, options.initial, options.highest);
    optimizer.target();
    const auto* present = dynamic_cast<const LossScaling*>(optimizer.exchange().get());
    auto scaling =
        std::make_shared<LossScaling>(present ? present->between() : optimizer.exchange(), options);
    optimizer.set_exchange(scaling);
    return scaling;
}

}  // namespace catena
