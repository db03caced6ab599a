#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace catena {

class Serializer;
class Trainer;

/// Length of a training: 20 "epoch", 1000 "iteration".
struct TrainingLength {
    double length;
    std::string unit;
};

/// Asked once per iteration: decides whether to call an extension, or to stop the training.
class Trigger {
public:
    virtual ~Trigger() = default;
    virtual bool operator()(Trainer& trainer) = 0;
    virtual bool finished() const { return false; }  ///< It will never fire again.
    virtual std::optional<TrainingLength> training_length() const { return std::nullopt; }
    virtual void serialize(const Serializer&) {}
};

/// Any form of a trigger, for arguments: `{1, "epoch"}`, a Trigger, a function of the trainer. The default never
/// fires.
class AnyTrigger {
public:
    AnyTrigger() = default;
    /// Every `period` epochs or iterations; ValueError for another unit or a period that is not positive.
    template <class N>
        requires std::is_arithmetic_v<N>
    AnyTrigger(N period, const std::string& unit) : AnyTrigger(interval(double(period), unit)) {}
    template <std::derived_from<Trigger> T>
    AnyTrigger(T trigger) : trigger_(std::make_shared<T>(std::move(trigger))) {}
    AnyTrigger(std::shared_ptr<Trigger> trigger) : trigger_(std::move(trigger)) {}
    template <class F>
        requires(std::predicate<F&, Trainer&> && !std::derived_from<F, Trigger> && !std::same_as<F, AnyTrigger>)
    AnyTrigger(F function) : AnyTrigger(from_function(std::move(function))) {}

    static AnyTrigger never();
    bool operator()(Trainer& trainer) const { return trigger_ && (*trigger_)(trainer); }
    bool finished() const { return trigger_ && trigger_->finished(); }
    std::optional<TrainingLength> training_length() const;
    void serialize(const Serializer& s) const;
    explicit operator bool() const { return trigger_ != nullptr; }

private:
    static AnyTrigger interval(double period, const std::string& unit);
    static AnyTrigger from_function(std::function<bool(Trainer&)> function);
    std::shared_ptr<Trigger> trigger_;
};

}  // namespace catena
