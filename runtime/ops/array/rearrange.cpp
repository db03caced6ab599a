#include "runtime/ops/array/rearrange.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/graph/op/copy_op.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/define/scalar_type.h"

namespace catena {
namespace {

Variable unary(const FunctionArguments& a, Variable (*f)(const Operand&)) {
    return f(a.array("x"));
}
const FunctionDef& f_ravel = function("ravel(x)", {"x"}, [](auto& a) { return unary(a, ravel); });
const FunctionDef& f_atleast_1d =
    function("atleast_1d(x)", {"x"}, [](auto& a) { return unary(a, atleast_1d); });
const FunctionDef& f_atleast_2d =
    function("atleast_2d(x)", {"x"}, [](auto& a) { return unary(a, atleast_2d); });
const FunctionDef& f_atleast_3d =
    function("atleast_3d(x)", {"x"}, [](auto& a) { return unary(a, atleast_3d); });
const FunctionDef& f_roll =
    function("roll(x, shift, axis=None)", {"x"}, [](const FunctionArguments& a) {
        return roll(a.array("x"), a.integer("shift"), a.integer_unless_none("axis"));
    });
const FunctionDef& f_concatenate =
    function("concatenate(xs, axis=0)", {"*xs"}, [](const FunctionArguments& a) {
        return concatenate(a.list(), a.integer_unless_none("axis"));
    });

/// Sections, or the places where parts begin.
template <class Parts>
Variables split_along(const Operand& x, const Parts& parts, int64_t axis, int least_rank,
                      const char* op) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (v.rank() < least_rank)
        fail<ShapeError>("{}: x {} has {} axes, at least {} are needed", op, to_string(v.shape()),
                         v.rank(), least_rank);
    return split_axis(v, parts, axis);
}

template <class Parts>
const FunctionDef& splitting(const char* signature, Variables (*sections)(const Operand&, int64_t),
                             Parts places) {
    return function(signature, {"x"}, [=](const FunctionArguments& a) {
        if (const int64_t* count = std::get_if<int64_t>(&a.value("indices_or_sections").value))
            return sections(a.array("x"), *count);
        const Dims at = a.dims("indices_or_sections");
        return places(a.array("x"), std::vector<int64_t>(at.begin(), at.end()));
    });
}
using Places = Variables (*)(const Operand&, const std::vector<int64_t>&);
const FunctionDef& f_vsplit = splitting("vsplit(x, indices_or_sections)", vsplit, Places(vsplit));
const FunctionDef& f_hsplit = splitting("hsplit(x, indices_or_sections)", hsplit, Places(hsplit));
const FunctionDef& f_dsplit = splitting("dsplit(x, indices_or_sections)", dsplit, Places(dsplit));
const FunctionDef& f_split =
    function("split(x, indices_or_sections, axis=0)", {"x"}, [](const FunctionArguments& a) {
        if (const int64_t* count = std::get_if<int64_t>(&a.value("indices_or_sections").value))
            return split(a.array("x"), *count, a.integer("axis"));
        const Dims at = a.dims("indices_or_sections");
        return split(a.array("x"), std::vector<int64_t>(at.begin(), at.end()), a.integer("axis"));
    });

const FunctionDef& f_array_split =
    function("array_split(x, indices_or_sections, axis=0)", {"x"}, [](const FunctionArguments& a) {
        if (const int64_t* count = std::get_if<int64_t>(&a.value("indices_or_sections").value))
            return array_split(a.array("x"), *count, a.integer("axis"));
        const Dims at = a.dims("indices_or_sections");
        return array_split(a.array("x"), std::vector<int64_t>(at.begin(), at.end()),
                           a.integer("axis"));
    });
const FunctionDef& f_column_stack = function(
    "column_stack(xs)", {"*xs"}, [](const FunctionArguments& a) { return column_stack(a.list()); });
const FunctionDef& f_append =
    function("append(x, values, axis=None)", {"x", "values"}, [](const FunctionArguments& a) {
        return append(a.array("x"), a.array("values"), a.integer_unless_none("axis"));
    });
const FunctionDef& f_insert = function(
    "insert(x, index, values, axis=None)", {"x", "values"}, [](const FunctionArguments& a) {
        return insert(a.array("x"), a.integer("index"), a.array("values"),
                      a.integer_unless_none("axis"));
    });
const FunctionDef& f_rot90 = function(
    "rot90(x, k=1, axes=(0, 1))", {"x"},
    [](const FunctionArguments& a) { return rot90(a.array("x"), a.integer("k"), a.dims("axes")); });

/// Indices that exist, by the mode.
Variable inside(const Variable& indices, int64_t size, TakeMode mode) {
    if (mode == TakeMode::raise) return indices;
    if (size == 0) fail<ValueError>("take: the axis has no elements, so that no index exists");
    const Variable wide = cast(indices, Dtype::int64);
    if (mode == TakeMode::clip) return minimum(maximum(wide, 0), size - 1);
    const Variable rest = fmod(wide, fill({Dtype::int64, Shape{}}, size));
    return where(rest < 0, rest + size, rest);
}

const FunctionDef& f_copysign =
    function("copysign(x1, x2)", {"x1", "x2"},
             [](const FunctionArguments& a) { return copysign(a.array("x1"), a.array("x2")); });

// Its own op, so that the result is another array than x also where nothing else happens.
const OpDef& op_copy = register_op({
    .name = "copy",
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
    .kernel = [](const KernelCall& c) { copy_elements(c.inputs[0], c.outputs[0]); },
    .gradient = [](const GradientCall& g) { return Variables{g.gy()}; },
    .onnx = "Identity",
    .declared = {element_text("        y0(i, x0(i));")},
});
const FunctionDef& f_copy = function("copy(x)", {"x"}, [](auto& a) { return unary(a, copy); });

}  // namespace

