#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/core/array/array.h"

namespace catena {

/// How a new parameter is filled: a cheap value. A number or an array counts as Constant; default
/// constructed it is LeCunNormal, as in Chainer.
class Initializer {
public:
    /// A function that makes a host array of exactly the requested type.
    using Fill = std::function<Array(const Type&)>;

    /// The default: LeCunNormal().
    Initializer();
    /// An initializer that fills with `value`: Constant(value).
    Initializer(double value);
    /// An initializer that gives these elements: Constant(values).
    Initializer(Array values);
    /// `fill` makes a host array of exactly the requested type. `dtype` becomes the dtype of
    /// parameters.
    Initializer(std::string description, Fill fill, std::optional<Dtype> dtype = std::nullopt);
    Initializer(const Initializer&);
    Initializer(Initializer&&) noexcept;
    Initializer& operator=(const Initializer&);
    Initializer& operator=(Initializer&&) noexcept;
    ~Initializer();

    /// A new host array. DtypeError when the initializer has another dtype; ShapeError when it
    /// cannot fill that shape.
    Array operator()(const Type& type) const;
    /// The dtype that parameters get from it; none: the default one of config().
    std::optional<Dtype> dtype() const { return dtype_; }
    /// The initializer with its options as text: "HeNormal(scale=1)".
    const std::string& description() const { return description_; }

private:
    std::string description_;
    std::shared_ptr<const Fill> fill_;
    std::optional<Dtype> dtype_;
};

/// The initializers, with Chainer's names and defaults. fan_in is shape[1] times the kernel size,
/// fan_out is shape[0] times the kernel size; shapes of fewer than two dimensions have none
/// (ShapeError).
namespace initializers {

/// The dtype that parameters get; none: the default one of config().
using OptionalDtype = std::optional<Dtype>;
/// Whether a scale is computed from the number of inputs of an output (fan_in) or from that of
/// outputs of an input (fan_out).
enum class FanOption { fan_in, fan_out };

/// Fills with a number, or with the values of an array.
struct Constant : Initializer {
    /// Fills with this number.
    explicit Constant(double value, OptionalDtype dtype = {});
    /// Fills with these values: an array of the parameter's shape, or a single element.
    explicit Constant(Array values);
};
/// Fills with 0.
struct Zero : Initializer {
    /// Parameters are of `dtype`.
    explicit Zero(OptionalDtype dtype = {});
};
/// Fills with 1.
struct One : Initializer {
    /// Parameters are of `dtype`.
    explicit One(OptionalDtype dtype = {});
};
/// Fills with NaN, so that a parameter that nothing has set is seen.
struct NaN : Initializer {
    /// Parameters are of `dtype`.
    explicit NaN(OptionalDtype dtype = {});
};
/// scale times the identity matrix; square matrices only.
struct Identity : Initializer {
    /// A diagonal whose numbers are `scale`.
    explicit Identity(double scale = 1.0, OptionalDtype dtype = {});
};
/// Draws from the normal distribution N(0, scale^2).
struct Normal : Initializer {
    /// A normal distribution with the standard deviation `scale`.
    explicit Normal(double scale = 0.05, OptionalDtype dtype = {});
};
/// Draws from the uniform distribution U(-scale, scale).
struct Uniform : Initializer {
    /// A uniform distribution between -scale and scale.
    explicit Uniform(double scale = 0.05, OptionalDtype dtype = {});
};
/// Draws from N(0, s^2) with s = scale * sqrt(1 / fan_in).
struct LeCunNormal : Initializer {
    /// `scale` is the factor of the standard deviation.
    explicit LeCunNormal(double scale = 1.0, OptionalDtype dtype = {});
};
/// Draws from U(-s, s) with s = scale * sqrt(3 / fan_in).
struct LeCunUniform : Initializer {
    /// `scale` is the factor of the bound.
    explicit LeCunUniform(double scale = 1.0, OptionalDtype dtype = {});
};
/// Draws from N(0, s^2) with s = scale * sqrt(2 / (fan_in + fan_out)).
struct GlorotNormal : Initializer {
    /// `scale` is the factor of the standard deviation.
    explicit GlorotNormal(double scale = 1.0, OptionalDtype dtype = {});
};
/// Draws from U(-s, s) with s = scale * sqrt(6 / (fan_in + fan_out)).
struct GlorotUniform : Initializer {
    /// `scale` is the factor of the bound.
    explicit GlorotUniform(double scale = 1.0, OptionalDtype dtype = {});
};
/// Draws from N(0, s^2) with s = scale * sqrt(2 / fan).
struct HeNormal : Initializer {
    /// `scale` is the factor of the standard deviation; `fan` says which fan it is computed from.
    explicit HeNormal(double scale = 1.0, OptionalDtype dtype = {},
                      FanOption fan = FanOption::fan_in);
};
/// Draws from U(-s, s) with s = scale * sqrt(6 / fan_in).
struct HeUniform : Initializer {
    /// `scale` is the factor of the bound.
    explicit HeUniform(double scale = 1.0, OptionalDtype dtype = {});
};
/// The shapes that Orthogonal accepts (ShapeError for others). A parameter [m, ...] counts as m
/// vectors whose length is the product of its other sizes.
enum class OrthogonalMode {
    automatic,  ///< Accepts any shape.
    /// Accepts at most as many vectors as a vector has elements: rows become orthonormal.
    projection,
    /// Accepts at least as many vectors as a vector has elements: columns become orthonormal.
    embedding,
    /// Accepts as many vectors as a vector has elements: rows and columns become orthonormal.
    basis,
};
/// scale * Q for a random Q of shape [shape[0], product of the others], whose rows or columns,
/// whichever are fewer, are orthonormal.
struct Orthogonal : Initializer {
    /// `scale` is the length of the rows or columns; `mode` says which are orthonormal.
    explicit Orthogonal(double scale = 1.1, OptionalDtype dtype = {},
                        OrthogonalMode mode = OrthogonalMode::automatic);
};

}  // namespace initializers
}  // namespace catena
