#include "frontend/optimizer/adam.h"

#include <cmath>

#include "frontend/optimizer/update_rule.h"

namespace catena {
namespace {

/// The new value of a running mean of which `rest` is new.
template <class T>
T moving_mean(T old, T value, T rest) {
    return old + rest * (value - old);
}
template <class T>
T moved(T p, T m, T rate, T eta, T weight_decay_rate) {
    return p - eta * (rate * m + weight_decay_rate * p);
}
template <class T>
T between(T x, T lower, T upper) {
    return minimum(maximum(x, lower), upper);
}

/// Values p, g and moments; shared alpha_t, 1 - beta1, 1 - beta2 and, if bounded, lower and upper.
SweepRule adam_rule(bool amsgrad, bool bounded, Formula formula) {
    SweepRule rule{.values = 4,
                   .shared = 3,
                   .targets = {0, 2, 3},
                   .scalars = {"eps", "eta", "weight_decay_rate"}};
    if (amsgrad) ++rule.values, rule.targets.push_back(4);
    if (bounded) rule.shared += 2;
    rule.formula = std::move(formula);
    return rule;
}

const Sweep& adam_update() {
    static const Sweep sweep(
        "adam_update",
        adam_rule(false, false,
                  make_formula<7, 3>([](auto p, auto g, auto m, auto v, auto alpha_t, auto rest1,
                                        auto rest2, auto eps, auto eta, auto decay) {
                      auto m1 = moving_mean(m, g, rest1), v1 = moving_mean(v, g * g, rest2);
                      return std::tuple(moved(p, m1, alpha_t / (sqrt(v1) + eps), eta, decay), m1,
                                        v1);
                  })));
    return sweep;
}

const Sweep& amsgrad_update() {
    static const Sweep sweep(
        "amsgrad_update",
        adam_rule(true, false,
                  make_formula<8, 3>([](auto p, auto g, auto m, auto v, auto vhat, auto alpha_t,
                                        auto rest1, auto rest2, auto eps, auto eta, auto decay) {
                      auto m1 = moving_mean(m, g, rest1), v1 = moving_mean(v, g * g, rest2),
                           vhat1 = maximum(vhat, v1);
                      return std::tuple(moved(p, m1, alpha_t / (sqrt(vhat1) + eps), eta, decay), m1,
                                        v1, vhat1);
                  })));
    return sweep;
}

const Sweep& adabound_update() {
    static const Sweep sweep(
        "adabound_update",
        adam_rule(false, true,
                  make_formula<9, 3>([](auto p, auto g, auto m, auto v, auto alpha_t, auto rest1,
                                        auto rest2, auto lower, auto upper, auto eps, auto eta,
                                        auto decay) {
                      auto m1 = moving_mean(m, g, rest1), v1 = moving_mean(v, g * g, rest2);
                      auto rate = between(alpha_t / (sqrt(v1) + eps), lower, upper);
                      return std::tuple(moved(p, m1, rate, eta, decay), m1, v1);
                  })));
    return sweep;
}

const Sweep& amsbound_update() {
    static const Sweep sweep(
        "amsbound_update",
        adam_rule(true, true,
                  make_formula<10, 3>([](auto p, auto g, auto m, auto v, auto vhat, auto alpha_t,
                                         auto rest1, auto rest2, auto lower, auto upper, auto eps,
                                         auto eta, auto decay) {
                      auto m1 = moving_mean(m, g, rest1), v1 = moving_mean(v, g * g, rest2),
                           vhat1 = maximum(vhat, v1);
                      auto rate = between(alpha_t / (sqrt(vhat1) + eps), lower, upper);
                      return std::tuple(moved(p, m1, rate, eta, decay), m1, v1, vhat1);
                  })));
    return sweep;
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
    Variables shared = step_numbers(adam_step(), group, {alpha, beta1, beta2});
    if (adabound_)
        for (Variable& limit :
             step_numbers(adabound_limits(), group, {alpha, initial_alpha_, final_lr, gamma}))
            shared.push_back(std::move(limit));
    const Sweep& sweep = adabound_ ? (amsgrad_ ? amsbound_update() : adabound_update())
                                   : (amsgrad_ ? amsgrad_update() : adam_update());
    sweep_parameters(sweep, group, {eps, eta, weight_decay_rate}, shared);
}

}  // namespace catena
