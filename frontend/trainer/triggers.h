#pragma once

#include <vector>

#include "frontend/trainer/exact_progress.h"
#include "frontend/trainer/summary.h"
#include "frontend/trainer/trigger.h"

namespace catena::triggers {

/// Where a training was when a trigger was asked last, in both units, as Chainer's files have it.
struct Asked {
    int64_t iteration = 0;  ///< Negative, as `epoch_detail`: not known.
    double epoch_detail = 0;

    /// The place then and the one now, of which it takes note.
    std::pair<Fraction, Fraction> to_now(const Updater& updater, const std::string& unit);
    void serialize(const Serializer& s);
};

/// Every `period` epochs or iterations: in the first iteration that reaches or passes the next
/// multiple. Fractions of epochs are fine, and exact: .1 is a tenth.
class IntervalTrigger final : public Trigger {
public:
    IntervalTrigger(double period, std::string unit);
    bool operator()(Trainer& trainer) override;
    std::optional<TrainingLength> training_length() const override {
        return TrainingLength{period_, unit_};
    }
    bool is_over(const Trainer& trainer) const override;  ///< A limit, not an interval.
    void serialize(const Serializer& s) override;

private:
    double period_;
    std::string unit_;
    Fraction exact_period_;
    Asked asked_;
};

/// At the given epochs or iterations.
class ManualScheduleTrigger final : public Trigger {
public:
    ManualScheduleTrigger(std::vector<double> points, std::string unit);
    ManualScheduleTrigger(double point, std::string unit);
    bool operator()(Trainer& trainer) override;
    bool finished() const override { return finished_; }
    /// As a stop trigger, the first point.
    std::optional<TrainingLength> training_length() const override;
    bool is_over(const Trainer& trainer) const override;
    void serialize(const Serializer& s) override;

private:
    std::vector<double> points_;
    std::string unit_;
    std::vector<Fraction> exact_points_;  ///< In ascending order.
    Asked asked_;
    bool finished_ = false;
};

/// In the first iteration, and with call_on_resume in the first one after a snapshot was loaded.
class OnceTrigger final : public Trigger {
public:
    explicit OnceTrigger(bool call_on_resume = false) : resumed_(call_on_resume) {}
    bool operator()(Trainer& trainer) override;
    bool finished() const override { return !(first_ || resumed_); }
    void serialize(const Serializer& s) override;

private:
    bool first_ = true, resumed_;
};

/// Every `period` seconds of training.
class TimeTrigger final : public Trigger {
public:
    explicit TimeTrigger(double period) : period_(period), next_time_(period) {}
    bool operator()(Trainer& trainer) override;
    bool is_over(const Trainer& trainer) const override;  ///< A limit, not an interval.
    void serialize(const Serializer& s) override;

private:
    double period_, next_time_;
};

/// Fires when the mean of a reported value over an interval is better than all before; the first
/// always is.
class BestValueTrigger : public Trigger {
public:
    using Compare = std::function<bool(double best, double now)>;
    BestValueTrigger(std::string key, Compare compare, AnyTrigger trigger = {1, "epoch"});
    bool operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::optional<double> best_value() const { return best_value_; }

private:
    std::string key_;
    Compare compare_;
    AnyTrigger trigger_;
    DictSummary summary_;
    std::optional<double> best_value_;
};
class MaxValueTrigger final : public BestValueTrigger {
public:
    explicit MaxValueTrigger(std::string key, AnyTrigger trigger = {1, "epoch"});
};
class MinValueTrigger final : public BestValueTrigger {
public:
    explicit MinValueTrigger(std::string key, AnyTrigger trigger = {1, "epoch"});
};

struct EarlyStoppingOptions {
    AnyTrigger check_trigger = {1, "epoch"};
    std::string monitor = "main/loss";
    int patience = 3;  ///< Number of checks without improvement until it stops.
    std::string mode =
        "auto";  ///< "max", "min"; "auto" is "max" for a monitor with "accuracy" in its name.
    bool verbose = false;
    AnyTrigger max_trigger = {100, "epoch"};  ///< Stops in any case.
};

/// A stop trigger: fires when a reported value has not improved for `patience` checks.
class EarlyStoppingTrigger final : public Trigger {
public:
    explicit EarlyStoppingTrigger(EarlyStoppingOptions options = {});
    bool operator()(Trainer& trainer) override;
    std::optional<TrainingLength> training_length() const override {
        return options_.max_trigger.training_length();
    }
    bool is_over(const Trainer& trainer) const override;
    /// Unlike in Chainer its state is saved, so that a resumed training stops when the
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