Variable ravel(const Operand& x) { return flatten(x); }
Variable atleast_1d(const Operand& x) {
    return x.variable().rank() == 0 ? reshape(x, {1}) : Variable(x);
}
Variable atleast_2d(const Operand& x) {
    LocationScope scope(x.location());
    const Variable v = atleast_1d(x);
    return v.rank() == 1 ? expand_dims(v, 0) : v;
}
Variable atleast_3d(const Operand& x) {
    LocationScope scope(x.location());
    const Variable v = atleast_2d(x);
    return v.rank() == 2 ? expand_dims(v, 2) : v;
}

Variable flip(const Operand& x, const Axes& axes) {
    LocationScope scope(x.location());
    Variable y = x;
    for (int64_t axis : normalize_axes("flip", axes, y.rank(), true)) y = flip(y, axis);
    return y;
}

static const FunctionDef& f_flip =
    function("flip(x, axis=None)", {"x"},
             [](const FunctionArguments& a) { return flip(a.array("x"), a.dims("axis")); });

Variable insert(const Operand& x, int64_t index, const Operand& values,
                std::optional<int64_t> axis) {
    const LocationScope scope(x.location());
    const Variable v = axis ? Variable(x) : flatten(x);
    const Variable& given = values;
    const int along = normalize_axis("insert", axis.value_or(0), v.rank());
    const int64_t size = v.shape()[along], place = index < 0 ? index + size : index;
    if (place < 0 || place > size)
        fail<ValueError>(
            "insert: the place {} is outside of axis {} of x {}, which has {} elements", index,
            along, to_string(v.shape()), size);
    if (is_float(given.dtype()) && !is_float(v.dtype()))
        fail<DtypeError>("insert: values {} do not fit into x {}; cast one of the two first",
                         to_string(given.type()), to_string(v.type()));
    if (given.rank() > v.rank())
        fail<ShapeError>("insert: values {} have more axes than x {}", to_string(given.shape()),
                         to_string(v.shape()));
    // As NumPy: the first of as many axes as x has counts the items to insert.
    Shape items = Shape::filled(v.rank() - given.rank(), 1);
    for (int64_t axis_size : given.shape()) items.push_back(axis_size);
    const Variable between = moveaxis(reshape(cast(given, v.dtype()), items), 0, along);
    Shape wide = v.shape();
    wide[along] = between.shape()[along];
    return concat({slice_axis(v, along, 0, place), broadcast_to(between, wide),
                   slice_axis(v, along, place, size - place)},
                  along);
}
Variable insert(const Operand& x, int64_t index, const Scalar& value, std::optional<int64_t> axis) {
    const LocationScope scope(x.location());
    const Variable& v = x;
    const DeviceScope beside(v.device());
    return insert(v, index, fill({lifted(v.dtype(), value), Shape{}}, value), axis);
}

