#include "frontend/optimizer/rules/ada_delta.h"

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

const Sweep& ada_delta_update() {
    static const Sweep sweep(
        "ada_delta_update",
        {.values = 4,
         .targets = {0, 2, 3},
         .scalars = {"rho", "eps"},
         .formula = make_formula<4, 2>([](auto p, auto g, auto msg, auto msdx, auto rho, auto eps) {
             auto msg1 = rho * msg + (1.0 - rho) * g * g;
             auto dx = sqrt((msdx + eps) / (msg1 + eps)) * g;
             auto msdx1 = rho * msdx + (1.0 - rho) * dx * dx;
             return std::tuple(p - dx, msg1, msdx1);
         })});
    return sweep;
}

}  // namespace

void AdaDelta::update_group(const UpdateGroup& group) {
    check_eps(*this, group, eps);
    sweep_parameters(ada_delta_update(), group, {rho, eps});
}

}  // namespace catena
