#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace catena {

class Serializer;
class Trainer;

/// Length of a training: 20 "epoch", 1000 "iteration".
struct TrainingLength {
    /// The number of epochs or iterations.
    double length;
    /// "epoch" or "iteration".
    std::string unit;
};

/// Asked once per iteration: decides whether to call an extension, or to stop the training.
class Trigger {
public:
    virtual ~Trigger() = default;
    /// Whether the trigger fires in this iteration.
    virtual bool operator()(Trainer& trainer) = 0;
    /// Whether the trigger will never fire again.
    virtual bool finished() const { return false; }
    /// For stop triggers: whether the limit is reached or passed, as by a training that is resumed
    /// with a smaller limit. By default, whether it has fired for the last time.
    virtual bool is_over(const Trainer&) const { return finished(); }
    /// The length of the training that it ends, for a progress bar; none: not known.
    virtual std::optional<TrainingLength> training_length() const;
    /// Saves or loads the trigger's state with the trainer.
    virtual void serialize(const Serializer&) {}
};

/// An argument that accepts any trigger: `{1, "epoch"}`, a Trigger, a function of the trainer. The
/// default never fires. It is a value: a copy counts for itself, so that one can be given to
/// several extensions. Only a std::shared_ptr is shared; it then fires for the first of its users
/// that asks in an iteration.
class AnyTrigger {
public:
    /// A trigger that is not given; it never fires.
    AnyTrigger();
    ~AnyTrigger();
    /// A trigger that fires every `period` epochs or iterations; ValueError for another unit or a
    /// period that is not positive.
    template <class N>
        requires std::is_arithmetic_v<N>
    AnyTrigger(N period, const std::string& unit) : AnyTrigger(interval(double(period), unit)) {}
    template <class T>
        requires(std::derived_from<T, Trigger> && std::copy_constructible<T>)
    AnyTrigger(T&& trigger)
        : trigger_(std::make_shared<std::remove_const_t<T>>(std::move(trigger))),
          clone_([](const Trigger& t) -> std::shared_ptr<Trigger> {
              return std::make_shared<std::remove_const_t<T>>(static_cast<const T&>(t));
          }) {}
    template <std::derived_from<Trigger> T>
    AnyTrigger(T& kept) = delete;  // A copy would be asked: give a std::shared_ptr,
                                   // std::move(kept), or a copy T(kept).
    AnyTrigger(std::shared_ptr<Trigger> trigger);
    template <std::derived_from<Trigger> T>
    AnyTrigger(std::shared_ptr<T> trigger) : trigger_(std::move(trigger)) {}
    template <class F>
        requires(std::predicate<F&, Trainer&> && !std::derived_from<F, Trigger> &&
                 !std::same_as<F, AnyTrigger>)
    AnyTrigger(F function) : AnyTrigger(from_function(std::move(function))) {}

    AnyTrigger(const AnyTrigger& other);
    AnyTrigger(AnyTrigger&& other) noexcept;
    /// Takes another trigger.
    AnyTrigger& operator=(AnyTrigger other) noexcept;

    /// A trigger that never fires, given on purpose: Trainer::extend keeps it instead of the
    /// extension's own.
    static AnyTrigger never();
    /// Whether the trigger fires in this iteration.
    bool operator()(Trainer& trainer) const;
    /// Whether the trigger will never fire again.
    bool finished() const;
    /// For stop triggers: whether the limit is reached or passed.
    bool is_over(const Trainer& trainer) const;
    /// The length of the training that the trigger ends; none: not known.
    std::optional<TrainingLength> training_length() const;
    /// Saves or loads the trigger's state.
    void serialize(const Serializer& s) const;
    /// Whether a trigger was given.
    explicit operator bool() const { return trigger_ != nullptr; }

private:
    static AnyTrigger interval(double period, const std::string& unit);
    static AnyTrigger from_function(std::function<bool(Trainer&)> function);
    std::shared_ptr<Trigger> trigger_;
    /// The function that copies the trigger; null: copies share it.
    std::shared_ptr<Trigger> (*clone_)(const Trigger&) = nullptr;
};

}  // namespace catena
