// Operators on integers that stand for numbers, as ONNX Runtime's quantizer writes them: they equal
// the float operator between DequantizeLinear and QuantizeLinear.
#include "frontend/onnx/importers/quantized.h"

#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {

namespace {

/// One number, or a list along `axis` of an array of `rank` axes.
Variable along(const NodeCall& n, const Variable& parameter, int rank, int axis) {
    if (parameter.size() != 1 && parameter.rank() != 1) return parameter;
    return list_along(n, parameter, rank, axis);
}

Variable in_float32(const Variable& x) { return cast(x, Dtype::float32); }

}  // namespace

Variable real_of(const NodeCall& n, const Variable& q, const Grid& grid, int axis) {
    if (!grid.scale.defined()) n.wrong("a scale is missing");
    Variable x = in_float32(q);
    if (grid.zero.defined()) x = x - in_float32(along(n, grid.zero, q.rank(), axis));
    return x * in_float32(along(n, grid.scale, q.rank(), axis));
}

Variable on_grid(const NodeCall& n, const Variable& x, const Grid& grid) {
    if (!grid.scale.defined()) n.wrong("a scale is missing");
    const Dtype dtype = grid.zero.defined() ? grid.zero.dtype() : Dtype::uint8;
    const Variable zero =
        grid.zero.defined() ? along(n, grid.zero, x.rank(), x.rank() - 1) : Variable();
    return on_integers(n, in_float32(x) / in_float32(along(n, grid.scale, x.rank(), x.rank() - 1)),
                       zero, dtype);
}

Grid grid_of(const Variable& x) {
    const Variable high = maximum(max(x), 0), low = minimum(min(x), 0);
    const Variable range = high - low, scale = where(range == 0.0, 1.0, range / 255.0);
    return {scale, cast(clip(nearest_even(-low / scale), 0.0, 255.0), Dtype::uint8)};
}

namespace {

Variable optional_input(const NodeCall& n, int i) { return n.has(i) ? n[i] : Variable(); }
Grid grid_at(const NodeCall& n, int i) { return {n[i], optional_input(n, i + 1)}; }

/// Inputs a, b and y, each followed by its grid.
template <class F>
std::function<Variables(const NodeCall&)> of_two(F f) {
    return [f](const NodeCall& n) {
        return Variables{on_grid(
            n, f(real_of(n, n[0], grid_at(n, 1)), real_of(n, n[3], grid_at(n, 4))), grid_at(n, 6))};
    };
}

/// Inputs x and its grid, and the grid of the result of ONNX's operator `op`.
std::function<Variables(const NodeCall&)> of_one(const char* op) {
    return [op](const NodeCall& n) {
        const bool last = n.flag("channels_last");
        Variable x = real_of(n, n[0], grid_at(n, 1));
        if (last && x.rank() < 2) n.wrong(fmt::format("channels of x {}", to_string(x.shape())));
        if (last) x = moveaxis(x, x.rank() - 1, 1);
        const Variable y = n.as(op, {x});
        return Variables{on_grid(n, last ? moveaxis(y, 1, y.rank() - 1) : y, grid_at(n, 3))};
    };
}

/// The grid of y, then each array with its grid.
Variables joined_quantized(const NodeCall& n) {
    std::vector<Variable> parts;
    for (int i = 2; i + 1 < n.count(); i += 3) parts.push_back(real_of(n, n[i], grid_at(n, i + 1)));
    if (parts.empty()) n.wrong("it has no arrays");
    return {on_grid(n, n.as("Concat", parts), grid_at(n, 0))};
}

Variables softened_quantized(const NodeCall& n) {
    const Variable x = real_of(n, n[0], grid_at(n, 1));
    if (n.integer("opset", 13, any_number) < 13)
        n.unsupported("the softmax of opset 12 and before");
    return {on_grid(n, softmax(x, n.axis("axis", -1, x.rank())), grid_at(n, 3))};
}

/// The condition, then a, b and y with their grids.
Variables chosen_quantized(const NodeCall& n) {
    return {on_grid(n,
                    where(n[0], real_of(n, n[1], grid_at(n, 2)), real_of(n, n[4], grid_at(n, 5))),
                    grid_at(n, 7))};
}

/// a and b with their grids, a bias in steps of alpha * (scale of a) * (scale of b), and the grid
/// of y; without it y is real.
Variables general_quantized_product(const NodeCall& n) {
    const double alpha = n.number("alpha", 1);
    const bool transb = n.flag("transB");
    const Variable a = real_of(n, n[0], grid_at(n, 1)),
                   b = real_of(n, n[3], grid_at(n, 4), transb ? 0 : 1);
    Variable y = matmul(a, b, n.flag("transA"), transb) * alpha;
    if (n.has(6)) y = y + in_float32(n[6]) * (in_float32(n[1]) * in_float32(n[4]) * alpha);
    return {n.has(7) ? on_grid(n, y, grid_at(n, 7)) : y};
}

/// a and b, their scales, their zero points, and a bias that is added.
Variables product_to_float(const NodeCall& n) {
    const Grid a{n[2], optional_input(n, 4)}, b{n[3], optional_input(n, 5)};
    const Variable y = matmul(real_of(n, n.ranked(0, 2), a, n[0].rank() - 2),
                              real_of(n, n.ranked(1, 2), b, n[1].rank() - 1));
    return {n.has(6) ? y + n[6] : y};
}

/// A real a is put on a grid of its own; b with its grid, and a bias.
Variables dynamic_product(const NodeCall& n) {
    const Grid grid = grid_of(n[0]);
    const Variable a = real_of(n, on_grid(n, n[0], grid), grid);
    const Variable y =
        matmul(a, real_of(n, n.ranked(1, 2), {n[2], optional_input(n, 3)}, n[1].rank() - 1));
    return {n.has(4) ? y + n[4] : y};
}

const int quantized_importers = add_importers({
    {"QLinearAdd", of_two([](const Variable& a, const Variable& b) { return a + b; }), microsoft},
    {"QLinearMul", of_two([](const Variable& a, const Variable& b) { return a * b; }), microsoft},
    {"QLinearSigmoid", of_one("Sigmoid"), microsoft},
    {"QLinearLeakyRelu", of_one("LeakyRelu"), microsoft},
    {"QLinearAveragePool", of_one("AveragePool"), microsoft},
    {"QLinearGlobalAveragePool", of_one("GlobalAveragePool"), microsoft},
    {"QLinearConcat", joined_quantized, microsoft},
    {"QLinearSoftmax", softened_quantized, microsoft},
    {"QLinearWhere", chosen_quantized, microsoft},
    {"QGemm", general_quantized_product, microsoft},
    Importer("MatMulIntegerToFloat", product_to_float, microsoft).with_weights({6}),
    Importer("DynamicQuantizeMatMul", dynamic_product, microsoft).with_weights({4}),
});

}  // namespace
}  // namespace catena::onnx
