#include <cmath>
#include <limits>

#include "runtime/cpu/order_kernel.h"
#include "runtime/ops/array/argsort_first.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/reduction/order_elements.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

void assert_axis(const TypeCall& c) {
    const int64_t axis = c.attributes.integer("axis");
    CATENA_ASSERT(axis >= 0 && axis < c.inputs[0].shape.rank(), "the axis is one of x");
}

// argmax_c1: the axis holds at least one element, unless nothing is computed
// argmax_c2: int32 numbers all elements of the axis
Types arg_type(const TypeCall& c) {
    assert_axis(c);
    Shape shape = c.inputs[0].shape;
    const int axis = int(c.attributes.integer("axis"));
    const int64_t size = shape[axis];
    shape.erase(axis);
    if (size == 0 && element_count(shape) > 0)
        fail<ValueError>("{}: axis {} of x {} is empty, at least one element is needed", c.op.name,
                         axis, to_string(c.inputs[0].shape));
    if (size > std::numeric_limits<int32_t>::max())
        fail<ValueError>(
            "{}: axis {} of x {} has more elements than int32 counts, at most {} can be numbered",
            c.op.name, axis, to_string(c.inputs[0].shape), std::numeric_limits<int32_t>::max());
    return {{Dtype::int32, shape}};
}

OnnxMapping place_mapping(const char* name) {
    return [name](OnnxCall& c) {
        const OnnxAttributes attributes{{"axis", c.attributes.integer("axis")}, {"keepdims", 0}};
        const int place = c.graph.node(name, {c.input(0)}, attributes);
        return std::vector{c.graph.cast(place, Dtype::int64, c.result())};
    };
}

const OpDef& op_argmax = register_op({
    .name = "argmax",
    .type = arg_type,
    .kernel = run_argmax,
    .onnx = place_mapping("ArgMax"),
    .declared = {element_plan(
        [](const KernelCall& c, Threads t) { return arg_elements(c, ">", t); })},
});
const OpDef& op_argmin = register_op({
    .name = "argmin",
    .type = arg_type,
    .kernel = run_argmin,
    .onnx = place_mapping("ArgMin"),
    .declared = {element_plan(
        [](const KernelCall& c, Threads t) { return arg_elements(c, "<", t); })},
});

/// The places of the smallest or the largest elements first; equal ones keep their order.
int sorted_places(OnnxGraph& g, int x, const OnnxSize& count, int64_t axis, bool largest) {
    const OnnxAttributes attributes{{"axis", axis}, {"largest", int64_t(largest)}};
    return g.node("TopK", {x, g.integers(OnnxSizes{count})}, attributes, 2)[1];
}

/// TopK says nothing about NaN. They are sorted as infinities, then behind what is none, or before
/// it where the largest come first.
std::vector<int> write_sorted_places(OnnxCall& c, bool largest) {
    OnnxGraph& g = c.graph;
    const int64_t axis = c.attributes.integer("axis");
    const OnnxSize size = c.inputs[0].shape[size_t(axis)], count = c.outputs[0].shape[size_t(axis)];
    const Dtype dtype = c.inputs[0].dtype;
    if (!is_float(dtype)) {
        const int x = c.input(0, dtype == Dtype::bool_ ? Dtype::int32 : dtype);
        return {g.cast(sorted_places(g, x, count, axis, largest), Dtype::int64, c.result())};
    }
    const OnnxAttributes along{{"axis", axis}};
    const int is_nan = g.node("IsNaN", {c.input(0)});
    const int filled = g.node("Where", {is_nan, g.number(INFINITY, dtype), c.input(0)});
    const int places = sorted_places(g, filled, size, axis, largest);
    const int numbers =
        g.node("GatherElements", {g.cast(is_nan, Dtype::bool_, Dtype::int32), places}, along);
    const int order = sorted_places(g, numbers, count, axis, largest);
    return {g.cast(g.node("GatherElements", {places, order}, along), Dtype::int64, c.result())};
}

const OpDef& op_argsort = register_op({
    .name = "argsort",
    .kind = Kind::sort,
    .type =
        [](const TypeCall& c) {
            assert_axis(c);
            return Types{{Dtype::int32, c.inputs[0].shape}};
        },
    .kernel = run_argsort,
    .onnx = [](OnnxCall& c) { return write_sorted_places(c, false); },
    .declared = {element_plan(argsort_elements)},
});

