#include "frontend/optimizer/rules/adam.h"

#include <array>
#include <cmath>

#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

/// The new value of a running mean of which `rest` is new.
template <class T>
T moving_mean(T old, T value, T rest) {
    return old + rest * (value - old);
}
/// The variant of Adam that the options choose.
struct Variant {
    bool amsgrad, bounded, decay_by_alpha;

    /// Values p, g and moments.
    constexpr int values() const { return 4 + amsgrad; }
    /// alpha_t, 1 - beta1, 1 - beta2; the decay if it is scaled by alpha; lower and upper if
    /// bounded.
    constexpr int shared() const { return 3 + decay_by_alpha + 2 * bounded; }
    constexpr int scalars() const { return 2 + !decay_by_alpha; }
};

template <Variant variant>
Formula adam_formula() {
    return make_formula<variant.values() + variant.shared(), variant.scalars()>([](auto... inputs) {
        const std::array all{inputs...};
        size_t taken = 0;
        const auto next = [&] { return all[taken++]; };
        const auto p = next(), g = next(), m = next(), v = next();
        const auto vhat = variant.amsgrad ? next() : v;
        const auto alpha_t = next(), rest1 = next(), rest2 = next();
        const auto scaled_decay = variant.decay_by_alpha ? next() : p;
        const auto lower = variant.bounded ? next() : p, upper = variant.bounded ? next() : p;
        const auto eps = next(), eta = next();
        const auto decay = variant.decay_by_alpha ? scaled_decay : next();

        const auto m1 = moving_mean(m, g, rest1), v1 = moving_mean(v, g * g, rest2);
        const auto vhat1 = variant.amsgrad ? maximum(vhat, v1) : v1;
        auto rate = alpha_t / (sqrt(vhat1) + eps);
        if (variant.bounded) rate = minimum(maximum(rate, lower), upper);
        const auto p1 = p - eta * (rate * m1 + decay * p);
        if constexpr (variant.amsgrad)
            return std::tuple(p1, m1, v1, vhat1);
        else
            return std::tuple(p1, m1, v1);
    });
}

template <Variant variant>
const Sweep& adam_sweep(const char* name) {
    static const Sweep sweep(name, [] {
        SweepRule rule{.values = variant.values(),
                       .shared = variant.shared(),
                       .targets = {0, 2, 3},
                       .scalars = {"eps", "eta"},
                       .formula = adam_formula<variant>()};
        if (variant.amsgrad) rule.targets.push_back(4);
        if (!variant.decay_by_alpha) rule.scalars.push_back("weight_decay_rate");
        return rule;
    }());
    return sweep;
}

const Sweep& sweep_of(const Variant& variant) {
    if (variant.decay_by_alpha) {
        if (variant.bounded)
            return variant.amsgrad
                       ? adam_sweep<Variant{true, true, true}>("amsbound_scaled_decay")
                       : adam_sweep<Variant{false, true, true}>("adabound_scaled_decay");
        return variant.amsgrad ? adam_sweep<Variant{true, false, true}>("amsgrad_scaled_decay")
                               : adam_sweep<Variant{false, false, true}>("adam_scaled_decay");
    }
    if (variant.bounded)
        return variant.amsgrad ? adam_sweep<Variant{true, true, false}>("amsbound_update")
                               : adam_sweep<Variant{false, true, false}>("adabound_update");
    return variant.amsgrad ? adam_sweep<Variant{true, false, false}>("amsgrad_update")
                           : adam_sweep<Variant{false, false, false}>("adam_update");
}

const OpDef& adam_step() {
    static const OpDef& op = define_step_numbers(
        "adam_step", {"alpha", "beta1", "beta2"}, 3,
        make_formula<1, 3>([](auto t, auto alpha, auto beta1, auto beta2) {
            auto alpha_t = alpha * sqrt(1.0 - pow(beta2, t)) / (1.0 - pow(beta1, t));
            return std::tuple(alpha_t, 1.0 - beta1, 1.0 - beta2);
        }));
    return op;
}

const OpDef& adam_step_and_decay() {
    static const OpDef& op = define_step_numbers(
        "adam_step_and_decay", {"alpha", "beta1", "beta2", "weight_decay_rate"}, 4,
        make_formula<1, 4>([](auto t, auto alpha, auto beta1, auto beta2, auto decay) {
            auto alpha_t = alpha * sqrt(1.0 - pow(beta2, t)) / (1.0 - pow(beta1, t));
            return std::tuple(alpha_t, 1.0 - beta1, 1.0 - beta2, alpha * decay);
        }));
    return op;
}

const OpDef& adabound_limits() {
    static const OpDef& op = define_step_numbers(
        "adabound_limits", {"alpha", "initial_alpha", "final_lr", "gamma"}, 2,
        make_formula<1, 4>([](auto t, auto alpha, auto initial_alpha, auto final_lr, auto gamma) {
            auto rate = final_lr * alpha / initial_alpha;
            return std::tuple(rate * (1.0 - 1.0 / (gamma * t + 1.0)),
                              rate * (1.0 + 1.0 / (gamma * t)));
        }));
    return op;
}

}  // namespace

Adam::Adam(const AdamOptions& options)
    : alpha(options.alpha, "alpha"),
      beta1(options.beta1, "beta1"),
      beta2(options.beta2, "beta2"),
      eps(options.eps, "eps"),
      eta(options.eta, "eta"),
      weight_decay_rate(options.weight_decay_rate, "weight_decay_rate"),
      final_lr(options.final_lr, "final_lr"),
      gamma(options.gamma, "gamma"),
      amsgrad_(options.amsgrad),
      adabound_(options.adabound),
      decay_by_alpha_(options.decay_by_alpha),
      initial_alpha_(options.alpha, "initial_alpha") {}

std::vector<std::string> Adam::moment_names() const {
    if (amsgrad_) return {"m", "v", "vhat"};
    return {"m", "v"};
}

std::vector<Cell> Adam::hyperparameters() const {
    std::vector<Cell> cells{alpha, beta1, beta2, eps, eta, weight_decay_rate};
    if (adabound_) cells.insert(cells.end(), {final_lr, gamma});
    return cells;
}

double Adam::learning_rate() const {
    double steps = double(t());
    if (steps == 0) return alpha;
    return alpha * std::sqrt(1 - std::pow(beta2.value(), steps)) /
           (1 - std::pow(beta1.value(), steps));
}

void Adam::update_group(const UpdateGroup& group) {
    check_eps(*this, group, eps);
    Variables shared = decay_by_alpha_ ? step_numbers(adam_step_and_decay(), group,
                                                      {alpha, beta1, beta2, weight_decay_rate})
                                       : step_numbers(adam_step(), group, {alpha, beta1, beta2});
    if (adabound_)
        for (Variable& limit :
             step_numbers(adabound_limits(), group, {alpha, initial_alpha_, final_lr, gamma}))
            shared.push_back(std::move(limit));
    const Sweep& sweep = sweep_of({amsgrad_, adabound_, decay_by_alpha_});
    if (decay_by_alpha_)
        sweep_parameters(sweep, group, {eps, eta}, shared);
    else
        sweep_parameters(sweep, group, {eps, eta, weight_decay_rate}, shared);
}

}  // namespace catena
