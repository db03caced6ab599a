#include "runtime/ops/array/layout/slicing.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/array/sizes.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/placement.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

/// The part of `base` that begin, step and size name.
Array view_of_slice(const Array& base, const Dims& begin, const Dims& step, const Shape& size) {
    Strides strides;
    int64_t offset = 0;
    for (int i = 0; i < base.rank(); ++i) {
        // The step of one element may be any number.
        strides.push_back(size[i] > 1 ? base.strides()[i] * step[i] : base.strides()[i]);
        if (size[i] > 0) offset += base.strides()[i] * begin[i];
    }
    return view_from(base, size, strides, element_count(size) > 0 ? offset : 0);
}

// slice_c1: begin, step and size have one entry for each axis of x
// slice_c2: no step is 0, no size negative
// slice_c3: the first and last element named exist
void check_slice(const Shape& x, const Dims& begin, const Dims& step, const Dims& size) {
    const int rank = x.rank();
    if (begin.rank() != rank || step.rank() != rank || size.rank() != rank)
        fail<ShapeError>(
            "slice: begin {}, step {} and size {} need {} entries, one for each axis of x {}",
            to_string(begin), to_string(step), to_string(size), rank, to_string(x));
    for (int i = 0; i < rank; ++i) {
        if (step[i] == 0 || size[i] < 0)
            fail<ShapeError>(
                "slice: axis {} has step {} and size {}; the step must not be 0 and the size not "
                "negative",
                i, step[i], size[i]);
        if (size[i] == 0) continue;
        const int64_t last =
            sum_of_sizes("slice", {begin[i], product_of_sizes("slice", {size[i] - 1, step[i]})});
        if (std::min(begin[i], last) < 0 || std::max(begin[i], last) >= x[i])
            fail<ShapeError>("slice: elements {} to {} of axis {} are asked for, x {} has {}",
                             begin[i], last, i, to_string(x), x[i]);
    }
}

void fill_with(const Array& y, double value) {
    visit_dtype(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        std::fill_n(y.to_fill<T>(), y.size(), T(value));
    });
}

/// Writes a slice that names only the axes that are cut, so that the others may have any size.
std::vector<int> write_slice(OnnxCall& c) {
    const OnnxSizes begins = c.sizes("begin"), sizes = c.sizes("size");
    const std::vector<int64_t> steps = c.dims("step");
    OnnxSizes starts, ends;
    std::vector<int64_t> axes, strides;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (begins[i] == 0 && steps[i] == 1 && sizes[i] == c.inputs[0].shape[i]) continue;
        OnnxSize end = begins[i] + sizes[i] * steps[i];
        // A negative end counts from the last; one that is far out is before the first.
        if (end.is_constant() && end.constant < 0) end = OnnxSize(INT64_MIN / 2);
        axes.push_back(int64_t(i));
        starts.push_back(begins[i]);
        ends.push_back(end);
        strides.push_back(steps[i]);
    }
    OnnxGraph& g = c.graph;
    if (axes.empty()) return c.node("Identity", {c.input(0)});
    return c.node("Slice", {c.input(0), g.integers(starts), g.integers(ends), g.integers(axes),
                            g.integers(strides)});
}

/// Numbers in the order of ONNX's Pad: all begins, then all ends.
std::vector<int> write_pad(OnnxCall& c, OnnxSizes before, const OnnxSizes& after, double value) {
    before.insert(before.end(), after.begin(), after.end());
    return c.node("Pad", {c.input(0), c.graph.integers(before), c.graph.number(value, c.result())});
}

/// `value` of sizes `shape` with step - 1 zeros behind each element of an axis; `shape` becomes the
/// result's.
int with_gaps(OnnxCall& c, int value, OnnxSizes& shape, size_t axis, int64_t step) {
    OnnxSizes apart = shape;
    apart.insert(apart.begin() + long(axis) + 1, OnnxSize(1));
    std::vector<int64_t> pads(2 * apart.size(), 0);
    pads[apart.size() + axis + 1] = step - 1;
    const int padded = c.graph.node("Pad", {c.graph.reshape(value, shape, apart),
                                            c.graph.integers(pads), c.graph.number(0, c.result())});
    apart[axis + 1] = OnnxSize(step);
    shape[axis] = shape[axis] * step;
    return c.graph.reshape(padded, apart, shape);
}

