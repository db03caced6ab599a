// Integers that stand for numbers on a grid: (q - zero point) * scale.
#include "frontend/onnx/importers/shared.h"
#include "frontend/onnx/tensor.h"

namespace catena::onnx {
namespace {

/// A scale or zero point beside x: one number, one along an axis, or one for every block of an
/// axis.
Variable beside_axis(const NodeCall& n, const Variable& parameter, const Variable& x) {
    if (parameter.size() == 1) return reshape(parameter, Shape{});
    const int axis = n.axis(n.integer("axis", 1), x.rank());
    if (parameter.rank() == 1) {
        Shape shape = Shape::filled(x.rank(), 1);
        shape[axis] = parameter.size();
        return reshape(parameter, shape);
    }
    const int64_t block = n.integer("block_size", 0), size = x.shape()[axis];
    if (block < 1) n.wrong("block_size is missing");
    return slice_axis(repeat(parameter, block, axis), axis, 0, size);
}

Variable on_grid(const NodeCall& n, const Variable& x, const Variable& scale, const Variable& zero,
                 Dtype dtype) {
    return on_integers(n, cast(x, Dtype::float32) / cast(scale, Dtype::float32), zero, dtype);
}

Variables quantized(const NodeCall& n) {
    const Variable& x = n[0];
    Dtype dtype = Dtype::uint8;
    if (n.has(2))
        dtype = n[2].dtype();
    else if (n.integer("output_dtype", 0) != 0)
        dtype = dtype_from_onnx(int(n.integer("output_dtype")), n.describe());
    const Variable zero = n.has(2) ? beside_axis(n, n[2], x) : Variable();
    if (dtype != Dtype::int32) return {on_grid(n, x, beside_axis(n, n[1], x), zero, dtype)};
    // UINT16 is held so; ONNX quantizes to no other type of 32 bits.
    const Variable y =
        nearest_even(cast(x, Dtype::float32) / cast(beside_axis(n, n[1], x), Dtype::float32));
    return {cast(clip(y + cast(zero, Dtype::float32), 0.0, 65535.0), dtype)};
}

Variable centred_levels(const Variable& q, const Variable& zero) {
    return zero.defined() ? in_float64(q) - in_float64(zero) : in_float64(q);
}

Variables dequantized(const NodeCall& n) {
    const Variable zero = n.has(2) ? beside_axis(n, n[2], n[0]) : Variable();
    const Variable scale = beside_axis(n, n[1], n[0]);
    const Dtype dtype = n.has_attribute("output_dtype") && n.integer("output_dtype") != 0
                            ? dtype_from_onnx(int(n.integer("output_dtype")), n.describe())
                            : n[1].dtype();
    return {cast(centred_levels(n[0], zero) * in_float64(scale), dtype)};
}

/// The scale follows from the range of x, which 0 belongs to.
Variables dynamically_quantized(const NodeCall& n) {
    const Variable high = maximum(max(n[0]), 0), low = minimum(min(n[0]), 0);
    const Variable scale = (high - low) / 255.0;
    const Variable zero = cast(clip(nearest_even(-low / scale), 0.0, 255.0), Dtype::uint8);
    return {on_grid(n, n[0], scale, zero, Dtype::uint8), scale, zero};
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
