#include "runtime/ops/array/layout/movement.h"

#include <algorithm>

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

// reshape_c1: at most one size is -1
// reshape_c2: the element counts are equal
Shape resolve_shape(const Shape& from, const Shape& to) {
    int64_t known = 1;
    int unknown = -1;
    for (int i = 0; i < to.rank(); ++i) {
        if (to[i] >= 0) {
            known = int64_t(uint64_t(known) * uint64_t(to[i]));
        } else {
            if (unknown >= 0 || to[i] != -1)
                fail<ShapeError>("reshape: shape {} may have one -1 and no other negative size",
                                 to_string(to));
            unknown = i;
        }
    }
    const int64_t count = element_count(from);
    Shape result = to;
    if (unknown >= 0 && known > 0 && count % known == 0) result[unknown] = count / known;
    if (element_count(result) != count || (unknown >= 0 && result[unknown] < 0))
        fail<ShapeError>("reshape: x {} has {} elements, shape {} asks for {}{}", to_string(from),
                         count, to_string(to), unknown >= 0 ? "a multiple of " : "", known);
    return result;
}

// transpose_c1: axes is a permutation of the axes of x
void check_permutation(const Axes& axes, const Axes& given, int rank) {
    bool seen[max_rank] = {};
    bool sound = axes.rank() == rank;
    for (int64_t axis : axes) {
        sound = sound && axis >= 0 && axis < rank && !seen[axis];
        if (sound) seen[axis] = true;
    }
    if (!sound)
        fail<ShapeError>("transpose: axes {} is not a permutation of the {} axes of x{}",
                         to_string(given), rank,
                         axes.rank() == 2 ? "; swapaxes exchanges two of them" : "");
}

Axes resolve_permutation(const Axes& axes, int rank) {
    Axes result;
    if (axes.empty() && rank > 0) {
        for (int i = rank; i-- > 0;) result.push_back(i);
        return result;
    }
    for (int64_t axis : axes) result.push_back(normalize_axis("transpose", axis, rank));
    check_permutation(result, axes, rank);
    return result;
}

// broadcast_to_c1: every axis of x, counted from the last, has the size of `shape` or 1
void check_broadcast(const Shape& from, const Shape& to) {
    Shape common;
    if (!broadcast_shapes(from, to, common) || common != to)
        fail<ShapeError>(
            "broadcast_to: x {} does not broadcast to {}; each axis of x from the last "
            "must have that size or 1",
            to_string(from), to_string(to));
}

const OpDef& op_reshape = register_op({
    .name = "reshape",
    .kind = Kind::reshape,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Shape& shape = c.attributes.dims("shape");
            const Shape resolved = resolve_shape(c.inputs[0].shape, shape);
            // Its view and other formats read the attribute itself.
            if (resolved != shape)
                fail<ShapeError>("reshape: the shape of a call is known, {}, not {}",
                                 to_string(resolved), to_string(shape));
            return Types{{c.inputs[0].dtype, resolved}};
        },
    .kernel = copy_of_view,
    .view =
        [](const Array& x, const Attributes& attributes) {
            const Shape& shape = attributes.dims("shape");
            Strides strides;
            return reshape_strides(x.shape(), x.strides(), shape, strides)
                       ? view_from(x, shape, strides)
                       : Array();
        },
    .gradient = [](const GradientCall& g) { return Variables{reshape(g.gy(), g.x_type(0).shape)}; },
    .onnx =
        [](OnnxCall& c) {
            const OnnxSizes &from = c.inputs[0].shape, &to = c.outputs[0].shape;
            for (size_t i = 0; i < to.size() && c.opset() < 14;
                 ++i)  // A 0 could only copy the input's size.
                if (to[i] == OnnxSize(0) && (i >= from.size() || !(from[i] == to[i])))
                    return std::vector<int>();
            return std::vector{c.graph.reshape(c.input(0), from, to)};
        },
});

