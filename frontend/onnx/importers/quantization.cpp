// Integers that stand for numbers on a grid: (q - zero point) * scale.
#include "frontend/onnx/importers/quantized.h"
#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// A scale or zero point beside x: one number, one along an axis, or one for every block of an
/// axis.
Variable beside_axis(const NodeCall& n, const Variable& parameter, const Variable& x) {
    if (parameter.size() == 1) return reshape(parameter, Shape{});
    const int axis = n.axis("axis", 1, x.rank());
    if (parameter.rank() == 1) return list_along(n, parameter, x.rank(), axis);
    if (parameter.rank() != x.rank())
        n.wrong(fmt::format("a scale or zero point {} beside {}", to_string(parameter.type()),
                            to_string(x.type())));
    const int64_t block = n.integer("block_size", positive), size = x.shape()[axis];
    return slice_axis(repeat(parameter, block, axis), axis, 0, size);
}

Variable on_grid(const NodeCall& n, const Variable& x, const Variable& scale, const Variable& zero,
                 Dtype dtype) {
    return on_integers(n, cast(x, Dtype::float32) / cast(scale, Dtype::float32), zero, dtype);
}

/// Number 0 says that none is given.
Dtype given_dtype(const NodeCall& n, Dtype otherwise) {
    return n.integer("output_dtype", 0, any_size) == 0 ? otherwise : n.dtype("output_dtype");
}

Variables quantized(const NodeCall& n) {
    const Variable& x = n[0];
    const Dtype dtype = n.has(2) ? n[2].dtype() : given_dtype(n, Dtype::uint8);
    const Variable zero = n.has(2) ? beside_axis(n, n[2], x) : Variable();
    if (dtype != Dtype::int32) return {on_grid(n, x, beside_axis(n, n[1], x), zero, dtype)};
    // UINT16 is held so; ONNX quantizes to no other type of 32 bits.
    Variable y =
        nearest_even(cast(x, Dtype::float32) / cast(beside_axis(n, n[1], x), Dtype::float32));
    if (zero.defined()) y = y + cast(zero, Dtype::float32);
    return {cast(clip(y, 0.0, 65535.0), dtype)};
}

Variable centred_levels(const Variable& q, const Variable& zero) {
    return zero.defined() ? in_float64(q) - in_float64(zero) : in_float64(q);
}

Variables dequantized(const NodeCall& n) {
    const Variable zero = n.has(2) ? beside_axis(n, n[2], n[0]) : Variable();
    const Variable scale = beside_axis(n, n[1], n[0]);
    const Dtype dtype = given_dtype(n, n[1].dtype());
    return {cast(centred_levels(n[0], zero) * in_float64(scale), dtype)};
}

/// The scale follows from the range of x, which 0 belongs to.
Variables dynamically_quantized(const NodeCall& n) {
    const Grid grid = grid_of(n[0]);
    return {on_grid(n, n[0], grid), grid.scale, grid.zero};
}

/// A zero point per row of a matrix.
Variable for_rows(const Variable& zero) {
    return zero.rank() == 1 && zero.size() > 1 ? reshape(zero, {zero.size(), 1}) : zero;
}

Variables integer_product(const NodeCall& n) {
    const Variable a = centred_levels(n[0], n.has(2) ? for_rows(n[2]) : Variable()),
                   b = centred_levels(n[1], n.has(3) ? n[3] : Variable());
    return {cast(matmul(a, b), Dtype::int32)};
}

Variables quantized_product(const NodeCall& n) {
    const Variable a = centred_levels(n[0], for_rows(n[2])) * in_float64(for_rows(n[1]));
    const Variable b = centred_levels(n[3], n[5]) * in_float64(n[4]);
    return {on_grid(n, matmul(a, b), n[6], n[7], n[7].dtype())};
}

const int quantization_importers = add_importers({
    {"QuantizeLinear", quantized},
    {"DequantizeLinear", dequantized},
    {"QuantizeLinear", quantized, microsoft},
    {"DequantizeLinear", dequantized, microsoft},
    {"DynamicQuantizeLinear", dynamically_quantized},
    {"MatMulInteger", integer_product},
    {"QLinearMatMul", quantized_product},
});

}  // namespace
}  // namespace catena::onnx
