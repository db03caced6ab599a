#include "runtime/ops/array/layout/creation.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

Types progression_type(const TypeCall& c) {
    return {{c.attributes.dtype("dtype"), c.attributes.dims("shape")}};
}

/// Floats are computed in float64, so that the error does not grow along the array.
void run_progression(const KernelCall& c) {
    const double start = c.scalars[0], step = c.scalars[1];
    const Array& y = c.outputs[0];
    visit_dtype(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        T* to = y.to_fill<T>();
        for (int64_t i = 0; i < y.size(); ++i) {
            if constexpr (std::is_integral_v<T>)
                to[i] = T(int64_t(start) + i * int64_t(step));
            else if constexpr (std::is_same_v<T, double>)
                to[i] = start + double(i) * step;
            else
                to[i] = T(float(start + double(i) * step));
        }
    });
}

/// start + i * step for i from 0 on.
const OpDef& op_arange = register_op({
    .name = "arange",
    .input_count = 0,
    .scalar_names = {"start", "step"},
    .type = progression_type,
    .kernel = run_progression,
    .onnx =
        [](OnnxCall& c) {
            c.dims("shape");  // must be known
            return std::vector{c.graph.constant(run_kernel(c.op, {}, c.attributes, c.scalars)[0])};
        },
    .declared = {element_plan([](const KernelCall& c) {
        const bool is_float_result = is_float(c.outputs[0].dtype());
        return ElementProgram{{{is_float_result ? "        y0(i, T(start + double(i) * step));"
                                                : "        y0(i, i64(start) + i * i64(step));",
                                c.outputs[0].size(),
                                {}}},
                              0};
    })},
});

Variable progression(double start, double step, int64_t count, Dtype dtype, const SourceLoc& at) {
    const Scalar scalars[] = {start, step};
    return apply(op_arange, {}, at,
                 {{"dtype", std::string(name_of(dtype))}, {"shape", Shape{count}}}, scalars)[0];
}

/// The dtype of an array made of numbers alone.
Dtype dtype_of_numbers(std::initializer_list<Scalar> numbers, std::optional<Dtype> given) {
    if (given) return *given;
    Scalar::Kind kind = Scalar::Kind::boolean;
    for (const Scalar& number : numbers) kind = std::max(kind, number.kind());
    if (kind == Scalar::Kind::floating) return config().dtype;
    return kind == Scalar::Kind::integer ? Dtype::int32 : Dtype::bool_;
}

/// An integer dtype takes whole numbers of its range, bool 0 and 1.
void check_holds(const char* function, double value, Dtype dtype) {
    if (is_float(dtype)) return;
    const int bits = int(8 * size_of(dtype));
    const bool is_signed = is_integer(dtype) && dtype != Dtype::uint8;
    const double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
    const double most =
        dtype == Dtype::bool_ ? 1 : std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1;
    if (value != std::floor(value) || value < least || value > most)
        fail<ValueError>("{}: {} does not hold {}; pass a dtype that does, such as {}", function,
                         name_of(dtype), value,
                         value == std::floor(value) ? "Dtype::int64" : "Dtype::float32");
}

int64_t arange_count(double start, double stop, double step) {
    if (step == 0 || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step))
        fail<ValueError>("arange: start {}, stop {}, step {}; all must be finite, and step not 0",
                         start, stop, step);
    const double count = std::max(0.0, std::ceil((stop - start) / step));
    if (count > 0x1p40)
        fail<ValueError>("arange: {} elements are too many (start {}, stop {}, step {})", count,
                         start, stop, step);
    return int64_t(count);
}

void check_size(const char* function, const char* name, int64_t size) {
    if (size < 0) fail<ValueError>("{}: {} is {}, it must not be negative", function, name, size);
}

/// The column's number minus the row's at every place of an [n, m] matrix.
Variable distance(const char* function, int64_t n, int64_t m, const SourceLoc& at) {
    check_size(function, "n", n);
    check_size(function, "m", m);
    return progression(0, 1, m, Dtype::int64, at) -
           reshape(progression(0, 1, n, Dtype::int64, at), {n, 1});
}

}  // namespace