const OpDef& op_transpose = register_op({
    .name = "transpose",
    .kind = Kind::transpose,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Axes& axes = c.attributes.dims("axes");
            check_permutation(axes, axes, c.inputs[0].shape.rank());
            Shape shape;
            for (int64_t axis : axes) shape.push_back(c.inputs[0].shape[axis]);
            return Types{{c.inputs[0].dtype, shape}};
        },
    .kernel = copy_of_view,
    .view =
        [](const Array& x, const Attributes& attributes) {
            Shape shape;
            Strides strides;
            for (int64_t axis : attributes.dims("axes")) {
                shape.push_back(x.dim(axis));
                strides.push_back(x.strides()[axis]);
            }
            return view_from(x, shape, strides);
        },
    .gradient =
        [](const GradientCall& g) {
            const Axes& axes = g.attributes().dims("axes");
            Axes inverse = axes;
            for (int i = 0; i < axes.rank(); ++i) inverse[axes[i]] = i;
            return Variables{transpose(g.gy(), inverse)};
        },
    .onnx =
        [](OnnxCall& c) { return c.node("Transpose", {c.input(0)}, {{"perm", c.dims("axes")}}); },
});

/// Implementations differ in what Expand makes of a size of 0, so that arrays without elements are
/// constants.
std::vector<int> write_broadcast(OnnxCall& c) {
    const OnnxSizes shape = c.sizes("shape");
    Shape constant;
    bool empty = false;
    for (const OnnxSize& size : shape) {
        empty |= size == OnnxSize(0);
        constant.push_back(size.constant);
    }
    if (empty && std::ranges::all_of(shape, &OnnxSize::is_constant))
        return c.node("Identity", {c.graph.constant(Array::zeros({c.result(), constant}))});
    return c.node("Expand", {c.input(0), c.graph.integers(shape)});
}

const OpDef& op_broadcast_to = register_op({
    .name = "broadcast_to",
    .kind = Kind::broadcast,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Shape& shape = c.attributes.dims("shape");
            check_broadcast(c.inputs[0].shape, shape);
            return Types{{c.inputs[0].dtype, shape}};
        },
    .kernel = copy_of_view,
    .view =
        [](const Array& x, const Attributes& attributes) {
            const Shape& shape = attributes.dims("shape");
            Strides strides = Strides::filled(shape.rank(), 0);
            const int missing = shape.rank() - x.rank();
            for (int i = 0; i < x.rank(); ++i)
                if (x.dim(i) != 1) strides[missing + i] = x.strides()[i];
            return view_from(x, shape, strides);
        },
    .gradient = [](const GradientCall& g) { return Variables{sum_to(g.gy(), g.x_type(0).shape)}; },
    .onnx = write_broadcast,
});

}  // namespace

bool reshape_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& result) {
    result = contiguous_strides(to);
    if (element_count(from) == 0) return true;
    // Axes of size 1 carry no information; the others are matched in runs of equal products.
    Shape sizes;
    Strides steps;
    for (int i = 0; i < from.rank(); ++i)
        if (from[i] != 1) {
            sizes.push_back(from[i]);
            steps.push_back(strides[i]);
        }
    int in = 0, out = 0;
    while (in < sizes.rank()) {
        int in_end = in + 1, out_end = out;
        int64_t in_product = sizes[in], out_product = 1;
        while (out_end < to.rank() && (out_end == out || in_product != out_product)) {
            if (out_product < in_product || out_end == out) out_product *= to[out_end++];
            while (in_product < out_product) in_product *= sizes[in_end++];
        }
        for (int i = in; i + 1 < in_end; ++i)
            if (steps[i] != sizes[i + 1] * steps[i + 1]) return false;
        int64_t step = steps[in_end - 1];
        for (int i = out_end; i-- > out;) {
            result[i] = step;
            step *= to[i];
        }
        in = in_end;
        out = out_end;
    }
    return true;
}

void copy_of_view(const KernelCall& call) {
    const Array& x = call.inputs[0];
    const Array& y = call.outputs[0];
    const Array seen = call.op.view(x, call.attributes);
    if (seen.defined()) return copy_elements(seen, y);
    // A reshape that needs a copy: the elements keep their row-major order.
    copy_elements(x, view_from(y, x.shape(), contiguous_strides(x.shape())));
}