Variable roll(const Operand& x, int64_t shift, std::optional<int64_t> axis) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (!axis) return reshape(roll(flatten(v), shift, 0), v.shape());
    const int along = normalize_axis("roll", *axis, v.rank());
    const int64_t size = v.shape()[along];
    const int64_t by = size == 0 ? 0 : (shift % size + size) % size;
    if (by == 0) return v;
    return concat({slice_axis(v, along, size - by, by), slice_axis(v, along, 0, size - by)}, along);
}
Variable repeat(const Operand& x, int64_t repeats) {
    LocationScope scope(x.location());
    return repeat(flatten(x), repeats, 0);
}

Variable concatenate(std::span<const Variable> xs, std::optional<int64_t> axis,
                     const std::source_location& at) {
    LocationScope scope(at);
    if (axis) return concat(xs, *axis);
    std::vector<Variable> flat;
    for (const Variable& x : xs) flat.push_back(flatten(x));
    return concat(flat, 0);
}
Variable concatenate(std::initializer_list<Variable> xs, std::optional<int64_t> axis,
                     const std::source_location& at) {
    return concatenate(std::span<const Variable>(xs.begin(), xs.size()), axis, at);
}

Variable column_stack(std::span<const Variable> xs, const std::source_location& at) {
    LocationScope scope(at);
    if (xs.empty()) fail<ValueError>("column_stack: xs is empty, at least one array is needed");
    std::vector<Variable> columns;
    for (const Variable& x : xs) {
        if (x.rank() != 1 && x.rank() != 2)
            fail<ShapeError>("column_stack: xs[{}] {} should have one axis or two", columns.size(),
                             to_string(x.shape()));
        columns.push_back(x.rank() == 1 ? expand_dims(x, 1) : x);
    }
    return concat(columns, 1);
}
Variable column_stack(std::initializer_list<Variable> xs, const std::source_location& at) {
    return column_stack(std::span<const Variable>(xs.begin(), xs.size()), at);
}

Variable append(const Operand& x, const Operand& values, std::optional<int64_t> axis) {
    LocationScope scope(x.location());
    return concatenate({x.variable(), values.variable()}, axis);
}

Variable rot90(const Operand& x, int64_t k, const Axes& axes) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (axes.size() != 2) fail<ValueError>("rot90: axes {} should be two axes", to_string(axes));
    const Axes plane = normalize_axes("rot90", axes, v.rank(), false);
    const int64_t first = normalize_axis("rot90", axes[0], v.rank()),
                  second = normalize_axis("rot90", axes[1], v.rank());
    switch ((k % 4 + 4) % 4) {
        case 0:
            return v;
        case 1:
            return swapaxes(flip(v, second), first, second);
        case 2:
            return flip(v, plane);
        default:
            return flip(swapaxes(v, first, second), second);
    }
}

