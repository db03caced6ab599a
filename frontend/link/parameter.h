#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>

#include "frontend/init/initializer.h"
#include "frontend/link/part.h"
#include "runtime/graph/variable.h"

namespace catena {

/// A variable with identity: assign() replaces its content, and compiled programs read and write it
/// in place. Unlike a Variable, which is a handle, copying a State creates an independent state
/// with equal content (the elements are shared until one of the two is assigned). A Variable made
/// from it is a handle to it.
class State : public Variable, public Part {
public:
    State();  ///< Empty.
    explicit State(Array array);
    State(const State& other);
    State(State&& other) noexcept;  ///< Takes the identity; `other` becomes a new empty state.
    ~State();
    State& operator=(const State& other);  ///< Takes the content and keeps its identity.
    State& operator=(State&& other) noexcept;
    /// New content, as assign(state, content): a part of the program in a static region, outside
    /// the graph. ShapeError and DtypeError unless of the state's type; an empty state takes any.
    State& operator=(const Operand& content);

    bool is_initialized() const { return array().defined(); }
    /// The device of the present or future content: that of to_device(), else the current device.
    Device& home() const;
    void to_device(Device& device);

protected:
    explicit State(bool requires_grad);

private:
    void become_empty() noexcept;  ///< Another state of the same name.
    Device* device_ = nullptr;
};

/// A State that is learned.
class Parameter : public State {
public:
    Parameter();
    /// Empty until initialize(). The dtype is the initializer's, else config().dtype.
    explicit Parameter(Initializer initializer);
    explicit Parameter(Initializer initializer, const Shape& shape, std::string name = "");
    /// As one of the above.
    template <std::convertible_to<std::optional<Shape>> OptionalShape>
        requires(!std::convertible_to<OptionalShape, Shape>)
    explicit Parameter(Initializer initializer, const OptionalShape& shape, std::string name = "")
        : Parameter(ForShape{}, std::move(initializer), shape, std::move(name)) {}
    explicit Parameter(Array array, std::string name = "");

    /// Fills with the initializer on the parameter's device, not recorded. ShapeError when it
    /// already has another shape; no effect when it has this one.
    void initialize(const Shape& shape);
    /// Initialises the content again, keeping shape and dtype.
    void reinitialize();
    const Initializer& initializer() const { return initializer_; }
    Dtype parameter_dtype() const;   ///< Known even without a shape.
    void to_device(Device& device);  ///< Moves content and gradient.

    /// Optimizers skip a parameter whose flag is false. The flag is shared with its optimizers.
    bool update_enabled() const { return *update_enabled_; }
    void set_update_enabled(bool enabled) { *update_enabled_ = enabled; }
    const std::shared_ptr<bool>& update_flag() const { return update_enabled_; }

    Parameter(const Parameter& other);
    Parameter(Parameter&& other) noexcept;  ///< Takes the identity; `other` becomes a new parameter
                                            ///< without content.
    ~Parameter();
    Parameter& operator=(const Parameter& other);
    Parameter& operator=(Parameter&& other) noexcept;
    using State::operator=;

private:
    struct ForShape {};
    Parameter(ForShape, Initializer initializer, const std::optional<Shape>& shape,
              std::string name);
    Array generate(const Shape& shape) const;
    Initializer initializer_;
    std::shared_ptr<bool> update_enabled_;
};

}  // namespace catena
