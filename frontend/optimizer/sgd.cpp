#include "frontend/optimizer/sgd.h"

#include "frontend/optimizer/update_rule.h"

namespace catena {
namespace {

const Sweep& sgd_update() {
    static const Sweep sweep("sgd_update", {.values = 2, .targets = {0}, .scalars = {"lr"},
                                            .formula = make_formula<2, 1>([](auto p, auto g, auto lr) {
                                                return p - lr * g;
                                            })});
    return sweep;
}

const Sweep& momentum_sgd_update() {
    static const Sweep sweep("momentum_sgd_update",
                             {.values = 3, .targets = {0, 2}, .scalars = {"lr", "momentum"},
                              .formula = make_formula<3, 2>([](auto p, auto g, auto v, auto lr, auto momentum) {
                                  auto v1 = momentum * v - lr * g;
                                  return std::tuple(p + v1, v1);
                              })});
    return sweep;
}

}  // namespace

void SGD::update_slots(std::span<UpdateSlot* const> slots) { sweep_parameters(sgd_update(), slots, {}, {lr}); }

void MomentumSGD::update_slots(std::span<UpdateSlot* const> slots) {
    sweep_parameters(momentum_sgd_update(), slots, {}, {lr, momentum});
}

}  // namespace catena