Variables split(const Operand& x, int64_t sections, int64_t axis) {
    return split_along(x, sections, axis, 1, "split");
}
Variables split(const Operand& x, const std::vector<int64_t>& places, int64_t axis) {
    return split_along(x, places, axis, 1, "split");
}
Variables split(const Operand& x, std::initializer_list<int64_t> places, int64_t axis) {
    return split(x, std::vector<int64_t>(places), axis);
}
Variables array_split(const Operand& x, int64_t sections, int64_t axis) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (sections < 1)
        fail<ValueError>("array_split: {} parts are asked for, at least 1 is possible", sections);
    const int along = normalize_axis("array_split", axis, v.rank());
    const int64_t size = v.shape()[along], larger = size % sections;
    if (larger == 0) return split(v, sections, along);
    std::vector<int64_t> places;
    for (int64_t i = 1; i < sections; ++i)
        places.push_back(i * (size / sections) + std::min(i, larger));
    return split(v, places, along);
}
Variables array_split(const Operand& x, const std::vector<int64_t>& places, int64_t axis) {
    return split_along(x, places, axis, 1, "array_split");
}
Variables array_split(const Operand& x, std::initializer_list<int64_t> places, int64_t axis) {
    return array_split(x, std::vector<int64_t>(places), axis);
}
Variables vsplit(const Operand& x, int64_t sections) {
    return split_along(x, sections, 0, 2, "vsplit");
}
Variables vsplit(const Operand& x, const std::vector<int64_t>& places) {
    return split_along(x, places, 0, 2, "vsplit");
}
Variables vsplit(const Operand& x, std::initializer_list<int64_t> places) {
    return vsplit(x, std::vector<int64_t>(places));
}
Variables hsplit(const Operand& x, int64_t sections) {
    return split_along(x, sections, x.variable().rank() == 1 ? 0 : 1, 1, "hsplit");
}
Variables hsplit(const Operand& x, const std::vector<int64_t>& places) {
    return split_along(x, places, x.variable().rank() == 1 ? 0 : 1, 1, "hsplit");
}
Variables hsplit(const Operand& x, std::initializer_list<int64_t> places) {
    return hsplit(x, std::vector<int64_t>(places));
}
Variables dsplit(const Operand& x, int64_t sections) {
    return split_along(x, sections, 2, 3, "dsplit");
}
Variables dsplit(const Operand& x, const std::vector<int64_t>& places) {
    return split_along(x, places, 2, 3, "dsplit");
}
Variables dsplit(const Operand& x, std::initializer_list<int64_t> places) {
    return dsplit(x, std::vector<int64_t>(places));
}

Variable take(const Operand& x, const Operand& indices, int64_t axis, TakeMode mode) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const int along = normalize_axis("take by mode", axis, v.rank());
    const DeviceScope beside(v.device());
    return take(v, inside(indices, v.shape()[along], mode), along);
}
Variable take_flat(const Operand& x, const Operand& indices, TakeMode mode) {
    LocationScope scope(x.location());
    return take(flatten(x), indices, 0, mode);
}

Variable diff(const Operand& x, int64_t n, int64_t axis) {
    LocationScope scope(x.location());
    Variable y = x;
    if (n < 0) fail<ValueError>("diff: n is {}, it should be 0 or more", n);
    const int along = normalize_axis("diff", axis, y.rank());
    for (; n > 0 && y.shape()[along] > 0; --n) {
        const int64_t left = y.shape()[along] - 1;
        const Variable next = slice_axis(y, along, left > 0 ? 1 : 0, left),
                       before = slice_axis(y, along, 0, left);
        y = y.dtype() == Dtype::bool_ ? next != before : next - before;
    }
    return y;
}

Variable where(const Operand& condition, const Scalar& x, const Scalar& y) {
    LocationScope scope(condition.location());
    const Variable& c = condition;
    const Dtype dtype = lifted(lifted(Dtype::bool_, x), y);
    const DeviceScope beside(c.device());
    return where(c, fill({dtype, c.shape()}, x), y);
}

Variable copysign(const Operand& x, const Operand& sign) {
    LocationScope scope(x.location());
    const Dtype dtype = x.variable().dtype();
    const bool has_signs = dtype != Dtype::bool_ && dtype != Dtype::uint8;
    const Variable size = absolute(has_signs ? Variable(x) : as_floats(x));
    // 1 / -0 is -inf, in which the sign of a zero shows.
    const Variable &s = sign, is_negative = s < 0 || (s == 0 && 1 / cast(s, Dtype::float32) < 0);
    return where(is_negative, -size, size);
}

const OpDef& copy_op() { return op_copy; }
Variable copy(const Operand& x) { return call(op_copy, x.location(), {}, {}, x); }

}  // namespace catena
