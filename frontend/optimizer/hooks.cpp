#include "frontend/optimizer/hooks.h"

#include "frontend/optimizer/gradient_sweep.h"
#include "frontend/optimizer/square_norm.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/config.h"
#include "runtime/ops/math/math.h"

namespace catena {
namespace {

const Sweep& weight_decay_sweep() {
    static const Sweep sweep("weight_decay", {.values = 2, .targets = {0}, .scalars = {"rate"},
                                              .formula = make_formula<2, 1>([](auto g, auto p, auto rate) {
                                                  return g + rate * p;
                                              })});
    return sweep;
}

const Sweep& clipping_sweep() {
    static const Sweep sweep("clip_gradient", {.values = 1, .shared = 1, .targets = {0},
                                               .formula = make_formula<2, 0>([](auto g, auto rate) { return g * rate; })});
    return sweep;
}

}  // namespace

void WeightDecay::operator()(Optimizer& optimizer) {
    auto no_graph = no_backprop_mode();
    sweep_gradients(weight_decay_sweep(), optimizer.active_slots(), {}, {rate},
                    GradientSweepValues::gradient_and_param);
}

void GradientClipping::operator()(Optimizer& optimizer) {
    auto no_graph = no_backprop_mode();
    std::vector<UpdateSlot*> slots = optimizer.active_slots();
    if (slots.empty()) return;
    std::vector<Variable> gradients;
    for (UpdateSlot* slot : slots) gradients.push_back(slot->param.grad_variable());
    Variable rate = threshold / sqrt(square_norm(gradients));
    rate = where(rate < 1, rate, 1);
    sweep_gradients(clipping_sweep(), slots, std::span(&rate, 1), {}, GradientSweepValues::gradient);
}

}  // namespace catena
