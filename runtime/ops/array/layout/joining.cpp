#include "runtime/ops/array/layout/joining.h"

#include <algorithm>
#include <vector>

#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

// concat_c1: there is at least one array
// concat_c2: dtypes are equal
// concat_c3: ranks are equal, and all sizes but that of `axis`
Types concat_type(const TypeCall& c) {
    const int axis = int(c.attributes.integer("axis"));
    Type result = c.inputs[0];
    CATENA_ASSERT(axis >= 0 && axis < result.shape.rank(), "the axis is one of the arrays");
    for (size_t i = 1; i < c.inputs.size(); ++i) {
        const Type& x = c.inputs[i];
        if (x.dtype != result.dtype)
            fail<DtypeError>("concat: xs[0] is {}, xs[{}] is {}; dtypes must be equal",
                             name_of(result.dtype), i, name_of(x.dtype));
        Shape fitting = x.shape;
        if (x.shape.rank() == result.shape.rank()) fitting[axis] = result.shape[axis];
        if (fitting != result.shape)
            fail<ShapeError>("concat: xs[0] {} and xs[{}] {} differ in more than axis {}",
                             to_string(c.inputs[0].shape), i, to_string(x.shape), axis);
        result.shape[axis] = sum_of_sizes("concat", {result.shape[axis], x.shape[axis]});
    }
    return {result};
}

void concat_kernel(const KernelCall& call) {
    const int axis = int(call.attributes.integer("axis"));
    const Array& y = call.outputs[0];
    int64_t at = 0;
    for (const Array& x : call.inputs) {
        copy_elements(x, view_from(y, x.shape(), y.strides(), at * y.strides()[axis]));
        at += x.dim(axis);
    }
}

const OpDef& op_concat = register_op({
    .name = "concat",
    .kind = Kind::concat,
    .input_count = -1,
    .differentiable = true,
    .type = concat_type,
    .kernel = concat_kernel,
    .gradient =
        [](const GradientCall& g) {
            const int axis = int(g.attributes().integer("axis"));
            Variables gx;
            int64_t at = 0;
            for (int i = 0; i < g.input_count(); ++i) {
                const int64_t size = g.x_type(i).shape[axis];
                gx.push_back(g.needs(i) ? slice_axis(g.gy(), axis, at, size) : Variable());
                at += size;
            }
            return gx;
        },
    .onnx =
        [](OnnxCall& c) {
            std::vector<int> parts;
            for (const OnnxCall::Value& x : c.inputs) parts.push_back(x.id);
            return c.node("Concat", parts, {{"axis", c.attributes.integer("axis")}});
        },
    .declared = {channels_last_rule([](const TypeCall&) {
                     return ChannelsLast{.inputs = ~0u, .outputs = 1, .alike = true};
                 }),
                 image_operands({.inputs = ~0u, .outputs = 1}), in_autocast(Autocast::same),
                 on_any_device()},
});

/// Where the parts of a split end; "sections" equal parts or the cuts and the end.
SmallVector<int64_t, 8> part_ends(const Attributes& attributes, int64_t size) {
    SmallVector<int64_t, 8> ends;
    if (attributes.has("sections")) {
        const int64_t sections = attributes.integer("sections");
        for (int64_t i = 1; i <= sections; ++i) ends.push_back(size / sections * i);
    } else {
        const Dims& cuts = attributes.dims("cuts");
        ends.append(cuts.begin(), cuts.end());
        ends.push_back(size);
    }
    return ends;
}

Types split_type(const TypeCall& c) {
    const int axis = int(c.attributes.integer("axis"));
    CATENA_ASSERT(axis >= 0 && axis < c.inputs[0].shape.rank(), "the axis is one of x");
    Types types;
    int64_t begin = 0;
    for (int64_t end : part_ends(c.attributes, c.inputs[0].shape[axis])) {
        Type part = c.inputs[0];
        part.shape[axis] = end - begin;
        types.push_back(part);
        begin = end;
    }
    return types;
}

Variables slices(const Variable& x, int axis, std::span<const int64_t> ends) {
    Variables parts;
    int64_t begin = 0;
    for (int64_t end : ends) {
        parts.push_back(slice_axis(x, axis, begin, end - begin));
        begin = end;
    }
    return parts;
}