const OpDef& op_argsort_first = register_op({
    .name = "argsort_first",
    .type =
        [](const TypeCall& c) {
            assert_axis(c);
            Shape shape = c.inputs[0].shape;
            int64_t& size = shape[int(c.attributes.integer("axis"))];
            const int64_t count = c.attributes.integer("first");
            CATENA_ASSERT(count >= 0 && count <= size, "the axis has as many elements");
            size = count;
            return Types{{Dtype::int32, shape}};
        },
    .kernel = run_argsort_first,
    .onnx = [](OnnxCall& c) { return write_sorted_places(c, c.attributes.flag("largest")); },
    .declared = {element_plan(argsort_first_elements)},
});

Variable cumulate(const Operand& x, int axis, bool reverse);

const OpDef& op_cumsum = register_op({
    .name = "cumsum",
    .kind = Kind::scan,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            assert_axis(c);
            const Type& x = c.inputs[0];
            return Types{{is_float(x.dtype) ? x.dtype : Dtype::int64, x.shape}};
        },
    .kernel = run_cumsum,
    .gradient =
        [](const GradientCall& g) {
            const Attributes& a = g.attributes();
            return Variables{cumulate(g.gy(), int(a.integer("axis")), !a.flag("reverse"))};
        },
    .onnx =
        [](OnnxCall& c) {
            const int axis = c.graph.number(double(c.attributes.integer("axis")), Dtype::int64);
            return c.node("CumSum", {c.input(0, c.result()), axis},
                          {{"reverse", int64_t(c.attributes.flag("reverse"))}});
        },
    .declared = {element_plan(cumsum_elements)},
});

Variable cumulate(const Operand& x, int axis, bool reverse) {
    return call(op_cumsum, x.location(), {{"axis", int64_t(axis)}, {"reverse", reverse}}, {}, x);
}

Variable along_axis(const OpDef& op, const Operand& x, std::optional<int64_t> axis) {
    LocationScope scope(x.location());
    const Variable v = axis ? Variable(x) : flatten(x);
    const int64_t along = normalize_axis(op.name.c_str(), axis.value_or(0), v.rank());
    return call(op, x.location(), {{"axis", along}}, {}, v);
}

}  // namespace

Variable argmax(const Operand& x, std::optional<int64_t> axis) {
    return along_axis(op_argmax, x, axis);
}
static const FunctionDef& f_argmax = function(
    "argmax(x, axis=None)", {"x"},
    [](const FunctionArguments& a) { return argmax(a.array("x"), a.integer_unless_none("axis")); });

Variable argmin(const Operand& x, std::optional<int64_t> axis) {
    return along_axis(op_argmin, x, axis);
}
static const FunctionDef& f_argmin = function(
    "argmin(x, axis=None)", {"x"},
    [](const FunctionArguments& a) { return argmin(a.array("x"), a.integer_unless_none("axis")); });

Variable argsort(const Operand& x, std::optional<int64_t> axis) {
    if (axis) return along_axis(op_argsort, x, *axis);
    LocationScope scope(x.location());
    return along_axis(op_argsort, flatten(x), 0);
}
Variable argsort_first(const Operand& x, int64_t count, int64_t axis, bool largest) {
    LocationScope scope(x.location());
    const int64_t along = normalize_axis("argsort_first", axis, x.variable().rank());
    return call(op_argsort_first, x.location(),
                {{"axis", along}, {"first", count}, {"largest", largest}}, {}, x);
}
static const FunctionDef& f_argsort =
    function("argsort(x, axis=-1)", {"x"}, [](const FunctionArguments& a) {
        return argsort(a.array("x"), a.integer_unless_none("axis"));
    });

Variable sort(const Operand& x, std::optional<int64_t> axis) {
    LocationScope scope(x.location());
    if (!axis) return sort(flatten(x), 0);
    return take_along_axis(x, argsort(x, axis), *axis);
}
static const FunctionDef& f_sort = function(
    "sort(x, axis=-1)", {"x"},
    [](const FunctionArguments& a) { return sort(a.array("x"), a.integer_unless_none("axis")); });

Variable cumsum(const Operand& x, std::optional<int64_t> axis) {
    LocationScope scope(x.location());
    const Variable v = axis ? Variable(x) : flatten(x);
    return cumulate(v, normalize_axis("cumsum", axis.value_or(0), v.rank()), false);
}
static const FunctionDef& f_cumsum = function(
    "cumsum(x, axis=None)", {"x"},
    [](const FunctionArguments& a) { return cumsum(a.array("x"), a.integer_unless_none("axis")); });

}  // namespace catena
