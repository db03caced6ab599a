#pragma once

#include <vector>

#include "frontend/trainer/exact_progress.h"
#include "frontend/trainer/summary.h"
#include "frontend/trainer/trigger.h"

namespace catena::triggers {

/// The position of a training when a trigger was asked last, in both units, as Chainer's files
/// store it.
struct Asked {
    /// The iteration; a negative one, as a negative `epoch_detail`, means unknown.
    int64_t iteration = 0;
    /// The position in epochs.
    double epoch_detail = 0;

    /// The old position and the present one, which is stored for the next call.
    std::pair<Fraction, Fraction> to_now(const Updater& updater, const std::string& unit);
    /// Saves or loads the position.
    void serialize(const Serializer& s);
};

/// Fires every `period` epochs or iterations: in the first iteration that reaches or passes the
/// next multiple. Fractions of epochs are fine, and exact: .1 is a tenth.
class IntervalTrigger final : public Trigger {
public:
    /// ValueError for another unit and for a period that is not positive.
    IntervalTrigger(double period, std::string unit);
    bool operator()(Trainer& trainer) override;
    std::optional<TrainingLength> training_length() const override {
        return TrainingLength{period_, unit_};
    }
    /// Whether `period` is reached; as a stop trigger, the period is a limit, not an interval.
    bool is_over(const Trainer& trainer) const override;
    void serialize(const Serializer& s) override;

private:
    double period_;
    std::string unit_;
    Fraction exact_period_;
    Asked asked_;
};

/// Fires at the given epochs or iterations.
class ManualScheduleTrigger final : public Trigger {
public:
    /// A trigger at several points, in epochs or iterations; ValueError for another unit.
    ManualScheduleTrigger(std::vector<double> points, std::string unit);
    ManualScheduleTrigger(double point, std::string unit);
    bool operator()(Trainer& trainer) override;
    bool finished() const override { return finished_; }
    /// The length of the training, for a stop trigger: the first point.
    std::optional<TrainingLength> training_length() const override;
    bool is_over(const Trainer& trainer) const override;
    void serialize(const Serializer& s) override;

private:
    std::vector<double> points_;
    std::string unit_;
    std::vector<Fraction> exact_points_;  ///< The points in ascending order.
    Asked asked_;
    bool finished_ = false;
};

/// Fires in the first iteration, and with call_on_resume in the first one after a snapshot was
/// loaded.
class OnceTrigger final : public Trigger {
public:
    /// `call_on_resume`: whether it also fires after a snapshot was loaded.
    explicit OnceTrigger(bool call_on_resume = false) : resumed_(call_on_resume) {}
    bool operator()(Trainer& trainer) override;
    bool finished() const override { return !(first_ || resumed_); }
    void serialize(const Serializer& s) override;

private:
    bool first_ = true, resumed_;
};

/// Fires every `period` seconds of training.
class TimeTrigger final : public Trigger {
public:
    /// A trigger that fires every `period` seconds.
    explicit TimeTrigger(double period) : period_(period), next_time_(period) {}
    bool operator()(Trainer& trainer) override;
    /// Whether `period` is reached; as a stop trigger, the period is a limit, not an interval.
    bool is_over(const Trainer& trainer) const override;
    void serialize(const Serializer& s) override;

private:
    double period_, next_time_;
};

/// Fires when the mean of a reported value over an interval is better than all before; the first
/// always is.
class BestValueTrigger : public Trigger {
public:
    /// Whether a value is better than the best so far.
    using Compare = std::function<bool(double best, double now)>;
    /// A trigger for the value that is reported as `key`; `trigger` ends an interval.
    BestValueTrigger(std::string key, Compare compare, AnyTrigger trigger = {1, "epoch"});
    bool operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    /// The best value so far; none before the first.
    std::optional<double> best_value() const { return best_value_; }

private:
    std::string key_;
    Compare compare_;
    AnyTrigger trigger_;
    DictSummary summary_;
    std::optional<double> best_value_;
};
/// A BestValueTrigger for values that should be large.
class MaxValueTrigger final : public BestValueTrigger {
public:
    /// A trigger for the value that is reported as `key`; `trigger` ends an interval.
    explicit MaxValueTrigger(std::string key, AnyTrigger trigger = {1, "epoch"});
};
/// A BestValueTrigger for values that should be small.
class MinValueTrigger final : public BestValueTrigger {
public:
    /// A trigger for the value that is reported as `key`; `trigger` ends an interval.
    explicit MinValueTrigger(std::string key, AnyTrigger trigger = {1, "epoch"});
};

/// Options of an EarlyStoppingTrigger.
struct EarlyStoppingOptions {
    /// The trigger of a check.
    AnyTrigger check_trigger = {1, "epoch"};
    /// The reported value whose improvement is checked.
    std::string monitor = "main/loss";
    int patience = 3;  ///< Number of checks without improvement until the training stops.
    /// The direction of improvement: "max", "min"; "auto" is "max" for a monitor with "accuracy" in
    /// its name.
    std::string mode = "auto";
    /// Whether a line is printed at the beginning and when it stops.
    bool verbose = false;
    AnyTrigger max_trigger = {100, "epoch"};  ///< The trigger that stops the training in any case.
};

/// A stop trigger: fires when a reported value has not improved for `patience` checks.
class EarlyStoppingTrigger final : public Trigger {
public:
    /// A trigger with these options. ValueError for another mode.
    explicit EarlyStoppingTrigger(EarlyStoppingOptions options = {});
    bool operator()(Trainer& trainer) override;
    std::optional<TrainingLength> training_length() const override {
        return options_.max_trigger.training_length();
    }
    bool is_over(const Trainer& trainer) const override;
    /// Saves or loads the state (Chainer does not), so that a resumed training stops when the
    /// uninterrupted one does.
    void serialize(const Serializer& s) override;

private:
    EarlyStoppingOptions options_;
    bool larger_is_better_;
    bool was_asked_ = false;
    double best_;
    int64_t count_ = 0;
    DictSummary summary_;
};

}  // namespace catena::triggers
