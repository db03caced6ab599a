// The update rules once more, as their papers or Chainer's documents have them.
#include "tests/frontend/optimizer_rules.h"

#include <algorithm>
#include <cmath>

namespace catena::testing {
namespace {

template <class O, class... Arguments>
std::function<std::unique_ptr<Optimizer>()> made(Arguments... arguments) {
    return [=] { return std::make_unique<O>(arguments...); };
}

ElementRule velocity(double lr, double momentum,
                     std::function<double(double v, double step)> movement) {
    return [=](double& p, double g, double* v, int, double rate) {
        v[0] = momentum * v[0] - rate * lr * g;
        p += movement(v[0], rate * lr * g);
    };
}

ElementRule rmsprop(double lr, double alpha, double eps, bool inside) {
    return [=](double& p, double g, double* ms, int, double rate) {
        ms[0] = alpha * ms[0] + (1 - alpha) * g * g;
        p -= rate * lr * g / (inside ? std::sqrt(ms[0] + eps) : std::sqrt(ms[0]) + eps);
    };
}

ElementRule graves(double lr, double alpha, double momentum, double eps) {
    return [=](double& p, double g, double* s, int, double rate) {
        s[0] = alpha * s[0] + (1 - alpha) * g * g;
        s[1] = alpha * s[1] + (1 - alpha) * g;
        s[2] = momentum * s[2] - rate * lr * g / std::sqrt(s[0] - s[1] * s[1] + eps);
        p += s[2];
    };
}

ElementRule adam(const AdamOptions& o) {
    return [o](double& p, double g, double* s, int t, double rate) {
        const double alpha = rate * o.alpha;
        s[0] = o.beta1 * s[0] + (1 - o.beta1) * g;
        s[1] = o.beta2 * s[1] + (1 - o.beta2) * g * g;
        double v = s[1];
        if (o.amsgrad) v = s[2] = std::max(s[2], s[1]);
        double step = alpha * std::sqrt(1 - std::pow(o.beta2, t)) / (1 - std::pow(o.beta1, t)) /
                      (std::sqrt(v) + o.eps);
        if (o.adabound)
            step = std::clamp(step, rate * o.final_lr * (1 - 1 / (o.gamma * t + 1)),
                              rate * o.final_lr * (1 + 1 / (o.gamma * t)));
        p = (1 - o.eta * o.weight_decay_rate) * p - o.eta * step * s[0];
    };
}

ElementRule msvag(const MSVAGOptions& o) {
    return [o](double& p, double g, double* s, int t, double rate) {
        const double b = o.beta, bt = std::pow(b, t);
        const double rho = std::min(
            (1 - b) * (1 - b) * (1 - bt * bt) / ((1 - bt) * (1 - bt) * (1 - b * b)), 0.9999);
        s[0] += (1 - b) * (g - s[0]);
        s[1] += (1 - b) * (g * g - s[1]);
        const double m = s[0] / (1 - bt), v = s[1] / (1 - bt), variance = (v - m * m) / (1 - rho);
        double factor = m * m / (m * m + rho * variance);
        factor = std::isnan(factor) ? 0 : std::clamp(factor, 0.0, 1.0);
        p -= o.eta * (rate * o.lr * m * factor + o.weight_decay_rate * p);
    };
}

ElementRule smorms3(double lr, double eps) {
    return [=](double& p, double g, double* s, int, double rate) {
        const double r = 1 / (s[0] + 1);
        s[1] = (1 - r) * s[1] + r * g;
        s[2] = (1 - r) * s[2] + r * g * g;
        const double x = s[1] * s[1] / (s[2] + eps);
        p -= g * std::min(x, rate * lr) / (std::sqrt(s[2]) + eps);
        s[0] = 1 + s[0] * (1 - x);
    };
}

void sgd(double& p, double g, double*, int, double rate) { p -= rate * 0.01 * g; }

void corrected(double& p, double g, double* v, int, double rate) {
    v[0] = 0.9 * v[0] - g;
    p += rate * 0.01 * v[0];
}

void ada_grad(double& p, double g, double* h, int, double rate) {
    h[0] += g * g;
    p -= rate * 0.001 * g / (std::sqrt(h[0]) + 1e-8);
}

void ada_delta(double& p, double g, double* s, int, double) {
    s[0] = 0.95 * s[0] + 0.05 * g * g;
    const double dx = std::sqrt((s[1] + 1e-6) / (s[0] + 1e-6)) * g;
    s[1] = 0.95 * s[1] + 0.05 * dx * dx;
    p -= dx;
}

double plain(double v, double) { return v; }
ElementRule nesterov(double lr, double momentum) {
    return velocity(lr, momentum, [=](double v, double step) {
        return momentum * momentum * v - (1 + momentum) * step;
    });
}

const AdamOptions decayed{.alpha = 0.01, .eta = 0.5, .weight_decay_rate = 0.1};
const AdamOptions maximal{.alpha = 0.01, .beta2 = 0.6};
const AdamOptions bounded{.alpha = 0.01, .final_lr = 0.05, .gamma = 0.3};
const AdamOptions both{.alpha = 0.01, .beta2 = 0.6, .final_lr = 0.05, .gamma = 0.3};
AdamOptions with(AdamOptions options, bool amsgrad, bool adabound) {
    options.amsgrad = amsgrad;
    options.adabound = adabound;
    return options;
}

const RMSpropOptions inside{.lr = 0.02, .alpha = 0.9, .eps = 1e-3, .eps_inside_sqrt = true};
const RMSpropGravesOptions set_graves{.lr = 0.01, .alpha = 0.8, .momentum = 0.5, .eps = 1e-2};
const MSVAGOptions decayed_msvag{.lr = 0.05, .beta = 0.8, .eta = 0.5, .weight_decay_rate = 0.1};

// MSVAG's first steps divide a difference of nearly equal numbers by 1 - rho = 1e-4.
constexpr double cancels = 3e-4;

}  // namespace

const std::vector<RuleCase>& rule_cases() {
    static const std::vector<RuleCase> cases{
        {"SGD", made<SGD>(), sgd},
        {"MomentumSGD", made<MomentumSGD>(), velocity(0.01, 0.9, plain)},
        {"CorrectedMomentumSGD", made<CorrectedMomentumSGD>(), corrected},
        {"NesterovAG", made<NesterovAG>(), nesterov(0.01, 0.9)},
        {"NesterovAG_set", made<NesterovAG>(0.05, 0.7), nesterov(0.05, 0.7)},
        {"RMSprop", made<RMSprop>(), rmsprop(0.01, 0.99, 1e-8, false)},
        {"RMSprop_inside", made<RMSprop>(inside), rmsprop(0.02, 0.9, 1e-3, true)},
        {"RMSpropGraves", made<RMSpropGraves>(), graves(1e-4, 0.95, 0.9, 1e-4)},
        {"RMSpropGraves_set", made<RMSpropGraves>(set_graves), graves(0.01, 0.8, 0.5, 1e-2)},
        {"AdaGrad", made<AdaGrad>(), ada_grad},
        {"AdaDelta", made<AdaDelta>(), ada_delta, ""},
        {"MSVAG", made<MSVAG>(), msvag({}), "lr", {}, cancels},
        {"MSVAG_decay", made<MSVAG>(decayed_msvag), msvag(decayed_msvag), "lr", {}, cancels},
        {"SMORMS3", made<SMORMS3>(), smorms3(0.001, 1e-16), "lr", {1, 0, 0}},
        {"SMORMS3_set", made<SMORMS3>(0.3, 1e-3), smorms3(0.3, 1e-3), "lr", {1, 0, 0}},
        {"Adam", made<Adam>(), adam({}), "alpha"},
        {"AdamW", made<AdamW>(decayed), adam(decayed), "alpha"},
        {"AMSGrad", made<AMSGrad>(maximal), adam(with(maximal, true, false)), "alpha"},
        {"AdaBound", made<AdaBound>(bounded), adam(with(bounded, false, true)), "alpha"},
        {"AMSBound", made<AMSBound>(both), adam(with(both, true, true)), "alpha"},
    };
    return cases;
}

}  // namespace catena::testing
