#include "frontend/optimizer/adam.h"

#include <cmath>
#include <map>

#include "frontend/optimizer/update_rule.h"
#include "runtime/core/error.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/ops/define/register_map.h"

namespace catena {
namespace {

const Sweep& adam_update() {
    static const Sweep sweep(
        "adam_update",
        {.values = 4, .shared = 3, .targets = {0, 2, 3}, .scalars = {"eps", "eta", "weight_decay_rate"},
         .formula = make_formula<7, 3>([](auto p, auto g, auto m, auto v, auto alpha_t, auto rest1, auto rest2,
                                          auto eps, auto eta, auto weight_decay_rate) {
             auto m1 = m + rest1 * (g - m);
             auto v1 = v + rest2 * (g * g - v);
             auto p1 = p - eta * (alpha_t * m1 / (sqrt(v1) + eps) + weight_decay_rate * p);
             return std::tuple(p1, m1, v1);
         })});
    return sweep;
}

/// The numbers of one step from its count: alpha_t, 1 - beta1, 1 - beta2. In float64, because beta2 near 1 leaves
/// few digits of 1 - beta2^t in float32.
const OpDef& adam_step_op() {
    static const OpDef& op = [&]() -> const OpDef& {
        OpDef op;
        op.name = "adam_step";
        op.kind = Kind::map;
        op.output_count = 3;
        op.scalar_names = {"alpha", "beta1", "beta2"};
        op.formula = make_formula<1, 3>([](auto t, auto alpha, auto beta1, auto beta2) {
            auto alpha_t = alpha * sqrt(1.0 - pow(beta2, t)) / (1.0 - pow(beta1, t));
            return std::tuple(alpha_t, 1.0 - beta1, 1.0 - beta2);
        });
        op.type = [](const TypeCall& call) {
            Type type{Dtype::float64, call.inputs[0].shape};
            return Types{type, type, type};
        };
        return register_map(std::move(op));
    }();
    return op;
}

}  // namespace

Adam::Adam(const AdamOptions& options)
    : alpha(options.alpha, "alpha"), beta1(options.beta1, "beta1"), beta2(options.beta2, "beta2"),
      eps(options.eps, "eps"), eta(options.eta, "eta"),
      weight_decay_rate(options.weight_decay_rate, "weight_decay_rate") {}

double Adam::learning_rate() const {
    double steps = double(t());
    if (steps == 0) return alpha;
    return alpha * std::sqrt(1 - std::pow(beta2.value(), steps)) / (1 - std::pow(beta1.value(), steps));
}

void Adam::update_slots(std::span<UpdateSlot* const> slots) {
    Variable t = cast(step_count(), Dtype::float64);
    const Variable* inputs[] = {&t};
    Scalar scalars[] = {alpha, beta1, beta2};
    Variables step = apply(adam_step_op(), inputs, current_location(), {}, scalars);

    // A float64 number would make a float32 parameter's update be computed in float64.
    std::map<Dtype, std::vector<UpdateSlot*>> by_dtype;
    for (UpdateSlot* slot : slots) by_dtype[compute_dtype(slot->param.dtype())].push_back(slot);
    for (auto& [dtype, group] : by_dtype) {
        Variable shared[] = {cast(step[0], dtype), cast(step[1], dtype), cast(step[2], dtype)};
        sweep_parameters(adam_update(), group, shared, {eps, eta, weight_decay_rate});
    }
}

}  // namespace catena
