#include "frontend/optimizer/rules/msvag.h"

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

/// 1 - beta, 1 - beta^t and rho / (1 - rho).
const OpDef& msvag_step() {
    static const OpDef& op =
        define_step_numbers("msvag_step", {"beta"}, 3, make_formula<1, 1>([](auto t, auto beta) {
                                auto rest = 1.0 - beta, power = pow(beta, t), rest_t = 1.0 - power;
                                auto rho = minimum(rest * rest * (1.0 - power * power) /
                                                       (rest_t * rest_t * (1.0 - beta * beta)),
                                                   0.9999);
                                return std::tuple(rest, rest_t, rho / (1.0 - rho));
                            }));
    return op;
}

const Sweep& msvag_update() {
    static const Sweep sweep(
        "msvag_update",
        {.values = 4,
         .shared = 3,
         .targets = {0, 2, 3},
         .scalars = {"lr", "eta", "weight_decay_rate"},
         .formula = make_formula<7, 3>([](auto p, auto g, auto m, auto v, auto rest, auto rest_t,
                                          auto odds, auto lr, auto eta, auto weight_decay_rate) {
             auto m1 = m + rest * (g - m), v1 = v + rest * (g * g - v);
             auto mt = m1 / rest_t, vt = v1 / rest_t;
             auto square = mt * mt;
             auto signal = square / (square + odds * (vt - square));
             auto factor = select(signal > 0.0, minimum(signal, 1.0),
                                  0.0);  // 0 / 0, where there was no gradient, gives 0.
             return std::tuple(p - eta * (lr * mt * factor + weight_decay_rate * p), m1, v1);
         })});
    return sweep;
}

}  // namespace

void MSVAG::update_group(const UpdateGroup& group) {
    sweep_parameters(msvag_update(), group, {lr, eta, weight_decay_rate},
                     step_numbers(msvag_step(), group, {beta}));
}

}  // namespace catena
