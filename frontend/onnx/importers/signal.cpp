#include <numbers>

#include "frontend/onnx/importers/shared.h"
#include "frontend/onnx/tensor.h"

namespace catena::onnx {
namespace {

/// a0 + a1 cos(2 pi i / n) + a2 cos(4 pi i / n); symmetric windows have n - 1 there.
std::function<Variables(const NodeCall&)> window(double a0, double a1, double a2) {
    return [=](const NodeCall& n) {
        const int64_t size = n.value(0);
        if (size < 0 || size > int64_t(1) << 32)
            n.wrong(fmt::format("a window of {} elements", size));
        const double period = n.integer("periodic", 1) != 0 ? double(size) : double(size - 1);
        std::vector<double> values;
        for (int64_t i = 0; i < size; ++i) {
            const double angle = 2 * std::numbers::pi * double(i) / period;
            values.push_back(a0 + a1 * std::cos(angle) + a2 * std::cos(2 * angle));
        }
        const Dtype dtype = dtype_from_onnx(int(n.integer("output_datatype", 1)), n.describe());
        return Variables{Variable(Array::from(values, Shape{size}).astype(dtype), false)};
    };
}

/// cos and sin of 2 pi i k / length for rows i and columns k.
struct Waves {
    Variable cosine, sine;

    Waves(int64_t rows, int64_t columns, int64_t length, Dtype dtype) {
        std::vector<double> c, s;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t k = 0; k < columns; ++k) {
                const double angle = 2 * std::numbers::pi * double(i * k % length) / double(length);
                c.push_back(std::cos(angle));
                s.push_back(std::sin(angle));
            }
        cosine = Variable(Array::from(c, Shape{rows, columns}).astype(dtype), false);
        sine = Variable(Array::from(s, Shape{rows, columns}).astype(dtype), false);
    }
};

/// x with `count` elements along its last axis: cut, or followed by zeros.
Variable with_length(const Variable& x, int64_t count) {
    const int last = x.rank() - 1;
    const int64_t size = x.shape()[last];
    if (size >= count) return slice_axis(x, last, 0, count);
    Dims after = Dims::filled(x.rank(), 0);
    after[last] = count - size;
    return pad(x, Dims::filled(x.rank(), 0), after);
}

/// A real signal from the first half of its spectrum; all but the outermost frequencies count
/// twice.
Variable from_half(const Variable& real, const Variable& imaginary, int64_t length) {
    const int64_t count = length / 2 + 1;
    std::vector<double> weights(size_t(count), 2.0 / double(length));
    weights[0] = 1.0 / double(length);
    if (length % 2 == 0) weights.back() = 1.0 / double(length);
    const Variable w(Array::from(weights, Shape{count}).astype(real.dtype()), false);
    const Waves waves(count, length, length, real.dtype());
    return matmul(with_length(real, count) * w, waves.cosine) -
           matmul(with_length(imaginary, count) * w, waves.sine);
}

/// The discrete Fourier transform as a product with waves; parts real and imaginary stand in the
/// last axis.
Variables fourier(const NodeCall& n) {
    const Variable& x = n[0];
    const int rank = x.rank(), parts = rank - 1;
    const int64_t place = n.opset() < 20 ? n.integer("axis", 1) : n.has(2) ? n.value(2) : -2;
    const int axis = n.axis(place, rank);
    const bool inverse = n.integer("inverse", 0) != 0, half = n.integer("onesided", 0) != 0;
    if (axis == parts) n.wrong("the last axis holds the parts");
    const auto part = [&](int64_t i) {
        Shape shape = x.shape();
        shape.erase(parts);
        return moveaxis(reshape(slice_axis(x, parts, i, 1), shape), axis, rank - 2);
    };
    const Variable real = part(0), imaginary = x.shape()[parts] > 1 ? part(1) : real * 0;
    const int64_t size = x.shape()[axis], length = n.has(1)          ? n.value(1)
                                                   : inverse && half ? 2 * (size - 1)
                                                                     : size;
    if (length < 1) n.wrong(fmt::format("a transform of {} elements", length));
    if (inverse && half)
        return {expand_dims(moveaxis(from_half(real, imaginary, length), rank - 2, axis), -1)};
    const Variable a = with_length(real, length), b = with_length(imaginary, length);
    const Waves waves(length, half ? length / 2 + 1 : length, length, x.dtype());
    const double sign = inverse ? -1 : 1, factor = inverse ? 1 / double(length) : 1;
    const Variable re = (matmul(a, waves.cosine) + matmul(b, waves.sine) * sign) * factor;
    const Variable im = (matmul(b, waves.cosine) - matmul(a, waves.sine) * sign) * factor;
    return {stack({moveaxis(re, rank - 2, axis), moveaxis(im, rank - 2, axis)}, parts)};
}

const int importers = add_importers({
    {"DFT", fourier},
    {"HannWindow", window(0.5, -0.5, 0)},
    {"HammingWindow", window(25.0 / 46, -21.0 / 46, 0)},
    {"BlackmanWindow", window(0.42, -0.5, 0.08)},
});

}  // namespace
}  // namespace catena::onnx
