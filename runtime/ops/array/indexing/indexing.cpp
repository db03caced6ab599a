#include "runtime/ops/array/indexing/indexing.h"

#include <algorithm>
#include <memory>

#include "runtime/cpu/gather_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/indexing/gather.h"
#include "runtime/ops/array/indexing/gather_elements.h"
#include "runtime/ops/array/indexing/index_arrays.h"
#include "runtime/ops/array/indexing/scatter_onto.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/checked_ranges.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/joined_calls.h"
#include "runtime/ops/declare/moved_rows.h"
#include "runtime/ops/declare/onto.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

std::vector<const Variable*> inputs_of(const Variable& first, std::span<const Variable> indices) {
    std::vector<const Variable*> inputs{&first};
    for (const Variable& i : indices) inputs.push_back(&i);
    return inputs;
}

Attributes with_shape(const Attributes& attributes, const Shape& shape) {
    std::vector<Attributes::Entry> entries(attributes.entries().begin(),
                                           attributes.entries().end());
    entries.push_back({"shape", shape});
    return Attributes(std::move(entries));
}

Shape indices_shape(const char* op, std::span<const Type> indices) {
    Shape common;
    for (const Type& i : indices) {
        check_integer(op, "an index array", i.dtype);
        if (!broadcast_shapes(common, i.shape, common))
            fail<ShapeError>("{}: index arrays {} and {} do not broadcast together", op,
                             to_string(common), to_string(i.shape));
    }
    return common;
}

/// Checks that each of the axes is named once, counted from the front.
void check_distinct_axes(const Axes& axes, int rank) {
    for (int i = 0; i < axes.rank(); ++i) {
        CATENA_ASSERT(axes[i] >= 0 && axes[i] < rank, "axes are those of x");
        for (int k = 0; k < i; ++k)
            CATENA_ASSERT(axes[k] != axes[i], "an axis has one index array");
    }
}

// gather_c1: index arrays are integers and broadcast together
// gather_c2: there is one for each of the attribute "axes"
Types gather_type(const TypeCall& c) {
    const Type& x = c.inputs[0];
    const Axes& axes = c.attributes.dims("axes");
    CATENA_ASSERT(axes.rank() == int(c.inputs.size()) - 1, "one index array for each axis");
    check_distinct_axes(axes, x.shape.rank());
    const Shape places = indices_shape(c.op.name.c_str(), c.inputs.subspan(1));
    Shape rest;
    for (int i = 0; i < x.shape.rank(); ++i)
        if (!axes.contains(i)) rest.push_back(x.shape[i]);
    const int64_t wanted = c.attributes.integer("position");
    CATENA_ASSERT(wanted >= 0 && wanted <= rest.rank(), "places stand among the other axes");
    const int position = int(wanted);
    Shape shape;
    for (int i = 0; i < position; ++i) shape.push_back(rest[i]);
    for (int64_t size : places) shape.push_back(size);
    for (int i = position; i < rest.rank(); ++i) shape.push_back(rest[i]);
    return {{x.dtype, shape}};
}

Variables index_arrays(const GradientCall& g) {
    Variables indices;
    for (int i = 1; i < g.input_count(); ++i) indices.push_back(g.x(i));
    return indices;
}

Variable scatter_into_zeros(const Variable& b, std::span<const Variable> indices,
                            const Attributes& attributes, const Shape& shape);

/// One axis is Gather's; with several the axes come first and the places are rows of GatherND.
std::vector<int> write_gather(OnnxCall& c) {
    const std::vector<int64_t> axes = c.dims("axes");
    const int64_t position = c.attributes.integer("position");
    OnnxGraph& g = c.graph;
    if (axes.size() == 1 && position == axes[0]) {
        const int places = c.input(1, Dtype::int64);
        if (!c.attributes.has("ignore_label"))
            return c.node("Gather", {c.input(0), places}, {{"axis", axes[0]}});
        const int label = g.number(double(c.attributes.integer("ignore_label")), Dtype::int64);
        const int ignored = g.node("Equal", {places, label});
        const int safe = g.node("Where", {ignored, g.number(0, Dtype::int64), places});
        const int rows = g.node("Gather", {c.input(0), safe}, {{"axis", axes[0]}});
        OnnxSizes mask = c.inputs[1].shape;
        mask.resize(c.outputs[0].shape.size(), 1);
        const int wide = g.reshape(ignored, c.inputs[1].shape, mask);
        return c.node("Where", {wide, g.number(0, c.result()), rows});
    }
    std::vector<int64_t> order = axes, back;
    const int64_t rank = c.inputs[0].rank(), rest = rank - int64_t(axes.size());
    for (int64_t i = 0; i < rank; ++i)
        if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
    const int64_t place_rank = c.outputs[0].rank() - rest;
    const OnnxSizes places(c.outputs[0].shape.begin() + position,
                           c.outputs[0].shape.begin() + position + place_rank);
    OnnxSizes column = places;
    column.push_back(1);
    std::vector<int> columns;
    for (size_t i = 1; i < c.inputs.size(); ++i) {
        const int wide = g.node("Expand", {c.input(int(i), Dtype::int64), g.integers(places)});
        columns.push_back(g.reshape(wide, places, column));
    }
    const int rows = g.node("Concat", columns, {{"axis", place_rank}});
    const int moved = g.node("Transpose", {c.input(0)}, {{"perm", order}});
    const int found = g.node("GatherND", {moved, rows});
    for (int64_t i = 0; i < position; ++i) back.push_back(place_rank + i);
    for (int64_t i = 0; i < place_rank; ++i) back.push_back(i);
    for (int64_t i = position; i < rest; ++i) back.push_back(place_rank + i);
    return c.node("Transpose", {found}, {{"perm", back}});
}

