#include "frontend/optimizer/rules/rmsprop.h"

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

/// divisor(ms, eps) is what the gradient is divided by.
template <class F>
Sweep rmsprop_sweep(std::string name, F divisor) {
    auto formula = [divisor](auto p, auto g, auto ms, auto lr, auto alpha, auto eps) {
        auto ms1 = alpha * ms + (1.0 - alpha) * g * g;
        return std::tuple(p - lr * g / divisor(ms1, eps), ms1);
    };
    return Sweep(std::move(name), {.values = 3,
                                   .targets = {0, 2},
                                   .scalars = {"lr", "alpha", "eps"},
                                   .formula = make_formula<3, 3>(formula)});
}

const Sweep& rmsprop_update() {
    static const Sweep sweep =
        rmsprop_sweep("rmsprop_update", [](auto ms, auto eps) { return sqrt(ms) + eps; });
    return sweep;
}

const Sweep& rmsprop_inside_update() {
    static const Sweep sweep =
        rmsprop_sweep("rmsprop_inside_update", [](auto ms, auto eps) { return sqrt(ms + eps); });
    return sweep;
}

const Sweep& rmsprop_graves_update() {
    static const Sweep sweep(
        "rmsprop_graves_update",
        {.values = 5,
         .targets = {0, 2, 3, 4},
         .scalars = {"lr", "alpha", "momentum", "eps"},
         .formula = make_formula<5, 4>([](auto p, auto g, auto n, auto m, auto delta, auto lr,
                                          auto alpha, auto momentum, auto eps) {
             auto n1 = alpha * n + (1.0 - alpha) * g * g;
             auto m1 = alpha * m + (1.0 - alpha) * g;
             auto delta1 = momentum * delta - lr * g / sqrt(n1 - m1 * m1 + eps);
             return std::tuple(p + delta1, n1, m1, delta1);
         })});
    return sweep;
}

}  // namespace

void RMSprop::update_group(const UpdateGroup& group) {
    check_eps(*this, group, eps);
    sweep_parameters(eps_inside_sqrt_ ? rmsprop_inside_update() : rmsprop_update(), group,
                     {lr, alpha, eps});
}

void RMSpropGraves::update_group(const UpdateGroup& group) {
    sweep_parameters(rmsprop_graves_update(), group, {lr, alpha, momentum, eps});
}

}  // namespace catena
