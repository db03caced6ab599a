#include <cmath>
#include <limits>

#include "frontend/init/initializer.h"
#include "frontend/init/orthogonal.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/random/random.h"
#include "runtime/core/random/seed.h"
#include "runtime/core/system/error.h"

namespace catena::initializers {
namespace {

struct Fans {
    double in, out;
};

Fans fans_of(const std::string& who, const Shape& shape) {
    if (shape.rank() < 2)
        fail<ShapeError>("{}: needs at least 2 dimensions for fan_in and fan_out, the shape is {}",
                         who, to_string(shape));
    int64_t kernel = 1;
    for (int axis = 2; axis < shape.rank(); ++axis) kernel *= shape[axis];
    return {double(shape[1] * kernel), double(shape[0] * kernel)};
}

Array filled(const Type& type, double value) {
    DeviceScope host(cpu_device());
    return Array::full(type, value);
}

std::vector<double> normal_numbers(int64_t count, double scale) {
    std::vector<double> values(static_cast<size_t>(count));
    fill_normal(next_host_stream(), values.data(), count);
    for (double& value : values) value *= scale;
    return values;
}

std::vector<double> uniform_numbers(int64_t count, double scale) {
    std::vector<double> values(static_cast<size_t>(count));
    fill_uniform(next_host_stream(), values.data(), count);
    for (double& value : values) value = scale * (2 * value - 1);
    return values;
}

Array array_of(const std::vector<double>& values, const Type& type) {
    DeviceScope host(cpu_device());
    return Array::from(values, type.shape).astype(type.dtype);
}

Array normal(const Type& type, double scale) {
    return array_of(normal_numbers(element_count(type.shape), scale), type);
}
Array uniform(const Type& type, double scale) {
    return array_of(uniform_numbers(element_count(type.shape), scale), type);
}

std::string describe(const char* name, double scale) {
    return fmt::format("{}(scale={})", name, scale);
}

/// N(0, s^2) or U(-s, s) with s from the fans.
template <class Spread>
Initializer by_fans(const char* name, double scale, OptionalDtype dtype,
                    Array (*fill)(const Type&, double), Spread s) {
    std::string text = describe(name, scale);
    return Initializer(
        text, [=](const Type& type) { return fill(type, scale * s(fans_of(text, type.shape))); },
        dtype);
}

Array identity(const Type& type, double scale) {
    if (type.shape.rank() != 2 || type.shape[0] != type.shape[1])
        fail<ShapeError>("Identity: makes square matrices, not {}", to_string(type.shape));
    int64_t n = type.shape[0];
    std::vector<double> values(size_t(n * n));
    for (int64_t i = 0; i < n; ++i) values[i * n + i] = scale;
    return array_of(values, type);
}

Array constant(const Type& type, const Array& values) {
    if (values.size() == 1) return filled(type, values.item<double>());
    if (values.shape() != type.shape)
        fail<ShapeError>("Constant: the array has shape {}, the parameter {}; they should be equal",
                         to_string(values.shape()), to_string(type.shape));
    return values.to(cpu_device()).astype(type.dtype).as_contiguous();
}

/// ShapeError unless a matrix of that mode may have these sizes.
void check_mode(const Shape& shape, OrthogonalMode mode, int64_t rows, int64_t columns) {
    const bool may_be_wide =
        mode == OrthogonalMode::automatic || mode == OrthogonalMode::projection;
    const bool may_be_tall = mode == OrthogonalMode::automatic || mode == OrthogonalMode::embedding;
    const char* name = mode == OrthogonalMode::projection  ? "a projection"
                       : mode == OrthogonalMode::embedding ? "an embedding"
                                                           : "a basis";
    const char* wanted = may_be_wide   ? "at most as many"
                         : may_be_tall ? "at least as many"
                                       : "as many";
    if ((rows < columns && !may_be_wide) || (rows > columns && !may_be_tall))
        fail<ShapeError>(
            "Orthogonal: {} has {} vectors as they have elements, but shape {} is {} vectors of {}",
            name, wanted, to_string(shape), rows, columns);
}

Array orthogonal(const Type& type, double scale, OrthogonalMode mode) {
    if (element_count(type.shape) == 0)
        fail<ShapeError>("Orthogonal: an array of shape {} has no elements", to_string(type.shape));
    int64_t rows = type.shape.rank() ? type.shape[0] : 1,
            columns = element_count(type.shape) / rows;
    check_mode(type.shape, mode, rows, columns);
    std::vector<double> values = normal_numbers(rows * columns, 1);
    make_orthonormal(values, rows, columns);
    for (double& value : values) value *= scale;
    return array_of(values, type);
}

}  // namespace

Constant::Constant(double value, OptionalDtype dtype) try
    : Initializer(
          fmt::format("Constant({})", value), [=](const Type& type) { return filled(type, value); },
          dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Constant");
}
Constant::Constant(Array values) try
    : Initializer("Constant(array)", [=](const Type& type) { return constant(type, values); }) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Constant");
}
Zero::Zero(OptionalDtype dtype) try
    : Initializer("Zero()", [](const Type& type) { return filled(type, 0); }, dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Zero");
}
One::One(OptionalDtype dtype) try
    : Initializer("One()", [](const Type& type) { return filled(type, 1); }, dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "One");
}
NaN::NaN(OptionalDtype dtype) try
    : Initializer(
          "NaN()",
          [](const Type& t) { return filled(t, std::numeric_limits<double>::quiet_NaN()); },
          dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "NaN");
}
Identity::Identity(double scale, OptionalDtype dtype) try
    : Initializer(
          describe("Identity", scale), [=](const Type& type) { return identity(type, scale); },
          dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Identity");
}
Normal::Normal(double scale, OptionalDtype dtype) try
    : Initializer(
          describe("Normal", scale), [=](const Type& type) { return normal(type, scale); }, dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Normal");
}
Uniform::Uniform(double scale, OptionalDtype dtype) try
    : Initializer(
          describe("Uniform", scale), [=](const Type& type) { return uniform(type, scale); },
          dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Uniform");
}
LeCunNormal::LeCunNormal(double scale, OptionalDtype dtype) try
    : Initializer(by_fans("LeCunNormal", scale, dtype, normal,
                          [](Fans f) { return std::sqrt(1 / f.in); })) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "LeCunNormal");
}
LeCunUniform::LeCunUniform(double scale, OptionalDtype dtype) try
    : Initializer(by_fans("LeCunUniform", scale, dtype, uniform,
                          [](Fans f) { return std::sqrt(3 / f.in); })) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "LeCunUniform");
}
GlorotNormal::GlorotNormal(double scale, OptionalDtype dtype) try
    : Initializer(by_fans("GlorotNormal", scale, dtype, normal,
                          [](Fans f) { return std::sqrt(2 / (f.in + f.out)); })) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "GlorotNormal");
}
GlorotUniform::GlorotUniform(double scale, OptionalDtype dtype) try
    : Initializer(by_fans("GlorotUniform", scale, dtype, uniform,
                          [](Fans f) { return std::sqrt(6 / (f.in + f.out)); })) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "GlorotUniform");
}
HeNormal::HeNormal(double scale, OptionalDtype dtype, FanOption fan) try
    : Initializer(by_fans("HeNormal", scale, dtype, normal, [=](Fans f) {
          return std::sqrt(2 / (fan == FanOption::fan_in ? f.in : f.out));
      })) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "HeNormal");
}
HeUniform::HeUniform(double scale, OptionalDtype dtype) try
    : Initializer(
          by_fans("HeUniform", scale, dtype, uniform, [](Fans f) { return std::sqrt(6 / f.in); })) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "HeUniform");
}
Orthogonal::Orthogonal(double scale, OptionalDtype dtype, OrthogonalMode mode) try
    : Initializer(
          describe("Orthogonal", scale),
          [=](const Type& type) { return orthogonal(type, scale, mode); }, dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("initializers", "Orthogonal");
}

}  // namespace catena::initializers
