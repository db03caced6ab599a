#include "frontend/optimizer/rules/ada_grad.h"

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

const Sweep& ada_grad_update() {
    static const Sweep sweep(
        "ada_grad_update",
        {.values = 3,
         .targets = {0, 2},
         .scalars = {"lr", "eps"},
         .formula = make_formula<3, 2>([](auto p, auto g, auto h, auto lr, auto eps) {
             auto h1 = h + g * g;
             return std::tuple(p - lr * g / (sqrt(h1) + eps), h1);
         })});
    return sweep;
}

}  // namespace

void AdaGrad::update_group(const UpdateGroup& group) {
    check_eps(*this, group, eps);
    sweep_parameters(ada_grad_update(), group, {lr, eps});
}

}  // namespace catena