/// Zeros between the elements, then around them; the last may be too many, which Pad takes away
/// again.
std::vector<int> write_place_slice(OnnxCall& c) {
    const OnnxSizes begin = c.sizes("begin");
    OnnxSizes shape = c.inputs[0].shape, pads = begin;
    int value = c.input(0);
    for (size_t i = 0; i < begin.size(); ++i) {
        const int64_t step = c.dims("step")[i];
        if (step < 1) return {};
        if (step > 1) value = with_gaps(c, value, shape, i, step);
    }
    for (size_t i = 0; i < begin.size(); ++i)
        pads.push_back(c.outputs[0].shape[i] - shape[i] - begin[i]);
    return c.node("Pad", {value, c.graph.integers(pads), c.graph.number(0, c.result())});
}

const OpDef& op_slice = register_op({
    .name = "slice",
    .kind = Kind::slice,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Attributes& a = c.attributes;
            check_slice(c.inputs[0].shape, a.dims("begin"), a.dims("step"), a.dims("size"));
            return Types{{c.inputs[0].dtype, a.dims("size")}};
        },
    .kernel = copy_of_view,
    .view =
        [](const Array& x, const Attributes& a) {
            return view_of_slice(x, a.dims("begin"), a.dims("step"), a.dims("size"));
        },
    .gradient =
        [](const GradientCall& g) {
            const Attributes& a = g.attributes();
            return Variables{
                place_slice(g.gy(), a.dims("begin"), a.dims("step"), g.x_type(0).shape)};
        },
    .onnx = write_slice,
});

constexpr const char* place_slice_text = R"(
        i64 digits = i, from = 0, weight = 1;
        bool inside = true;
        for (int d = y0_rank - 1; d >= 0; --d) {
            const i64 steps = digits % y0_size[d] - begin[d];
            digits /= y0_size[d];
            const i64 k = steps / step[d];
            inside = inside && steps % step[d] == 0 && k >= 0 && k < x0_size[d];
            from += k * weight;
            weight *= x0_size[d];
        }
        y0(i, inside ? x0(from) : T(0));)";

const OpDef& op_place_slice = register_op({
    .name = "place_slice",
    .kind = Kind::call,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Attributes& a = c.attributes;
            check_slice(a.dims("shape"), a.dims("begin"), a.dims("step"), c.inputs[0].shape);
            return Types{{c.inputs[0].dtype, a.dims("shape")}};
        },
    .kernel =
        [](const KernelCall& c) {
            const Attributes& a = c.attributes;
            const Array& x = c.inputs[0];
            fill_with(c.outputs[0], 0);
            copy_elements(x,
                          view_of_slice(c.outputs[0], a.dims("begin"), a.dims("step"), x.shape()));
        },
    .gradient =
        [](const GradientCall& g) {
            const Attributes& a = g.attributes();
            return Variables{
                strided_slice(g.gy(), a.dims("begin"), a.dims("step"), g.x_type(0).shape)};
        },
    .onnx = write_place_slice,
    .declared = {places_among_zeros([](const PlacementCall& c) -> std::optional<Dims> {
                     const Attributes& a = c.attributes;
                     if (std::ranges::any_of(a.dims("step"),
                                             [](int64_t step) { return step != 1; }))
                         return std::nullopt;
                     return a.dims("begin");
                 }),
                 element_text(place_slice_text)},
});

// pad_c1: before and after have one entry, not negative, for each axis of x
Types pad_type(const TypeCall& c) {
    const Dims& before = c.attributes.dims("before");
    const Dims& after = c.attributes.dims("after");
    Type y = c.inputs[0];
    const int rank = y.shape.rank();
    bool fits = before.rank() == rank && after.rank() == rank;
    for (int i = 0; fits && i < rank; ++i) fits = before[i] >= 0 && after[i] >= 0;
    if (!fits)
        fail<ShapeError>(
            "pad: before {} and after {} need {} entries of at least 0, one for each axis of x {}",
            to_string(before), to_string(after), rank, to_string(y.shape));
    for (int i = 0; i < rank; ++i)
        y.shape[i] = sum_of_sizes("pad", {y.shape[i], before[i], after[i]});
    return {y};
}

