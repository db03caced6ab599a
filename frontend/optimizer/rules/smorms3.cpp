#include "frontend/optimizer/rules/smorms3.h"

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

const Sweep& smorms3_update() {
    static const Sweep sweep("smorms3_update",
                             {.values = 5,
                              .targets = {0, 2, 3, 4},
                              .scalars = {"lr", "eps"},
                              .formula = make_formula<5, 2>(
                                  [](auto p, auto g, auto mem, auto m, auto g2, auto lr, auto eps) {
                                      auto r = 1.0 / (mem + 1.0);
                                      auto m1 = (1.0 - r) * m + r * g;
                                      auto g21 = (1.0 - r) * g2 + r * g * g;
                                      auto x = m1 * m1 / (g21 + eps);
                                      return std::tuple(p - g * minimum(x, lr) / (sqrt(g21) + eps),
                                                        1.0 + mem * (1.0 - x), m1, g21);
                                  })});
    return sweep;
}

}  // namespace

Array SMORMS3::first_moment(const std::string& name, const Type& type) const {
    return name == moment_names()[0] ? Array::full(type, 1.0) : Array::zeros(type);
}

void SMORMS3::update_group(const UpdateGroup& group) {
    check_eps(*this, group, eps);
    sweep_parameters(smorms3_update(), group, {lr, eps});
}

}  // namespace catena