Array empty(const Shape& shape, std::optional<Dtype> dtype) {
    return Array::empty({dtype.value_or(config().dtype), shape});
}
Array full(const Shape& shape, const Scalar& value, std::optional<Dtype> dtype,
           const CreationPlace& at) {
    const LocationScope scope(at);
    const Dtype made = dtype_of_numbers({value}, dtype);
    // A cell's number may be another at the next call.
    if (!value.cell()) check_holds("full", value.value(), made);
    return fill({made, shape}, value).array();
}
Array zeros(const Shape& shape, std::optional<Dtype> dtype, const CreationPlace& at) {
    return full(shape, 0, dtype.value_or(config().dtype), at);
}
Array ones(const Shape& shape, std::optional<Dtype> dtype, const CreationPlace& at) {
    return full(shape, 1, dtype.value_or(config().dtype), at);
}
Array empty_like(const Operand& x, std::optional<Dtype> dtype) {
    const Variable& v = x;
    return Array::empty({dtype.value_or(v.dtype()), v.shape()}, v.device());
}
Array full_like(const Operand& x, const Scalar& value, std::optional<Dtype> dtype) {
    const LocationScope scope(x.location());
    const Variable& v = x;
    const DeviceScope beside(v.device());
    return full(v.shape(), value, dtype.value_or(v.dtype()));
}
Array zeros_like(const Operand& x, std::optional<Dtype> dtype) { return full_like(x, 0, dtype); }
Array ones_like(const Operand& x, std::optional<Dtype> dtype) { return full_like(x, 1, dtype); }

Array arange(const Scalar& start, const Scalar& stop, const Scalar& step,
             std::optional<Dtype> dtype, const CreationPlace& at) {
    const LocationScope scope(at);
    const double first = start.value(), increment = step.value();
    const Dtype made = dtype_of_numbers({start, stop, step, 0}, dtype);
    const int64_t count = arange_count(first, stop.value(), increment);
    if (count > 0) {
        check_holds("arange", first, made);
        check_holds("arange", first + double(count - 1) * increment, made);
    }
    return progression(first, increment, count, made, at).array();
}
Array arange(const Scalar& stop, std::optional<Dtype> dtype, const CreationPlace& at) {
    return arange(0, stop, 1, dtype, at);
}

Array linspace(const Scalar& start, const Scalar& stop, int64_t num, bool endpoint,
               std::optional<Dtype> dtype, const CreationPlace& at) {
    const LocationScope scope(at);
    check_size("linspace", "num", num);
    const Dtype made = dtype.value_or(config().dtype);
    const Dtype inner = is_float(made) ? made : Dtype::float64;
    const double first = start.value(), last = stop.value();
    const int64_t intervals = endpoint ? num - 1 : num;
    Variable y =
        progression(first, intervals > 0 ? (last - first) / double(intervals) : 0, num, inner, at);
    if (endpoint && num > 1)  // Where the step was rounded, the sum misses the end.
        y = where(progression(0, 1, num, Dtype::int64, at) == num - 1, last, y);
    return cast(is_float(made) ? y : floor(y), made).array();
}

Array logspace(const Scalar& start, const Scalar& stop, int64_t num, bool endpoint, double base,
               std::optional<Dtype> dtype, const CreationPlace& at) {
    const LocationScope scope(at);
    check_size("logspace", "num", num);
    if (!(base > 0)) fail<ValueError>("logspace: base is {}, it should be above 0", base);
    const Dtype made = dtype.value_or(config().dtype);
    // In float64, as rounded exponents would show in the results.
    const Variable y =
        pow(base, Variable(linspace(start, stop, num, endpoint, Dtype::float64, at)));
    return cast(is_float(made) ? y : floor(y), made).array();
}

