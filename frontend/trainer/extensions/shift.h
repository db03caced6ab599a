#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontend/optimizer/optimizer.h"
#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Common options of hyperparameter schedules.
struct ShiftOptions {
    std::optional<double> init = {};  ///< The first value; by default the optimizer's present one.
    std::optional<double> target = {};  ///< The value at which the shift stops.
    Optimizer* optimizer = nullptr;     ///< The optimizer; by default the updater's "main".
};

/// Changes a hyperparameter, "alpha" or "lr", at every call. A compiled step reads the new value
/// without being recompiled. ValueError when something else has changed it since the last call: two
/// schedules would override each other; ChainedShift lets one follow the other.
class Shift : public Extension {
public:
    /// A function that gives the value after `t` calls; none: unchanged.
    using Schedule = std::function<std::optional<double>(double init, int64_t t)>;
    /// The schedule of the hyperparameter `attr`; `name` is the extension's.
    Shift(std::string name, std::string attr, Schedule schedule, ShiftOptions options = {});
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return type_; }
    /// The name of the hyperparameter.
    const std::string& attribute() const { return attr_; }
    /// The function that gives the hyperparameter's value.
    const Schedule& schedule() const { return schedule_; }
    /// The first value; none: the optimizer's present one.
    const std::optional<double>& initial_value() const { return options_.init; }

private:
    Cell cell(Trainer& trainer) const;
    void set(Trainer& trainer, std::optional<double> value);
    std::string type_, attr_;
    Schedule schedule_;
    ShiftOptions options_;
    int64_t t_ = 0;
    std::optional<double> last_value_;
};

/// Sets the value to init * rate^t after t calls.
Shift ExponentialShift(std::string attr, double rate, ShiftOptions options = {});
/// Sets the value to init * (1 + gamma t)^-power after t calls.
Shift InverseShift(std::string attr, double gamma, double power, ShiftOptions options = {});
/// Sets the value to `value_range.first` until call `time_range.first`, then linearly to
/// `value_range.second` at call `time_range.second`.
Shift LinearShift(std::string attr, std::pair<double, double> value_range,
                  std::pair<int64_t, int64_t> time_range, Optimizer* optimizer = nullptr);
/// Sets the value to init * gamma^(number of elements of `step_value` reached).
Shift MultistepShift(std::string attr, double gamma, std::vector<int64_t> step_value,
                     ShiftOptions options = {});
/// Sets the value to init * max(1 - t / max_count, 0)^rate after t calls.
Shift PolynomialShift(std::string attr, double rate, int64_t max_count, ShiftOptions options = {});
/// Sets the value to init * gamma^floor(t / step) after t calls.
Shift StepShift(std::string attr, double gamma, int64_t step, ShiftOptions options = {});
/// Changes the value linearly from `warmup_start` to `init` in `warmup_iter` calls, and leaves it
/// alone afterwards.
Shift WarmupShift(std::string attr, double warmup_start, int64_t warmup_iter, double init,
                  Optimizer* optimizer = nullptr);

/// Sets the value to target + (init - target) (1 + cos(pi t / max_count)) / 2 after t calls, and to
/// the target (0 unless given) from max_count on (Loshchilov and Hutter 2017).
Shift CosineShift(std::string attr, int64_t max_count, ShiftOptions options = {});

/// A schedule and the number of calls for which it holds.
struct ShiftPart {
    /// The schedule.
    Shift shift;
    /// The number of calls.
    int64_t calls;
};
/// One schedule after another, the last for ever. Each begins with its own init, else where the one
/// before ended:
///
///     trainer.extend(ct::extensions::ChainedShift({{ct::extensions::WarmupShift("lr", 0, 5, 0.1),
///     5},
///                                                  {ct::extensions::CosineShift("lr", 95), 95}}));
///
/// ValueError without parts, for different hyperparameters and for numbers of calls that are not
/// positive.
Shift ChainedShift(std::vector<ShiftPart> parts, Optimizer* optimizer = nullptr);

}  // namespace catena::extensions
