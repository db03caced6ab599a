#pragma once

#include <concepts>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/graph/variable/variable.h"

namespace catena {

class Link;
class Recorder;

/// A reported value: a number, or a Variable that is read on demand; with its weight in means.
class Reported {
public:
    template <class T>
        requires std::is_arithmetic_v<T>
    Reported(T value, double weight = 1) : number_(double(value)), weight_(weight) {}
    Reported(Variable value, double weight = 1) : variable_(std::move(value)), weight_(weight) {}

    bool is_number() const { return !variable_.defined() || variable_.size() == 1; }
    double value() const;  ///< The number; ShapeError unless is_number().
    double weight() const { return weight_; }
    /// The Variable; undefined when a plain number was given.
    const Variable& variable() const { return variable_; }

private:
    Variable variable_;
    double number_ = 0, weight_ = 1;
};

/// Reported values by name, "main/loss".
using Observation = std::map<std::string, Reported>;

/// Collects the values that links report, under their registered names. Every Trainer has one,
/// which is the thread's current reporter while it trains or evaluates.
class Reporter {
public:
    /// Registers a link whose values are reported under NAME/..., until it is registered under
    /// another name.
    void add_observer(std::string name, const Link& observer);
    /// Registers the link and all links below it: NAME, NAME/predictor, NAME/predictor/l1.
    void add_observers(const std::string& name, const Link& link);
    /// Reports values of an observer. ValueError when it is not registered. A static region that
    /// reports runs its code at every call, whatever its Audit. TraceError while a model is
    /// recorded for a file: return the value from it instead.
    void report(const Observation& values, const Link* observer = nullptr);

    /// While it lives, this reporter is the thread's current one and writes to `observation`.
    class Scope {
    public:
        Scope(Reporter& reporter, Observation& observation);
        ~Scope();
        Scope(const Scope&) = delete;

    private:
        Reporter& reporter_;
        Reporter* previous_reporter_;
        Observation* previous_observation_;
        Recorder* previous_recorder_;
    };
    [[nodiscard]] Scope scope(Observation& observation) { return Scope(*this, observation); }

private:
    std::unordered_map<const Link*, std::string> names_;
    Observation* observation_ = nullptr;
    Recorder* recorder_ = nullptr;  ///< The recorder that was active when the scope began.
};

/// The thread's current reporter; null outside of any Reporter::Scope.
Reporter* current_reporter();

/// Reports values to this thread's current reporter, if there is one. Inside a link's call:
///
///     ct::report({{"loss", loss}, {"accuracy", ct::accuracy(y, t)}}, *this);
void report(const Observation& values, const Link& observer);
void report(const Observation& values);

}  // namespace catena
