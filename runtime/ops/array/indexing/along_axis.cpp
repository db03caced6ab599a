// Elements chosen along one axis by an array of indices of the same rank, their sums, and indices
// as rows of zeros and a one.
#include "runtime/cpu/gather_kernel.h"
#include "runtime/ops/array/indexing/gather_elements.h"
#include "runtime/ops/array/indexing/index_arrays.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

// take_along_axis_c1: indices are integers, of x's rank and x's sizes but for the axis
void check_along_axis(const OpDef& op, const Type& indices, const Shape& x, int axis) {
    check_integer(op.name.c_str(), "the index array", indices.dtype);
    CATENA_ASSERT(axis >= 0 && axis < x.rank(), "the axis is one of x");
    Shape fitting = indices.shape;
    if (fitting.rank() == x.rank()) fitting[axis] = x[axis];
    if (fitting != x)
        fail<ShapeError>("{}: indices {} must have the sizes of x {} but for axis {}", op.name,
                         to_string(indices.shape), to_string(x), axis);
}

Variable add_along_axis(const Variable& b, const Variable& indices, int axis, int64_t size,
                        bool wrap);

CheckedRanges places_along_axis(const TypeCall& c) {
    return places_in(c.inputs[0].shape, c.attributes, {c.attributes.integer("axis")});
}

OpDef along_axis_op(const char* name) {
    return {
        .name = name,
        .kind = Kind::gather,
        .input_count = 2,
        .differentiable = true,
        .type =
            [](const TypeCall& c) {
                check_along_axis(c.op, c.inputs[1], c.inputs[0].shape,
                                 int(c.attributes.integer("axis")));
                return Types{{c.inputs[0].dtype, c.inputs[1].shape}};
            },
        .kernel = run_take_along_axis,
        .gradient =
            [](const GradientCall& g) {
                const int axis = int(g.attributes().integer("axis"));
                return only_first(g, add_along_axis(g.gy(), g.x(1), axis, g.x_type(0).shape[axis],
                                                    g.attributes().flag("wrap")));
            },
        .reads = reads_indices,
        .onnx =
            [](OnnxCall& c) {
                return c.node("GatherElements", {c.input(0), c.input(1, Dtype::int64)},
                              {{"axis", c.attributes.integer("axis")}});
            },
        .checks_values = true,
        .declared = {rejects_outside(places_along_axis), element_text(take_along_axis_text)},
    };
}
const OpDef& op_take_along_axis = register_op(along_axis_op("take_along_axis"));
const OpDef& op_select_item = register_op(along_axis_op("select_item"));

const OpDef& op_add_along_axis = register_op({
    .name = "add_along_axis",
    .kind = Kind::scatter,
    .input_count = 2,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const int axis = int(c.attributes.integer("axis"));
            check_along_axis(c.op, c.inputs[1], c.inputs[0].shape, axis);
            Type y = c.inputs[0];
            y.shape[axis] = c.attributes.integer("size");
            CATENA_ASSERT(y.shape[axis] >= 0, "a size is not negative");
            return Types{y};
        },
    .kernel = run_add_along_axis,
    .gradient =
        [](const GradientCall& g) {
            const Attributes& a = g.attributes();
            return only_first(g, call(op_take_along_axis, {},
                                      {{"axis", a.integer("axis")}, {"wrap", a.flag("wrap")}}, {},
                                      g.gy(), g.x(1)));
        },
    .reads = reads_indices,
    .onnx = {[](OnnxCall& c) {
                 const int zeros = c.graph.node("Expand", {c.graph.number(0, c.result()),
                                                           c.graph.integers(c.outputs[0].shape)});
                 return c.node("ScatterElements", {zeros, c.input(1, Dtype::int64), c.input(0)},
                               {{"axis", c.attributes.integer("axis")}, {"reduction", "add"}});
             },
             16},
    .checks_values = true,
    .declared = {rejects_outside([](const TypeCall& c) {
                     const int axis = int(c.attributes.integer("axis"));
                     Shape y = c.inputs[0].shape;
                     y[axis] = c.attributes.integer("size");
                     return places_in(y, c.attributes, {axis});
                 }),
                 element_text(add_along_axis_text)},
});