Array eye(int64_t n, std::optional<int64_t> m, int64_t k, std::optional<Dtype> dtype,
          const CreationPlace& at) {
    const LocationScope scope(at);
    return cast(distance("eye", n, m.value_or(n), at) == k, dtype.value_or(config().dtype)).array();
}
Array identity(int64_t n, std::optional<Dtype> dtype, const CreationPlace& at) {
    return eye(n, {}, 0, dtype, at);
}
Array tri(int64_t n, std::optional<int64_t> m, int64_t k, std::optional<Dtype> dtype,
          const CreationPlace& at) {
    const LocationScope scope(at);
    return cast(distance("tri", n, m.value_or(n), at) <= k, dtype.value_or(config().dtype)).array();
}

namespace {

Variable plain(const Array& array) { return Variable(array, false); }
std::optional<Dtype> optional_dtype(const FunctionArguments& a) {
    return a.is_none("dtype") ? std::optional<Dtype>() : parse_dtype(a.text("dtype"));
}
std::optional<int64_t> optional_integer(const FunctionArguments& a, const char* name) {
    return a.is_none(name) ? std::optional<int64_t>() : a.integer(name);
}

const FunctionDef& f_arange =
    function("arange(start, stop=None, step=1, dtype=None)", {}, [](const FunctionArguments& a) {
        if (a.is_none("stop"))
            return plain(arange(0, a.scalar("start"), a.scalar("step"), optional_dtype(a)));
        return plain(
            arange(a.scalar("start"), a.scalar("stop"), a.scalar("step"), optional_dtype(a)));
    });
const FunctionDef& f_linspace = function(
    "linspace(start, stop, num=50, endpoint=True, dtype=None)", {}, [](const FunctionArguments& a) {
        return plain(linspace(a.scalar("start"), a.scalar("stop"), a.integer("num"),
                              a.flag("endpoint"), optional_dtype(a)));
    });
const FunctionDef& f_logspace =
    function("logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None)", {},
             [](const FunctionArguments& a) {
                 return plain(logspace(a.scalar("start"), a.scalar("stop"), a.integer("num"),
                                       a.flag("endpoint"), a.number("base"), optional_dtype(a)));
             });
const FunctionDef& f_eye =
    function("eye(n, m=None, k=0, dtype=None)", {}, [](const FunctionArguments& a) {
        return plain(
            eye(a.integer("n"), optional_integer(a, "m"), a.integer("k"), optional_dtype(a)));
    });
const FunctionDef& f_tri =
    function("tri(n, m=None, k=0, dtype=None)", {}, [](const FunctionArguments& a) {
        return plain(
            tri(a.integer("n"), optional_integer(a, "m"), a.integer("k"), optional_dtype(a)));
    });
const FunctionDef& f_zeros = function(
    "zeros(shape, dtype=None)", {},
    [](const FunctionArguments& a) { return plain(zeros(a.dims("shape"), optional_dtype(a))); });
const FunctionDef& f_ones = function("ones(shape, dtype=None)", {}, [](const FunctionArguments& a) {
    return plain(ones(a.dims("shape"), optional_dtype(a)));
});
const FunctionDef& f_full =
    function("full(shape, fill_value, dtype=None)", {}, [](const FunctionArguments& a) {
        return plain(full(a.dims("shape"), a.scalar("fill_value"), optional_dtype(a)));
    });
const FunctionDef& f_zeros_like = function(
    "zeros_like(x, dtype=None)", {"x"},
    [](const FunctionArguments& a) { return plain(zeros_like(a.array("x"), optional_dtype(a))); });
const FunctionDef& f_ones_like = function(
    "ones_like(x, dtype=None)", {"x"},
    [](const FunctionArguments& a) { return plain(ones_like(a.array("x"), optional_dtype(a))); });
const FunctionDef& f_full_like =
    function("full_like(x, fill_value, dtype=None)", {"x"}, [](const FunctionArguments& a) {
        return plain(full_like(a.array("x"), a.scalar("fill_value"), optional_dtype(a)));
    });

}  // namespace
}  // namespace catena
