#include "frontend/trainer/extensions/shift.h"

#include <algorithm>
#include <cmath>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {
namespace {

/// `value`, limited by the target in the direction of the shift; uses ratios to support negative
/// values.
double stopped_at(std::optional<double> target, double value, bool grows) {
    if (!target) return value;
    return (grows ? value / *target > 1 : value / *target < 1) ? *target : value;
}

}  // namespace

Shift::Shift(std::string name, std::string attr, Schedule schedule, ShiftOptions options)
    : type_(std::move(name)),
      attr_(std::move(attr)),
      schedule_(std::move(schedule)),
      options_(std::move(options)) {}

Cell Shift::cell(Trainer& trainer) const {
    Optimizer& optimizer =
        options_.optimizer ? *options_.optimizer : trainer.updater().get_optimizer("main");
    return optimizer.hyperparameter(attr_);
}

void Shift::set(Trainer& trainer, std::optional<double> value) {
    if (!value) return;
    Cell hyperparameter = cell(trainer);
    hyperparameter = *value;
    last_value_ = value;
}

void Shift::initialize(Trainer& trainer) {
    if (!options_.init) options_.init = cell(trainer).value();
    set(trainer, last_value_ ? last_value_ : schedule_(*options_.init, t_));
}

void Shift::operator()(Trainer& trainer) {
    const std::optional<double> value = schedule_(*options_.init, ++t_);
    const double present = cell(trainer).value();
    if (value && last_value_ && present != *last_value_)
        fail<ValueError>(
            "{}: {} is {}, but this schedule has set it to {}: something else changes it, too. Two "
            "schedules are "
            "chained by ChainedShift",
            type_, attr_, present, *last_value_);
    set(trainer, value);
}

void Shift::serialize(const Serializer& s) {
    s("_t", t_);
    if (s.has("_last_value")) s("_last_value", last_value_);  // Some of Chainer's keep only t.
}

Shift ExponentialShift(std::string attr, double rate, ShiftOptions options) {
    if (rate < 0)
        fail<ValueError>("ExponentialShift: the rate must not be negative, it is {}", rate);
    auto schedule = [rate, target = options.target](double init, int64_t t) {
        return stopped_at(target, init * std::pow(rate, double(t)), rate > 1);
    };
    return Shift("ExponentialShift", std::move(attr), schedule, std::move(options));
}

Shift InverseShift(std::string attr, double gamma, double power, ShiftOptions options) {
    if (gamma < 0) fail<ValueError>("InverseShift: gamma must not be negative, it is {}", gamma);
    auto schedule = [=, target = options.target](double init, int64_t t) {
        return stopped_at(target, init * std::pow(1 + gamma * double(t), -power), power < 0);
    };
    return Shift("InverseShift", std::move(attr), schedule, std::move(options));
}

Shift LinearShift(std::string attr, std::pair<double, double> value_range,
                  std::pair<int64_t, int64_t> time_range, Optimizer* optimizer) {
    auto schedule = [=](double, int64_t t) {
        auto [v1, v2] = value_range;
        auto [t1, t2] = time_range;
        if (t <= t1) return v1;
        if (t >= t2) return v2;
        return v1 + double(t - t1) / double(t2 - t1) * (v2 - v1);
    };
    return Shift("LinearShift", std::move(attr), schedule, {.optimizer = optimizer});
}

Shift MultistepShift(std::string attr, double gamma, std::vector<int64_t> step_value,
                     ShiftOptions options) {
    auto schedule = [gamma, steps = std::move(step_value)](double init, int64_t t) {
        auto passed =
            std::count_if(steps.begin(), steps.end(), [&](int64_t step) { return step <= t; });
        return init * std::pow(gamma, double(passed));
    };
    return Shift("MultistepShift", std::move(attr), schedule, std::move(options));
}

Shift PolynomialShift(std::string attr, double rate, int64_t max_count, ShiftOptions options) {
    auto schedule = [=, target = options.target](double init, int64_t t) {
        double value = init * std::pow(std::max(1 - double(t) / double(max_count), 0.0), rate);
        if (!target) return value;
        return (rate > 0 ? *target / value > 1 : *target / value < 1) ? *target : value;
    };
    return Shift("PolynomialShift", std::move(attr), schedule, std::move(options));
}

Shift StepShift(std::string attr, double gamma, int64_t step, ShiftOptions options) {
    if (gamma < 0) fail<ValueError>("StepShift: gamma must not be negative, it is {}", gamma);
    auto schedule = [=, target = options.target](double init, int64_t t) {
        return stopped_at(target, init * std::pow(gamma, double(t / step)), gamma > 1);
    };
    return Shift("StepShift", std::move(attr), schedule, std::move(options));
}

Shift WarmupShift(std::string attr, double warmup_start, int64_t warmup_iter, double init,
                  Optimizer* optimizer) {
    auto schedule = [=](double, int64_t t) -> std::optional<double> {
        if (t > warmup_iter) return std::nullopt;
        return (double(t) * init + double(warmup_iter - t) * warmup_start) / double(warmup_iter);
    };
    return Shift("WarmupShift", std::move(attr), schedule, {.optimizer = optimizer});
}

Shift CosineShift(std::string attr, int64_t max_count, ShiftOptions options) {
    if (max_count < 1)
        fail<ValueError>("CosineShift: max_count is {}, it should be positive", max_count);
    auto schedule = [=, target = options.target.value_or(0)](double init, int64_t t) {
        const double done = double(std::min(t, max_count)) / double(max_count);
        return target + (init - target) * (1 + std::cos(M_PI * done)) / 2;
    };
    return Shift("CosineShift", std::move(attr), schedule, std::move(options));
}

Shift ChainedShift(std::vector<ShiftPart> parts, Optimizer* optimizer) {
    if (parts.empty()) fail<ValueError>("ChainedShift: at least one schedule is needed");
    for (const ShiftPart& part : parts) {
        if (part.shift.attribute() != parts[0].shift.attribute())
            fail<ValueError>("ChainedShift: schedules of '{}' and '{}' cannot follow each other",
                             parts[0].shift.attribute(), part.shift.attribute());
        if (part.calls < 1)
            fail<ValueError>("ChainedShift: a schedule for {} calls; 1 or more are needed",
                             part.calls);
    }
    const std::string attribute = parts[0].shift.attribute();
    const std::optional<double> first = parts[0].shift.initial_value();
    auto schedule = [parts = std::move(parts)](double init, int64_t t) -> std::optional<double> {
        double value = init;
        for (size_t k = 0;; ++k) {
            const Shift& shift = parts[k].shift;
            value = shift.initial_value().value_or(value);
            const int64_t calls = k + 1 == parts.size() ? t : std::min(t, parts[k].calls);
            value = shift.schedule()(value, calls).value_or(value);
            t -= calls;
            if (t == 0 && (k + 1 == parts.size() || calls < parts[k].calls)) return value;
        }
    };
    return Shift("ChainedShift", attribute, schedule, {.init = first, .optimizer = optimizer});
}

}  // namespace catena::extensions