/// Places below each other, if there is one array of them.
bool places_can_be_joined(const TypeCall& c) {
    return c.inputs.size() == 2 && c.inputs[1].shape.rank() > 0;
}

Joinings gather_joinings(const TypeCall& c) {
    if (!places_can_be_joined(c)) return {};
    return {{.inputs = {Joining::shared, 0}, .output = int(c.attributes.integer("position"))}};
}

CheckedRanges gathered_places(const TypeCall& c) {
    return places_in(c.inputs[0].shape, c.attributes, c.attributes.dims("axes"));
}

const OpDef& scatter_add_op();
const OpDef& scatter_onto_op();

Attributes without_shape(const Attributes& attributes) {
    std::vector<Attributes::Entry> entries;
    for (const Attributes::Entry& entry : attributes.entries())
        if (std::string_view(entry.name) != "shape") entries.push_back(entry);
    return Attributes(std::move(entries));
}

/// Rows of `matrix`, none of them ignored. The places' axis may have another name in messages, but
/// here it has its own.
std::optional<RowAddition> row_addition(const TypeCall& c, const Shape& matrix, const Shape& sums) {
    const Attributes& a = c.attributes;
    const bool are_rows = c.inputs.size() == 2 && matrix.rank() == 2 && a.dims("axes") == Axes{0} &&
                          a.integer("position") == 0;
    if (!are_rows || a.has("ignore_label") || a.has("named_axes")) return std::nullopt;
    return RowAddition{&scatter_add_op(), with_shape(without_shape(a), sums)};
}
std::optional<RowAddition> rows_read(const TypeCall& c, const Shape& sums) {
    return row_addition(c, c.inputs[0].shape, sums);
}

OpDef gather_op(const char* name) {
    return {
        .name = name,
        .kind = Kind::gather,
        .input_count = -1,
        .differentiable = true,
        .type = gather_type,
        .kernel = run_gather,
        .gradient =
            [](const GradientCall& g) {
                return only_first(g, scatter_into_zeros(g.gy(), index_arrays(g), g.attributes(),
                                                        g.x_type(0).shape));
            },
        .reads = reads_indices,
        .onnx = write_gather,
        .checks_values = true,
        .declared = {rejects_outside(gathered_places), element_plan(gather_elements)},
    };
}
/// A gather whose places may be any: those of two calls together are places of one. Two
/// permutations are not one permutation.
OpDef free_gather_op(const char* name) {
    OpDef op = gather_op(name);
    op.declared.add(joinings(gather_joinings));
    op.declared.add(moves_rows(rows_read));
    return op;
}
// One kernel; the names are for what users see.
const OpDef& op_get_item = register_op(free_gather_op("get_item"));
const OpDef& op_take = register_op(free_gather_op("take"));
const OpDef& op_permutate = register_op(gather_op("permutate"));
const OpDef& op_embed_id = register_op(free_gather_op("embed_id"));

// scatter_add_c1: b has the shape of what gather would read
const OpDef& op_scatter_add = register_op({
    .name = "scatter_add",
    .kind = Kind::scatter,
    .input_count = -1,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Type target{c.inputs[0].dtype, c.attributes.dims("shape")};
            SmallVector<Type, 4> read{target};
            for (const Type& i : c.inputs.subspan(1)) read.push_back(i);
            const Types expected = gather_type({c.op, read, c.attributes});
            if (expected[0].shape != c.inputs[0].shape)
                fail<ShapeError>("scatter_add: b is {}, the slices of a {} have shape {}",
                                 to_string(c.inputs[0].shape), to_string(target.shape),
                                 to_string(expected[0].shape));
            return Types{target};
        },
    .kernel = run_scatter_add,
    .gradient =
        [](const GradientCall& g) {
            const Variables indices = index_arrays(g);
            const Variable gy = g.gy();
            return only_first(
                g, apply(op_take, inputs_of(gy, indices), {}, without_shape(g.attributes()))[0]);
        },
    .reads = reads_indices,
    .checks_values = true,
    .declared = {rejects_outside([](const TypeCall& c) {
                     return places_in(c.attributes.dims("shape"), c.attributes,
                                      c.attributes.dims("axes"));
                 }),
                 joinings([](const TypeCall& c) -> Joinings {
                     if (!places_can_be_joined(c)) return {};
                     return {{.inputs = {int(c.attributes.integer("position")), 0},
                              .output = Joining::sum}};
                 }),
                 moves_rows([](const TypeCall& c, const Shape& sums) {
                     return row_addition(c, c.attributes.dims("shape"), sums);
                 }),
                 added_onto_by(scatter_onto_op), element_plan(scatter_elements)},
});

