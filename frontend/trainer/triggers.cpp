#include "frontend/trainer/triggers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"

namespace catena {
namespace {

class FunctionTrigger final : public Trigger {
public:
    explicit FunctionTrigger(std::function<bool(Trainer&)> function)
        : function_(std::move(function)) {}
    bool operator()(Trainer& trainer) override { return function_(trainer); }

private:
    std::function<bool(Trainer&)> function_;
};

void check_unit(const char* who, const std::string& unit) {
    if (unit != "epoch" && unit != "iteration")
        fail<ValueError>("{}: the unit is 'epoch' or 'iteration', not '{}'", who, unit);
}

}  // namespace

std::optional<TrainingLength> Trigger::training_length() const { return std::nullopt; }

AnyTrigger::AnyTrigger() = default;
AnyTrigger::AnyTrigger(std::shared_ptr<Trigger> trigger) : trigger_(std::move(trigger)) {}
AnyTrigger::AnyTrigger(const AnyTrigger& other) try
    : trigger_(other.clone_ ? other.clone_(*other.trigger_) : other.trigger_),
      clone_(other.clone_) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a copy of a trigger");
}
AnyTrigger::AnyTrigger(AnyTrigger&& other) noexcept
    : trigger_(std::move(other.trigger_)), clone_(std::exchange(other.clone_, nullptr)) {}
AnyTrigger& AnyTrigger::operator=(AnyTrigger other) noexcept {
    trigger_.swap(other.trigger_);
    clone_ = other.clone_;
    return *this;
}
AnyTrigger::~AnyTrigger() = default;

bool AnyTrigger::operator()(Trainer& trainer) const { return trigger_ && (*trigger_)(trainer); }
bool AnyTrigger::finished() const { return trigger_ && trigger_->finished(); }
bool AnyTrigger::is_over(const Trainer& trainer) const {
    return trigger_ && trigger_->is_over(trainer);
}
AnyTrigger AnyTrigger::interval(double period, const std::string& unit) try {
    return triggers::IntervalTrigger(period, unit);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a trigger");
}
AnyTrigger AnyTrigger::from_function(std::function<bool(Trainer&)> function) try {
    return FunctionTrigger(std::move(function));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a trigger");
}
AnyTrigger AnyTrigger::never() {
    return FunctionTrigger([](Trainer&) { return false; });
}
std::optional<TrainingLength> AnyTrigger::training_length() const {
    return trigger_ ? trigger_->training_length() : std::nullopt;
}
void AnyTrigger::serialize(const Serializer& s) const {
    if (trigger_) trigger_->serialize(s);
}