Variable reshape(const Operand& x, const Shape& shape) {
    LocationScope scope(x.location());
    const Shape resolved = resolve_shape(x.variable().shape(), shape);
    if (resolved == x.variable().shape()) return x;
    return call(op_reshape, x.location(), {{"shape", resolved}}, {}, x);
}
static const FunctionDef& f_reshape =
    function("reshape(x, shape)", {"x"},
             [](const FunctionArguments& a) { return reshape(a.array("x"), a.dims("shape")); });

Variable transpose(const Operand& x, const Axes& axes) {
    LocationScope scope(x.location());
    const Axes resolved = resolve_permutation(axes, x.variable().rank());
    return call(op_transpose, x.location(), {{"axes", resolved}}, {}, x);
}
static const FunctionDef& f_transpose =
    function("transpose(x, axes=None)", {"x"},
             [](const FunctionArguments& a) { return transpose(a.array("x"), a.dims("axes")); });

Variable broadcast_to(const Operand& x, const Shape& shape) {
    if (x.variable().shape() == shape) return x;
    return call(op_broadcast_to, x.location(), {{"shape", shape}}, {}, x);
}
static const FunctionDef& f_broadcast_to = function(
    "broadcast_to(x, shape)", {"x"},
    [](const FunctionArguments& a) { return broadcast_to(a.array("x"), a.dims("shape")); });

Variables broadcast(std::span<const Variable> xs, const std::source_location& at) {
    LocationScope scope(at);
    Shape common;
    for (const Variable& x : xs)
        if (!broadcast_shapes(common, x.shape(), common))
            fail<ShapeError>(
                "broadcast: shapes {} and {} do not broadcast: sizes of an axis must be equal or 1",
                to_string(common), to_string(x.shape()));
    Variables result;
    for (const Variable& x : xs) result.push_back(broadcast_to(x, common));
    return result;
}
static const FunctionDef& f_broadcast = function(
    "broadcast(*args)", {"*args"}, [](const FunctionArguments& a) { return broadcast(a.list()); });

Variable expand_dims(const Operand& x, int64_t axis) {
    LocationScope scope(x.location());
    Shape shape = x.variable().shape();
    shape.insert(normalize_axis("expand_dims", axis, shape.rank() + 1), 1);
    return reshape(x, shape);
}
static const FunctionDef& f_expand_dims = function(
    "expand_dims(x, axis)", {"x"},
    [](const FunctionArguments& a) { return expand_dims(a.array("x"), a.integer("axis")); });

// squeeze_c1: every axis to drop has size 1
Variable squeeze(const Operand& x, const Axes& axes) {
    LocationScope scope(x.location());
    const Shape& from = x.variable().shape();
    const Axes drop = axes.empty() ? Axes() : normalize_axes("squeeze", axes, from.rank(), false);
    for (int64_t axis : drop)
        if (from[axis] != 1)
            fail<ShapeError>("squeeze: axis {} of x {} has size {}, only size 1 can be dropped",
                             axis, to_string(from), from[axis]);
    Shape shape;
    for (int i = 0; i < from.rank(); ++i)
        if (axes.empty() ? from[i] != 1 : !drop.contains(i)) shape.push_back(from[i]);
    return reshape(x, shape);
}
static const FunctionDef& f_squeeze =
    function("squeeze(x, axis=None)", {"x"},
             [](const FunctionArguments& a) { return squeeze(a.array("x"), a.dims("axis")); });

Variable functions::Flatten::operator()(const Operand& x, int64_t start_axis,
                                        int64_t end_axis) const {
    const LocationScope scope(x.location());
    const Shape& from = x.variable().shape();
    if (start_axis == 0 && end_axis == -1) return reshape(x, {element_count(from)});
    const int start = normalize_axis("flatten", start_axis, from.rank()),
              end = normalize_axis("flatten", end_axis, from.rank());
    if (start > end)
        fail<ShapeError>("flatten: axis {} is behind axis {} of x {}", start_axis, end_axis,
                         to_string(from));
    Shape shape;
    for (int i = 0; i < from.rank(); ++i)
        if (i > start && i <= end)
            shape[start] *= from[i];
        else
            shape.push_back(from[i]);
    return reshape(x, shape);
}
static const FunctionDef& f_flatten =
    function("flatten(x)", {"x"}, [](const FunctionArguments& a) { return flatten(a.array("x")); });

}  // namespace catena