const OpDef& op_scatter_onto = define_scatter_onto(op_scatter_add);
const OpDef& scatter_add_op() { return op_scatter_add; }
const OpDef& scatter_onto_op() { return op_scatter_onto; }

Variable scatter_into_zeros(const Variable& b, std::span<const Variable> indices,
                            const Attributes& attributes, const Shape& shape) {
    return apply(op_scatter_add, inputs_of(b, indices), {}, with_shape(attributes, shape))[0];
}

Variable gather_along(const OpDef& op, const Variable& x, const Variable& indices, int axis,
                      bool wrap) {
    const Variable* inputs[] = {&x, &indices};
    return apply(op, inputs, {},
                 {{"axes", Axes{axis}}, {"position", int64_t(axis)}, {"wrap", wrap}})[0];
}

Attributes attributes_of(const Gather& where) {
    std::vector<Attributes::Entry> entries{
        {"axes", where.axes}, {"position", int64_t(where.position)}, {"wrap", true}};
    if (!where.named.empty() && where.named != where.axes)
        entries.push_back({"named_axes", where.named});
    return Attributes(std::move(entries));
}

}  // namespace

Variable gather(const Variable& x, const Gather& where) {
    return apply(op_get_item, inputs_of(x, where.indices), {}, attributes_of(where))[0];
}

Variable scatter(const Variable& b, const Gather& where, const Shape& shape) {
    return scatter_into_zeros(b, where.indices, attributes_of(where), shape);
}

Variable take(const Operand& x, const Operand& indices, int64_t axis) {
    LocationScope scope(x.location());
    return gather_along(op_take, x, indices, normalize_axis("take", axis, x.variable().rank()),
                        true);
}
static const FunctionDef& f_take =
    function("take(x, indices, axis=None)", {"x", "indices"}, [](const FunctionArguments& a) {
        const std::optional<int64_t> axis = a.integer_unless_none("axis");
        return take(axis ? a.array("x") : flatten(a.array("x")), a.array("indices"),
                    axis.value_or(0));
    });

// permutate_c1: indices are a vector as long as the axis
// permutate_c2: each index stands once (checked in debug mode)
Variable permutate(const Operand& x, const Operand& indices, int64_t axis, bool inv) {
    LocationScope scope(x.location());
    const Variable& order = indices;
    const Shape& shape = x.variable().shape();
    const int along = normalize_axis("permutate", axis, shape.rank());
    check_integer("permutate", "indices", order.dtype());
    if (order.rank() != 1 || order.size() != shape[along])
        fail<ShapeError>(
            "permutate: indices {} must be a vector of {}, the size of axis {} of x {}",
            to_string(order.shape()), shape[along], along, to_string(shape));
    if (config().debug) {
        std::vector<bool> seen(size_t(order.size()));
        for (int64_t i : order.array().to_vector<int64_t>()) {
            if (i < 0 || i >= order.size() || seen[size_t(i)])
                fail<ValueError>(
                    "permutate: index {} occurs twice or is outside of axis {} of size {}", i,
                    along, order.size());
            seen[size_t(i)] = true;
        }
    }
    // The stable order of a permutation is its inverse.
    return gather_along(op_permutate, x, inv ? argsort(order, 0) : order, along, false);
}
static const FunctionDef& f_permutate = function(
    "permutate(x, indices, axis=0, inv=False)", {"x", "indices"}, [](const FunctionArguments& a) {
        return permutate(a.array("x"), a.array("indices"), a.integer("axis"), a.flag("inv"));
    });

// embed_id_c1: W has at least one axis
Variable embed_id(const Operand& x, const Operand& W, std::optional<int64_t> ignore_label) {
    LocationScope scope(x.location());
    check_integer("embed_id", "x", x.variable().dtype());
    if (W.variable().rank() == 0)
        fail<ShapeError>("embed_id: W is a scalar; it should have a row for each id");
    if (!ignore_label) return gather_along(op_embed_id, W, x, 0, false);
    const Variable* inputs[] = {&W.variable(), &x.variable()};
    return apply(op_embed_id, inputs, {},
                 {{"axes", Axes{0}},
                  {"position", int64_t(0)},
                  {"wrap", false},
                  {"ignore_label", *ignore_label}})[0];
}
static const FunctionDef& f_embed_id =
    function("embed_id(x, W, ignore_label=None)", {"x", "W"}, [](const FunctionArguments& a) {
        return embed_id(a.array("x"), a.array("W"), a.integer_unless_none("ignore_label"));
    });

}  // namespace catena