namespace triggers {

std::pair<Fraction, Fraction> Asked::to_now(const Updater& updater, const std::string& unit) {
    const Fraction now = progress_of(updater, unit);
    Fraction then;
    if (unit == "iteration")
        then = {iteration < 0 ? updater.iteration() - 1 : iteration, 1};
    else if (epoch_detail < 0)
        then = epochs_of(updater, updater.previous_epoch_detail().value_or(0));
    else
        then = epochs_of(updater, epoch_detail);
    iteration = updater.iteration();
    epoch_detail = updater.epoch_detail();
    return {then, now};
}

void Asked::serialize(const Serializer& s) {
    s("previous_iteration", iteration);
    s("previous_epoch_detail", epoch_detail);
}

IntervalTrigger::IntervalTrigger(double period, std::string unit)
    : period_(period), unit_(std::move(unit)) {
    check_unit("IntervalTrigger", unit_);
    if (!(period > 0))
        fail<ValueError>("IntervalTrigger: the period must be positive, not {}", period);
    exact_period_ = fraction_of(period);
}

bool IntervalTrigger::operator()(Trainer& trainer) {
    const auto [then, now] = asked_.to_now(trainer.updater(), unit_);
    return times_in(then, exact_period_) != times_in(now, exact_period_);
}

bool IntervalTrigger::is_over(const Trainer& trainer) const {
    return !(progress_of(trainer.updater(), unit_) < exact_period_);
}

void IntervalTrigger::serialize(const Serializer& s) { asked_.serialize(s); }

ManualScheduleTrigger::ManualScheduleTrigger(std::vector<double> points, std::string unit)
    : points_(std::move(points)), unit_(std::move(unit)) {
    check_unit("ManualScheduleTrigger", unit_);
    if (points_.empty())
        fail<ValueError>(
            "ManualScheduleTrigger: no points are given; give at least one epoch or iteration");
    for (const double point : points_) {
        if (std::isnan(point)) fail<ValueError>("ManualScheduleTrigger: a point is not a number");
        exact_points_.push_back(fraction_of(point));
    }
    std::sort(exact_points_.begin(), exact_points_.end());
}

ManualScheduleTrigger::ManualScheduleTrigger(double point, std::string unit)
    : ManualScheduleTrigger(std::vector{point}, std::move(unit)) {}

bool ManualScheduleTrigger::operator()(Trainer& trainer) {
    const auto [then, now] = asked_.to_now(trainer.updater(), unit_);
    finished_ = !(now < exact_points_.back());
    const auto next = std::upper_bound(exact_points_.begin(), exact_points_.end(), then);
    return next != exact_points_.end() && !(now < *next);
}

std::optional<TrainingLength> ManualScheduleTrigger::training_length() const {
    return TrainingLength{*std::min_element(points_.begin(), points_.end()), unit_};
}

bool ManualScheduleTrigger::is_over(const Trainer& trainer) const {
    return !(progress_of(trainer.updater(), unit_) < exact_points_.front());
}

void ManualScheduleTrigger::serialize(const Serializer& s) {
    asked_.serialize(s);
    s("finished", finished_);
}

bool OnceTrigger::operator()(Trainer&) {
    bool fire = !finished();
    first_ = resumed_ = false;
    return fire;
}

void OnceTrigger::serialize(const Serializer& s) { s("_flag_first", first_); }

bool TimeTrigger::operator()(Trainer& trainer) {
    if (next_time_ >= trainer.elapsed_time()) return false;
    next_time_ += period_;
    return true;
}

bool TimeTrigger::is_over(const Trainer& trainer) const { return trainer.elapsed_time() > period_; }

void TimeTrigger::serialize(const Serializer& s) { s("next_time", next_time_); }

BestValueTrigger::BestValueTrigger(std::string key, Compare compare, AnyTrigger trigger)
    : key_(std::move(key)), compare_(std::move(compare)), trigger_(std::move(trigger)) {}

MaxValueTrigger::MaxValueTrigger(std::string key, AnyTrigger trigger)
    : BestValueTrigger(std::move(key), std::less<double>(), std::move(trigger)) {}

MinValueTrigger::MinValueTrigger(std::string key, AnyTrigger trigger)
    : BestValueTrigger(std::move(key), std::greater<double>(), std::move(trigger)) {}

bool BestValueTrigger::operator()(Trainer& trainer) {
    const Observation& observation = trainer.observation();
    if (auto found = observation.find(key_); found != observation.end()) summary_.add({*found});
    if (!trigger_(trainer)) return false;
    std::map<std::string, double> means = summary_.compute_mean();
    if (means.empty())
        fail<ValueError>(
            "BestValueTrigger: '{}' was not reported in this interval; extensions that report it "
            "need a "
            "higher priority",
            key_);
    double now = means.at(key_);
    summary_.clear();
    if (best_value_ && !compare_(*best_value_, now)) return false;
    best_value_ = now;
    return true;
}

void BestValueTrigger::serialize(const Serializer& s) {
    trigger_.serialize(s["interval_trigger"]);
    summary_.serialize(s["summary"]);
    s("best_value", best_value_);
}

EarlyStoppingTrigger::EarlyStoppingTrigger(EarlyStoppingOptions options)
    : options_(std::move(options)) {
    const std::string& mode = options_.mode;
    if (mode != "auto" && mode != "max" && mode != "min")
        fail<ValueError>("EarlyStoppingTrigger: mode is 'auto', 'max' or 'min', not '{}'", mode);
    larger_is_better_ =
        mode == "max" || (mode == "auto" && options_.monitor.find("accuracy") != std::string::npos);
    best_ = std::numeric_limits<double>::infinity() * (larger_is_better_ ? -1 : 1);
    if (options_.verbose)
        std::printf(larger_is_better_ ? "early stopping: operator is greater\n"
                                      : "early stopping: operator is less\n");
}

bool EarlyStoppingTrigger::operator()(Trainer& trainer) {
    const Observation& observation = trainer.observation();
    auto found = observation.find(options_.monitor);
    if (found != observation.end()) summary_.add({*found});
    // Before its first iteration a resumed training has observed nothing yet.
    const bool is_beginning = !std::exchange(was_asked_, true) && observation.empty();
    if (options_.max_trigger(trainer)) return true;
    if (!options_.check_trigger(trainer) || is_beginning) return false;
    if (found == observation.end()) {
        say(LogLevel::warning,
            fmt::format("EarlyStoppingTrigger: {} is not reported", options_.monitor));
        return false;
    }
    double now = summary_.compute_mean().at(options_.monitor);
    summary_.clear();
    if (larger_is_better_ ? now > best_ : now < best_) {
        best_ = now;
        count_ = 0;
    } else {
        ++count_;
    }
    if (count_ < options_.patience) return false;
    if (options_.verbose)
        std::printf("Epoch %ld: early stopping\n", long(trainer.updater().epoch()));
    return true;
}

bool EarlyStoppingTrigger::is_over(const Trainer& trainer) const {
    return count_ >= std::max(options_.patience, 1) || options_.max_trigger.is_over(trainer);
}

void EarlyStoppingTrigger::serialize(const Serializer& s) {
    if (!s.has("best")) return;  // A snapshot of Chainer, which keeps nothing of this trigger.
    s("best", best_);
    s("count", count_);
    summary_.serialize(s["summary"]);
    options_.check_trigger.serialize(s["check_trigger"]);
    options_.max_trigger.serialize(s["max_trigger"]);
}

}  // namespace triggers
}  // namespace catena
