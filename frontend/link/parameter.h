#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontend/init/initializer.h"
#include "frontend/link/part.h"
#include "runtime/graph/variable.h"

namespace catena {

/// A variable with identity: what it holds is replaced through assign(), and compiled programs read and write it in
/// place. Unlike a Variable, a State is the place itself: copying it makes another place with equal content (the
/// elements stay shared until one of the two is assigned). A Variable made from it is a handle to it.
class State : public Variable, public Part {
public:
    State();                       ///< Holds nothing yet.
    explicit State(Array array);
    State(const State& other);
    State(State&& other) noexcept;  ///< Takes the identity; `other` becomes an empty new place.
    State& operator=(const State& other);  ///< Takes the content and stays the same place.
    State& operator=(State&& other) noexcept;

    bool is_initialized() const { return array().defined(); }
    /// Where the content is, or will be: what to_device() said, else the current device.
    Device& home() const;
    void to_device(Device& device);

protected:
    explicit State(bool requires_grad);

private:
    Device* device_ = nullptr;
};

/// A State that is learned.
class Parameter : public State {
public:
    Parameter() : Parameter(Initializer()) {}
    /// Without a shape it holds nothing until initialize(). The dtype is the initializer's, else config().dtype.
    explicit Parameter(Initializer initializer, const std::optional<Shape>& shape = std::nullopt,
                       std::string name = "");
    explicit Parameter(Array array, std::string name = "");

    /// Fills with the initializer on the parameter's device, unseen by recorders. ShapeError when it already
    /// has another shape; nothing happens when it has this one.
    void initialize(const Shape& shape);
    /// Draws the content anew, keeping shape and dtype.
    void reinitialize();
    const Initializer& initializer() const { return initializer_; }
    Dtype parameter_dtype() const;  ///< Known before the shape is.
    void to_device(Device& device);  ///< With the gradient.

    /// Optimizers leave a parameter alone whose flag is false. Shared with the optimizers that know it.
    bool update_enabled() const { return *update_enabled_; }
    void set_update_enabled(bool enabled) { *update_enabled_ = enabled; }
    const std::shared_ptr<bool>& update_flag() const { return update_enabled_; }

    Parameter(const Parameter& other);
    Parameter(Parameter&&) = default;
    Parameter& operator=(const Parameter& other);
    Parameter& operator=(Parameter&&) = default;

private:
    Array generate(const Shape& shape) const;
    Initializer initializer_;
    std::shared_ptr<bool> update_enabled_ = std::make_shared<bool>(true);
};

}  // namespace catena
