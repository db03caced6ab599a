#include "runtime/ops/array/indexing/scatter_reduce.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/scatter_reduce_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/index_arrays.h"
#include "runtime/ops/array/indexing/read_slices.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/checked_ranges.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

// The operations are on vectors: a, b, and where the elements of b go in a.

Types reduced_type(const TypeCall& c) {
    const Type &a = c.inputs[0], &b = c.inputs[1], &places = c.inputs[2];
    CATENA_ASSERT(a.shape.rank() == 1 && b.shape.rank() == 1 && places.shape == b.shape &&
                      a.dtype == b.dtype && places.dtype == Dtype::int64,
                  "vectors, and a place for each element of b");
    return {a};
}

/// The elements of a vector at the places.
Variable elements_at(const Variable& x, const Variable& places) { return take(x, places, 0); }

/// How many of `marked` go to each of n places.
Variable count_at(const Variable& marked, const Variable& places, int64_t n) {
    return scatter_add(fill({Dtype::int32, Shape{n}}, 0), {Index(places)},
                       cast(marked, Dtype::int32));
}

/// The gradient of extrema: elements equal to the result share it, as in PyTorch's scatter_reduce
/// with amax and amin (tools/autograd: scatter_reduce_backward). A NaN has no part in it.
Variables extremum_gradient(const GradientCall& g) {
    const Variable places = g.x(2), y = g.y(), gy = g.gy();
    const Variable own = g.x(0) == y, hit = g.x(1) == elements_at(y, places);
    const Variable count = cast(own, Dtype::int32) + count_at(hit, places, y.size());
    const Variable share = where(count > 0, gy / cast(maximum(count, 1), gy.dtype()), 0);
    return {where(own, share, 0), where(hit, elements_at(share, places), 0), Variable()};
}

/// The product of the others: the result divided by the element, but where the element is 0, as in
/// PyTorch's scatter_reduce with prod. There it follows from the product without the element if
/// that is the only 0 of b at its place, and is 0 otherwise.
Variables product_gradient(const GradientCall& g);

Reads reads_all(int input, int) {
    return input < 2 ? Reads{.inputs = 0b111, .outputs = 1} : Reads{};
}

constexpr const char* reason = "the host combines the elements that go to one place";

CheckedRanges places_in_vector(const TypeCall& c) {
    return {{.operand = 2, .low = 0, .high = c.inputs[0].shape[0]}};
}

OpDef reduction_op(const char* name, ScatterReduction reduction, const char* onnx, int since) {
    return {
        .name = name,
        .input_count = 3,
        .differentiable = true,
        .type = reduced_type,
        .kernel = [reduction](const KernelCall& c) { run_scatter_reduce(c, reduction); },
        .gradient = reduction == ScatterReduction::product ? product_gradient : extremum_gradient,
        .reads = reads_all,
        .onnx = {[onnx](OnnxCall& c) {
                     return c.node("ScatterElements", {c.input(0), c.input(2), c.input(1)},
                                   {{"axis", int64_t(0)}, {"reduction", std::string(onnx)}});
                 },
                 since},
        .checks_values = true,
        .declared = {rejects_outside(places_in_vector), host_only(reason)},
    };
}

const OpDef& op_scatter_maximum =
    register_op(reduction_op("scatter_maximum", ScatterReduction::maximum, "max", 18));
const OpDef& op_scatter_minimum =
    register_op(reduction_op("scatter_minimum", ScatterReduction::minimum, "min", 18));
const OpDef& op_scatter_multiply =
    register_op(reduction_op("scatter_multiply", ScatterReduction::product, "mul", 16));

Variables product_gradient(const GradientCall& g) {
    const Variable a = g.x(0), b = g.x(1), places = g.x(2), y = g.y(), gy = g.gy();
    const auto product = [&](const Variable& x, const Variable& factors) {
        return call(op_scatter_multiply, {}, {}, {}, x, factors, places);
    };
    Variables gradients(3);
    if (g.needs(0)) {
        const Variable safe = where(a == 0, 1, a);
        gradients[0] = gy * product(safe, b) / safe;
    }
    if (g.needs(1)) {
        const Variable is_zero = b == 0,
                       single =
                           is_zero && elements_at(count_at(is_zero, places, a.size()), places) == 1;
        const Variable of_others = elements_at(gy * product(a, where(single, 1, b)), places);
        const Variable quotient = elements_at(gy * y, places) / where(is_zero, 1, b);
        gradients[1] = where(single, of_others, where(is_zero, 0, quotient));
    }
    return gradients;
}

// scatter_maximum_c1: b has the shape and dtype of get_item(a, slices); so for the others
Variable reduced(const OpDef& op, const Operand& a, std::span<const Index> slices,
                 const Operand& b) {
    LocationScope scope(a.location());
    const Variable &base = a, &more = b;
    if (base.dtype() != more.dtype())
        fail<DtypeError>("{}: a is {} and b {}; dtypes must be equal", op.name,
                         name_of(base.dtype()), name_of(more.dtype()));
    const DeviceScope beside(base.device());
    const Array numbers = arange(base.size(), Dtype::int64);
    const Variable places = get_item(reshape(numbers, base.shape()), slices);
    if (places.shape() != more.shape())
        fail<ShapeError>("{}: b is {}, the slices of a {} have shape {}", op.name,
                         to_string(more.shape()), to_string(base.shape()),
                         to_string(places.shape()));
    const Variable y =
        call(op, a.location(), {}, {}, flatten(base), flatten(more), flatten(places));
    return reshape(y, base.shape());
}

const FunctionDef& reduction_function(const OpDef& op) {
    return function(op.name + "(a, slices, b)", {"a", "b"}, [&op](const FunctionArguments& a) {
        return reduced(op, a.array("a"), read_slices(a), a.array("b"));
    });
}
const FunctionDef& f_scatter_maximum = reduction_function(op_scatter_maximum);
const FunctionDef& f_scatter_minimum = reduction_function(op_scatter_minimum);
const FunctionDef& f_scatter_multiply = reduction_function(op_scatter_multiply);

std::span<const Index> span_of(std::initializer_list<Index> slices) {
    return {slices.begin(), slices.size()};
}

}  // namespace

Variable scatter_maximum(const Operand& a, std::span<const Index> slices, const Operand& b) {
    return reduced(op_scatter_maximum, a, slices, b);
}
Variable scatter_maximum(const Operand& a, std::initializer_list<Index> slices, const Operand& b) {
    return reduced(op_scatter_maximum, a, span_of(slices), b);
}
Variable scatter_minimum(const Operand& a, std::span<const Index> slices, const Operand& b) {
    return reduced(op_scatter_minimum, a, slices, b);
}
Variable scatter_minimum(const Operand& a, std::initializer_list<Index> slices, const Operand& b) {
    return reduced(op_scatter_minimum, a, span_of(slices), b);
}
Variable scatter_multiply(const Operand& a, std::span<const Index> slices, const Operand& b) {
    return reduced(op_scatter_multiply, a, slices, b);
}
Variable scatter_multiply(const Operand& a, std::initializer_list<Index> slices, const Operand& b) {
    return reduced(op_scatter_multiply, a, span_of(slices), b);
}

}  // namespace catena
