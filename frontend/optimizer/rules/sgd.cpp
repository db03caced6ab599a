#include "frontend/optimizer/rules/sgd.h"

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

const Sweep& sgd_update() {
    static const Sweep sweep(
        "sgd_update",
        {.values = 2,
         .targets = {0},
         .scalars = {"lr"},
         .formula = make_formula<2, 1>([](auto p, auto g, auto lr) { return p - lr * g; })});
    return sweep;
}

/// A rule with one velocity: formula(p, g, v, lr, momentum) gives the new p and v.
template <class F>
Sweep momentum_sweep(std::string name, F formula) {
    return Sweep(std::move(name), {.values = 3,
                                   .targets = {0, 2},
                                   .scalars = {"lr", "momentum"},
                                   .formula = make_formula<3, 2>(formula)});
}

const Sweep& momentum_sgd_update() {
    static const Sweep sweep =
        momentum_sweep("momentum_sgd_update", [](auto p, auto g, auto v, auto lr, auto momentum) {
            auto v1 = momentum * v - lr * g;
            return std::tuple(p + v1, v1);
        });
    return sweep;
}

const Sweep& corrected_momentum_sgd_update() {
    static const Sweep sweep = momentum_sweep("corrected_momentum_sgd_update",
                                              [](auto p, auto g, auto v, auto lr, auto momentum) {
                                                  auto v1 = momentum * v - g;
                                                  return std::tuple(p + lr * v1, v1);
                                              });
    return sweep;
}

const Sweep& nesterov_ag_update() {
    static const Sweep sweep =
        momentum_sweep("nesterov_ag_update", [](auto p, auto g, auto v, auto lr, auto momentum) {
            auto step = lr * g;
            auto v1 = momentum * v - step;
            return std::tuple(p + (momentum * momentum * v1 - (1.0 + momentum) * step), v1);
        });
    return sweep;
}

}  // namespace

void SGD::update_group(const UpdateGroup& group) { sweep_parameters(sgd_update(), group, {lr}); }

void MomentumSGD::update_group(const UpdateGroup& group) {
    sweep_parameters(momentum_sgd_update(), group, {lr, momentum});
}

void CorrectedMomentumSGD::update_group(const UpdateGroup& group) {
    sweep_parameters(corrected_momentum_sgd_update(), group, {lr, momentum});
}

void NesterovAG::update_group(const UpdateGroup& group) {
    sweep_parameters(nesterov_ag_update(), group, {lr, momentum});
}

}  // namespace catena
