#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>

#include "frontend/init/initializer.h"
#include "frontend/link/part.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// A variable with identity: assign() replaces its content, and compiled programs read and write it
/// in place. Unlike a Variable, which is a handle, copying a State creates an independent state
/// with equal content (the elements are shared until one of the two is assigned). A Variable made
/// from it is a handle to it.
///
/// An assignment, of a copy or of what is moved, takes the content and keeps the identity: an
/// optimizer goes on with the state that it has. Only what was moved from has none to keep and
/// takes the identity of what is moved to it, so that std::swap exchanges identities; and one that
/// a CopyMode::share has made stays shared where it is moved to.
class State : public Variable, public Part {
public:
    /// An empty state, without content.
    State();
    explicit State(Array array);
    State(const State& other);
    /// Takes the identity of `other`, which becomes a new empty state.
    State(State&& other) noexcept;
    ~State();
    State& operator=(const State& other);
    State& operator=(State&& other);
    /// Sets new content, as assign(state, content): a part of the program in a static region,
    /// outside the graph. ShapeError and DtypeError unless of the state's type; an empty state
    /// takes any.
    State& operator=(const Operand& content);

    /// Whether it has a shape and elements: a parameter may get them at the first call.
    bool is_initialized() const { return defined() && array().defined(); }
    /// The device of the present or future content: that of to_device(), else the current device.
    Device& home() const;
    /// Moves the content to a device, in place.
    void to_device(Device& device);

    /// Makes this the same state as the other one; for Link::copy_from.
    void share(const State& other);

protected:
    explicit State(bool requires_grad);
    bool is_share() const { return is_share_; }
    /// Whether this state was moved from and has got no content since.
    bool is_left() const { return was_moved_from_ && !is_initialized(); }
    void take_identity(State& other);

private:
    /// Makes this a new empty state of the same name.
    void become_empty() noexcept;
    Device* device_ = nullptr;
    bool is_share_ = false;  ///< True if share() gave it the identity of another object.
    bool was_moved_from_ = false;
};

/// A State that is learned.
class Parameter : public State {
public:
    /// A parameter without a shape or an initializer, which are set later.
    Parameter();
    /// A parameter that is empty until initialize(). Its dtype is the initializer's, else
    /// config().dtype.
    explicit Parameter(Initializer initializer);
    explicit Parameter(Initializer initializer, const Shape& shape, std::string name = "");
    /// A parameter whose shape may be given; as one of the constructors above.
    template <std::convertible_to<std::optional<Shape>> OptionalShape>
        requires(!std::convertible_to<OptionalShape, Shape>)
    explicit Parameter(Initializer initializer, const OptionalShape& shape, std::string name = "")
        : Parameter(ForShape{}, std::move(initializer), shape, std::move(name)) {}
    explicit Parameter(Array array, std::string name = "");

    /// Fills it by its initializer on the parameter's device, not recorded. ShapeError when it
    /// already has another shape; no effect when it has this one.
    void initialize(const Shape& shape);
    /// Initialises the content again, keeping shape and dtype.
    void reinitialize();
    /// The initializer that the parameter's first elements come from.
    const Initializer& initializer() const { return initializer_; }
    /// The dtype, which is known even without a shape.
    Dtype parameter_dtype() const;
    /// Moves content and gradient to a device.
    void to_device(Device& device);

    /// Optimizers skip a parameter whose flag is false. The flag is shared with its optimizers.
    bool update_enabled() const { return !update_enabled_ || *update_enabled_; }
    /// Sets whether optimizers update the parameter.
    void set_update_enabled(bool enabled);
    /// Whether optimizers update the parameter, shared with them.
    const std::shared_ptr<bool>& update_flag() const { return update_enabled_; }

    Parameter(const Parameter& other);
    /// Takes the identity of `other`, which becomes a new parameter without content.
    Parameter(Parameter&& other) noexcept;
    ~Parameter();
    Parameter& operator=(const Parameter& other);
    Parameter& operator=(Parameter&& other);
    using State::operator=;
    /// Makes this the same parameter as the other one, update flag included.
    void share(const Parameter& other);

private:
    struct ForShape {};
    Parameter(ForShape, Initializer initializer, const std::optional<Shape>& shape,
              std::string name);
    Array generate(const Shape& shape) const;
    void begin_anew(const Initializer& initializer) noexcept;
    Initializer initializer_;
    /// The update flag; null where no memory was left for begin_anew().
    std::shared_ptr<bool> update_enabled_;
};

}  // namespace catena