// Slices to the eye of a recorder; one node in the graph, so that the gradient is one concat and
// not a sum of zero-padded parts.
const OpDef& op_split_axis = register_op({
    .name = "split_axis",
    .output_count = -1,
    .differentiable = true,
    .type = split_type,
    .body =
        [](std::span<const Variable> x, const Attributes& attributes, std::span<const Scalar>) {
            const int axis = int(attributes.integer("axis"));
            return slices(x[0], axis, part_ends(attributes, x[0].shape()[axis]));
        },
    .gradient =
        [](const GradientCall& g) {
            const int axis = int(g.attributes().integer("axis"));
            ReusedVector<Variable> gy;
            for (size_t i = 0; i < part_ends(g.attributes(), g.x_type(0).shape[axis]).size(); ++i)
                gy.push_back(g.gy(int(i)));
            return Variables{concat(gy, axis)};
        },
    .onnx =
        [](OnnxCall& c) {
            const int64_t axis = c.attributes.integer("axis");
            OnnxSizes sizes;
            for (const OnnxCall::Value& part : c.outputs) sizes.push_back(part.shape[size_t(axis)]);
            return c.graph.node("Split", {c.input(0), c.graph.integers(sizes)}, {{"axis", axis}},
                                int(sizes.size()));
        },
});

void check_not_empty(const char* op, std::span<const Variable> xs) {
    if (xs.empty()) fail<ValueError>("{}: xs is empty, at least one array is needed", op);
}

Variable with_rank(const Variable& x, int rank) {
    if (rank == 3 && x.rank() == 1) return reshape(x, {1, x.size(), 1});
    if (rank == 3 && x.rank() == 2) return expand_dims(x, 2);
    Shape shape = x.shape();
    while (shape.rank() < rank) shape.insert(0, 1);
    return reshape(x, shape);
}

Variable concat_with_rank(const char* op, std::span<const Variable> xs, int rank, int axis) {
    check_not_empty(op, xs);
    ReusedVector<Variable> parts;
    for (const Variable& x : xs) parts.push_back(with_rank(x, rank));
    return concat(parts, axis);
}

}  // namespace

Variable concat(std::span<const Variable> xs, int64_t axis, const std::source_location& at) {
    LocationScope scope(at);
    check_not_empty("concat", xs);
    const int64_t along = normalize_axis("concat", axis, xs[0].rank());
    ReusedVector<const Variable*> inputs;
    Dtype dtype = xs[0].dtype();
    bool is_mixed = false;
    for (const Variable& x : xs) {
        inputs.push_back(&x);
        if (!x.array().defined() || x.dtype() == dtype) continue;  // apply() names what is missing.
        is_mixed = true;
        dtype = promote(dtype, x.dtype());
    }
    if (!is_mixed) return apply(op_concat, inputs, at, {{"axis", along}})[0];
    ReusedVector<Variable> promoted;
    for (const Variable& x : xs) promoted.push_back(cast(x, dtype));
    return concat(promoted, axis, at);
}
Variable concat(std::initializer_list<Variable> xs, int64_t axis, const std::source_location& at) {
    return concat(std::span<const Variable>(xs.begin(), xs.size()), axis, at);
}
static const FunctionDef& f_concat =
    function("concat(xs, axis=1)", {"*xs"},
             [](const FunctionArguments& a) { return concat(a.list(), a.integer("axis")); });

// stack_c1: shapes are equal
Variable stack(std::span<const Variable> xs, int64_t axis, const std::source_location& at) {
    LocationScope scope(at);
    check_not_empty("stack", xs);
    const int along = normalize_axis("stack", axis, xs[0].rank() + 1);
    ReusedVector<Variable> parts;
    for (const Variable& x : xs) {
        if (x.shape() != xs[0].shape())
            fail<ShapeError>("stack: xs[0] {} and xs[{}] {} must have one shape",
                             to_string(xs[0].shape()), parts.size(), to_string(x.shape()));
        parts.push_back(expand_dims(x, along));
    }
    return concat(parts, along, at);
}
Variable stack(std::initializer_list<Variable> xs, int64_t axis, const std::source_location& at) {
    return stack(std::span<const Variable>(xs.begin(), xs.size()), axis, at);
}
static const FunctionDef& f_stack =
    function("stack(xs, axis=0)", {"*xs"},
             [](const FunctionArguments& a) { return stack(a.list(), a.integer("axis")); });