constexpr const char* pad_text = R"(
        i64 digits = i, from = 0, weight = 1;
        bool inside = true;
        for (int d = y0_rank - 1; d >= 0; --d) {
            const i64 k = digits % y0_size[d] - before[d];
            digits /= y0_size[d];
            inside = inside && k >= 0 && k < x0_size[d];
            from += k * weight;
            weight *= x0_size[d];
        }
        y0(i, inside ? x0(from) : T(value));)";

const OpDef& op_pad = register_op({
    .name = "pad",
    .kind = Kind::pad,
    .scalar_names = {"value"},
    .differentiable = true,
    .type = pad_type,
    .kernel =
        [](const KernelCall& c) {
            const Array& x = c.inputs[0];
            fill_with(c.outputs[0], c.scalars[0]);
            copy_elements(x, view_of_slice(c.outputs[0], c.attributes.dims("before"),
                                           Dims::filled(x.rank(), 1), x.shape()));
        },
    .gradient =
        [](const GradientCall& g) {
            const Shape& shape = g.x_type(0).shape;
            return Variables{strided_slice(g.gy(), g.attributes().dims("before"),
                                           Dims::filled(shape.rank(), 1), shape)};
        },
    .onnx =
        [](OnnxCall& c) { return write_pad(c, c.sizes("before"), c.sizes("after"), c.scalars[0]); },
    .declared = {element_text(pad_text)},
});

}  // namespace

Variable strided_slice(const Operand& x, const Dims& begin, const Dims& step, const Dims& size) {
    return call(op_slice, x.location(), {{"begin", begin}, {"step", step}, {"size", size}}, {}, x);
}

static const FunctionDef& f_slice =
    function("slice(x, begin, step, size)", {"x"}, [](const FunctionArguments& a) {
        return strided_slice(a.array("x"), a.dims("begin"), a.dims("step"), a.dims("size"));
    });

Variable slice_axis(const Operand& x, int64_t axis, int64_t begin, int64_t size, int64_t step) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    const int along = normalize_axis("slice", axis, shape.rank());
    if (begin == 0 && step == 1 && size == shape[along]) return x;
    Dims begins = Dims::filled(shape.rank(), 0), steps = Dims::filled(shape.rank(), 1),
         sizes = shape;
    begins[along] = begin;
    steps[along] = step;
    sizes[along] = size;
    return strided_slice(x, begins, steps, sizes);
}

Variable place_slice(const Operand& x, const Dims& begin, const Dims& step, const Shape& shape) {
    return call(op_place_slice, x.location(), {{"begin", begin}, {"step", step}, {"shape", shape}},
                {}, x);
}

static const FunctionDef& f_place_slice =
    function("place_slice(x, begin, step, shape)", {"x"}, [](const FunctionArguments& a) {
        return place_slice(a.array("x"), a.dims("begin"), a.dims("step"), a.dims("shape"));
    });

Variable flip(const Operand& x, int64_t axis) {
    LocationScope scope(x.location());
    const int along = normalize_axis("flip", axis, x.variable().rank());
    const int64_t size = x.variable().shape()[along];
    if (size < 2) return x;
    return slice_axis(x, along, size - 1, size, -1);
}

Variable flipud(const Operand& x) {
    LocationScope scope(x.location());
    return flip(x, 0);
}
static const FunctionDef& f_flipud =
    function("flipud(a)", {"a"}, [](const FunctionArguments& a) { return flipud(a.array("a")); });

Variable fliplr(const Operand& x) {
    LocationScope scope(x.location());
    return flip(x, 1);
}
static const FunctionDef& f_fliplr =
    function("fliplr(a)", {"a"}, [](const FunctionArguments& a) { return fliplr(a.array("a")); });

Variable pad(const Operand& x, const Dims& before, const Dims& after, const Scalar& value) {
    return call(op_pad, x.location(), {{"before", before}, {"after", after}}, {value},
                lifted(x, value));
}

}  // namespace catena