Variable add_along_axis(const Variable& b, const Variable& indices, int axis, int64_t size,
                        bool wrap) {
    return call(op_add_along_axis, {}, {{"axis", int64_t(axis)}, {"size", size}, {"wrap", wrap}},
                {}, b, indices);
}

const OpDef& op_one_hot = register_op({
    .name = "one_hot",
    .type =
        [](const TypeCall& c) {
            check_integer("one_hot", "x", c.inputs[0].dtype);
            Shape shape = c.inputs[0].shape;
            shape.push_back(c.attributes.integer("classes"));
            return Types{{c.attributes.dtype("dtype"), shape}};
        },
    .kernel = run_one_hot,
    .onnx =
        [](OnnxCall& c) {
            const int classes =
                c.graph.number(double(c.attributes.integer("classes")), Dtype::int64);
            const Array values = Array::from<int64_t>({0, 1}).astype(c.result());
            return c.node("OneHot", {c.input(0, Dtype::int64), classes, c.graph.constant(values)},
                          {{"axis", -1}});
        },
    .checks_values = true,
    .declared = {element_text(one_hot_text)},
});

}  // namespace

// select_item_c1: x is a matrix, t a vector of integers, one for each row
Variable select_item(const Operand& x, const Operand& t) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const Variable& labels = t;
    if (v.rank() != 2 || labels.rank() != 1 || labels.size() != v.shape()[0])
        fail<ShapeError>(
            "select_item: x {} must be a matrix and t {} a vector with an entry for each row",
            to_string(v.shape()), to_string(labels.shape()));
    return reshape(call(op_select_item, x.location(), {{"axis", int64_t(1)}, {"wrap", false}}, {},
                        v, expand_dims(labels, 1)),
                   {labels.size()});
}
static const FunctionDef& f_select_item =
    function("select_item(x, t)", {"x", "t"},
             [](const FunctionArguments& a) { return select_item(a.array("x"), a.array("t")); });

Variable take_along_axis(const Operand& x, const Operand& indices, int64_t axis) {
    LocationScope scope(x.location());
    const int64_t along = normalize_axis("take_along_axis", axis, x.variable().rank());
    return call(op_take_along_axis, x.location(), {{"axis", along}, {"wrap", true}}, {}, x,
                indices);
}
static const FunctionDef& f_take_along_axis =
    function("take_along_axis(x, indices, axis)", {"x", "indices"}, [](const FunctionArguments& a) {
        return take_along_axis(a.array("x"), a.array("indices"), a.integer("axis"));
    });

/// x added up along an axis at the places that indices name, in an array of zeros: the gradient of
/// take_along_axis.
/// - indices: Integers of x's shape; negative ones count from the end.
/// - axis: Along which elements are placed.
/// - size: The axis's size in the result.
static const FunctionDef& f_add_along_axis = function(
    "add_along_axis(x, indices, axis, size)", {"x", "indices"}, [](const FunctionArguments& a) {
        const Variable x = a.array("x");
        const int axis = normalize_axis("add_along_axis", a.integer("axis"), x.rank());
        return add_along_axis(x, a.array("indices"), axis, a.integer("size"), true);
    });

Variable one_hot(const Operand& x, int64_t classes, Dtype dtype) {
    LocationScope scope(x.location());
    if (classes < 0) fail<ValueError>("one_hot: {} classes, at least 0 are needed", classes);
    return call(op_one_hot, x.location(),
                {{"classes", classes}, {"dtype", std::string(name_of(dtype))}}, {}, x);
}
static const FunctionDef& f_one_hot =
    function("one_hot(x, classes, dtype='float32')", {"x"}, [](const FunctionArguments& a) {
        return one_hot(a.array("x"), a.integer("classes"), parse_dtype(a.text("dtype")));
    });

}  // namespace catena