Variable hstack(std::span<const Variable> xs, const std::source_location& at) {
    LocationScope scope(at);
    check_not_empty("hstack", xs);
    return concat_with_rank("hstack", xs, 1, xs[0].rank() <= 1 ? 0 : 1);
}
Variable hstack(std::initializer_list<Variable> xs, const std::source_location& at) {
    return hstack(std::span<const Variable>(xs.begin(), xs.size()), at);
}
static const FunctionDef& f_hstack =
    function("hstack(xs)", {"*xs"}, [](const FunctionArguments& a) { return hstack(a.list()); });

Variable vstack(std::span<const Variable> xs, const std::source_location& at) {
    LocationScope scope(at);
    return concat_with_rank("vstack", xs, 2, 0);
}
Variable vstack(std::initializer_list<Variable> xs, const std::source_location& at) {
    return vstack(std::span<const Variable>(xs.begin(), xs.size()), at);
}
static const FunctionDef& f_vstack =
    function("vstack(xs)", {"*xs"}, [](const FunctionArguments& a) { return vstack(a.list()); });

Variable dstack(std::span<const Variable> xs, const std::source_location& at) {
    LocationScope scope(at);
    return concat_with_rank("dstack", xs, 3, 2);
}
Variable dstack(std::initializer_list<Variable> xs, const std::source_location& at) {
    return dstack(std::span<const Variable>(xs.begin(), xs.size()), at);
}
static const FunctionDef& f_dstack =
    function("dstack(xs)", {"*xs"}, [](const FunctionArguments& a) { return dstack(a.list()); });

constexpr int64_t most_sections = int64_t(1) << 24;

// split_axis_c1: equal sections divide the axis
Variables split_axis(const Operand& x, int64_t sections, int64_t axis) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    const int64_t along = normalize_axis("split_axis", axis, shape.rank());
    if (sections < 1 || shape[along] % sections != 0)
        fail<ShapeError>("split_axis: axis {} of x {} has size {}, which {} sections do not divide",
                         along, to_string(shape), shape[along], sections);
    if (sections > most_sections)  // Any number divides an axis of size 0.
        fail<ShapeError>("split_axis: {} sections, at most {} are possible", sections,
                         most_sections);
    const Variable* input = &x.variable();
    return apply(op_split_axis, {&input, 1}, x.location(),
                 {{"axis", along}, {"sections", sections}});
}

// split_axis_c2: cuts ascend within the axis
Variables split_axis(const Operand& x, std::span<const int64_t> cuts, int64_t axis) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    const int64_t along = normalize_axis("split_axis", axis, shape.rank());
    int64_t previous = 0;
    for (int64_t cut : cuts) {
        if (cut < previous || cut > shape[along])
            fail<ShapeError>(
                "split_axis: cut {} must be between {} (the cut before) and {} (the size of axis "
                "{} of x {})",
                cut, previous, shape[along], along, to_string(shape));
        previous = cut;
    }
    if (cuts.size() > size_t(max_rank)) {
        std::vector<int64_t> ends(cuts.begin(), cuts.end());
        ends.push_back(shape[along]);
        return slices(x, int(along), ends);
    }
    const Variable* input = &x.variable();
    return apply(op_split_axis, {&input, 1}, x.location(), {{"axis", along}, {"cuts", Dims(cuts)}});
}
Variables split_axis(const Operand& x, std::initializer_list<int64_t> cuts, int64_t axis) {
    return split_axis(x, std::span(cuts.begin(), cuts.size()), axis);
}
static const FunctionDef& f_split_axis = function(
    "split_axis(x, indices_or_sections, axis, force_tuple=True)", {"x"},
    [](const FunctionArguments& a) {
        const bool equal = std::holds_alternative<int64_t>(a.value("indices_or_sections").value);
        Variables parts =
            equal ? split_axis(a.array("x"), a.integer("indices_or_sections"), a.integer("axis"))
                  : split_axis(a.array("x"), a.dims("indices_or_sections"), a.integer("axis"));
        const bool is_alone = parts.size() == 1 && !a.flag("force_tuple");
        return OneOrMore(std::move(parts), is_alone);
    });

Variables separate(const Operand& x, int64_t axis) {
    LocationScope scope(x.location());
    Shape shape = x.variable().shape();
    const int along = normalize_axis("separate", axis, shape.rank());
    const int64_t items = shape[along];
    if (items == 0) return {};
    shape.erase(along);
    Variables parts = split_axis(x, items, along);
    for (Variable& part : parts) part = reshape(part, shape);
    return parts;
}
static const FunctionDef& f_separate =
    function("separate(x, axis=0)", {"x"},
             [](const FunctionArguments& a) { return separate(a.array("x"), a.integer("axis")); });

}  // namespace catena
