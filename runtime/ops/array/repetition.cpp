// Arrays and elements repeated: a broadcast along a new axis, or a gather.
#include "runtime/core/array/sizes.h"
#include "runtime/ops/array/layout/movement.h"

#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {

namespace {

/// x with everything before `axis` as one axis, a new axis at `gap`, repeated `times` there, in
/// shape `result`.
Variable repeat_at_gap(const Variable& x, int64_t outer, int64_t inner, int64_t times,
                       const Shape& result) {
    return reshape(broadcast_to(reshape(x, {outer, 1, inner}), {outer, times, inner}), result);
}

int64_t product(const Shape& shape, int begin, int end) {
    int64_t result = 1;
    for (int i = begin; i < end; ++i) result *= shape[i];
    return result;
}

void check_repeats(const char* op, std::span<const int64_t> repeats) {
    for (int64_t times : repeats)
        if (times < 0) fail<ValueError>("{}: {} repeats, at least 0 is needed", op, times);
}

}  // namespace

Variable tile(const Operand& x, const Dims& reps) {
    LocationScope scope(x.location());
    check_repeats("tile", reps);
    Shape shape = x.variable().shape();
    while (shape.rank() < reps.rank()) shape.insert(0, 1);
    Variable y = reshape(x, shape);
    const int missing = shape.rank() - reps.rank();
    for (int axis = missing; axis < shape.rank(); ++axis) {
        const int64_t times = reps[axis - missing];
        if (times == 1) continue;
        const int64_t outer = product(shape, 0, axis);
        const int64_t inner = product(shape, axis, shape.rank());
        shape[axis] = product_of_sizes("tile", {shape[axis], times});
        y = repeat_at_gap(y, outer, inner, times, shape);
    }
    return y;
}
static const FunctionDef& f_tile = function("tile(x, reps)", {"x"}, [](const FunctionArguments& a) {
    return tile(a.array("x"), a.dims("reps"));
});

Variable repeat(const Operand& x, int64_t repeats, int64_t axis) {
    LocationScope scope(x.location());
    check_repeats("repeat", {&repeats, 1});
    Shape shape = x.variable().shape();
    const int at = normalize_axis("repeat", axis, shape.rank());
    const int64_t outer = product(shape, 0, at + 1);
    const int64_t inner = product(shape, at + 1, shape.rank());
    shape[at] = product_of_sizes("repeat", {shape[at], repeats});
    return repeat_at_gap(x, outer, inner, repeats, shape);
}

// repeat_c1: one number of repeats for each element of the axis
Variable repeat(const Operand& x, std::span<const int64_t> repeats, int64_t axis) {
    LocationScope scope(x.location());
    check_repeats("repeat", repeats);
    const Shape& shape = x.variable().shape();
    const int at = normalize_axis("repeat", axis, shape.rank());
    if (repeats.size() == 1) return repeat(x, repeats[0], at);
    if (int64_t(repeats.size()) != shape[at])
        fail<ShapeError>("repeat: {} repeats for axis {} of x {}, which needs {}", repeats.size(),
                         at, to_string(shape), shape[at]);
    std::vector<Variable> parts;
    for (size_t i = 0; i < repeats.size(); ++i) {
        Shape part = shape;
        part[at] = repeats[i];
        parts.push_back(broadcast_to(slice_axis(x, at, int64_t(i), 1), part));
    }
    return concat(parts, at);
}
static const FunctionDef& f_repeat =
    function("repeat(x, repeats, axis=None)", {"x"}, [](const FunctionArguments& a) {
        const Variable x = a.is_none("axis") ? flatten(a.array("x")) : a.array("x");
        return repeat(x, a.dims("repeats"), a.is_none("axis") ? 0 : a.integer("axis"));
    });

}  // namespace catena
