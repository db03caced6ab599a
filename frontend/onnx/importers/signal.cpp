#include <numbers>

#include "frontend/onnx/importers/shared.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/ops/math/fft.h"

namespace catena::onnx {
namespace {

/// a0 + a1 cos(2 pi i / n) + a2 cos(4 pi i / n); symmetric windows have n - 1 there.
std::function<Variables(const NodeCall&)> window(double a0, double a1, double a2) {
    return [=](const NodeCall& n) {
        const int64_t size = n.value(0, any_size);
        const double period = n.flag("periodic", true) ? double(size) : double(size - 1);
        // An array, whose memory counts as the model's: a few bytes can ask for any size.
        const Array values = Array::empty({Dtype::float64, {size}}, cpu_device());
        auto* const to = static_cast<double*>(values.to_fill());
        for (int64_t i = 0; i < size; ++i) {
            const double angle = 2 * std::numbers::pi * double(i) / period;
            to[i] = a0 + a1 * std::cos(angle) + a2 * std::cos(2 * angle);
        }
        const Dtype dtype = n.dtype("output_datatype", Dtype::float32);
        return Variables{Variable(values.to(current_device()).astype(dtype), false)};
    };
}

/// x with `count` elements along its last axis: cut, or followed by zeros.
Variable with_length(const Variable& x, int64_t count) {
    const int last = x.rank() - 1;
    const int64_t size = x.shape()[last];
    if (size >= count) return slice_axis(x, last, 0, count);
    Dims after = Dims::filled(x.rank(), 0);
    after[last] = count - size;
    return pad(x, Dims::filled(x.rank(), 0), after);
}

/// All `length` frequencies of a real signal from the first half of them: each of the others is the
/// conjugate of one of these.
ComplexPair from_half(const ComplexPair& half, int64_t length) {
    const int last = half.real.rank() - 1;
    const int64_t count = length / 2 + 1, others = length - count;
    const Variable real = with_length(half.real, count), imag = with_length(half.imag, count);
    // From the last but one, or the last, back to the second.
    const auto mirrored = [&](const Variable& x) {
        return slice_axis(x, last, others, others, -1);
    };
    if (others == 0) return {real, imag};
    return {concat({real, mirrored(real)}, last), concat({imag, -mirrored(imag)}, last)};
}

struct Transform {
    int axis = 0;
    int64_t length = 0;
    bool inverse = false;
    /// Whether there is only the first half of the frequencies of a real signal.
    bool half = false;
};

/// The discrete Fourier transform; parts real and imaginary stand in the last axis.
Variable transformed(const Variable& x, const Transform& t) {
    const int rank = x.rank(), parts = rank - 1;
    const auto part = [&](int64_t i) {
        Shape shape = x.shape();
        shape.erase(parts);
        return moveaxis(reshape(slice_axis(x, parts, i, 1), shape), t.axis, rank - 2);
    };
    ComplexPair z{part(0), x.shape()[parts] > 1 ? part(1) : fill(part(0).type(), 0)};
    z = t.inverse && t.half
            ? from_half(z, t.length)
            : ComplexPair{with_length(z.real, t.length), with_length(z.imag, t.length)};
    ComplexPair y = t.inverse ? ifft(z.real, z.imag) : fft(z.real, z.imag);
    const auto back = [&](const Variable& v) { return moveaxis(v, rank - 2, t.axis); };
    if (t.inverse && t.half) return expand_dims(back(y.real), -1);
    if (t.half) {
        y.real = with_length(y.real, t.length / 2 + 1);
        y.imag = with_length(y.imag, t.length / 2 + 1);
    }
    return stack({back(y.real), back(y.imag)}, parts);
}

/// The real part, or both parts, stand in the last axis.
void check_parts(const NodeCall& n, const Variable& x) {
    const int64_t parts = x.shape().back();
    if (!is_float(x.dtype()) || parts < 1 || parts > 2)
        n.wrong(fmt::format("x is {}; expected are floats whose last axis has 1 or 2 elements",
                            to_string(x.type())));
}

Variables fourier(const NodeCall& n) {
    const Variable& x = n.ranked(0, 2);
    const int64_t place = n.opset() < 20 ? n.integer("axis", 1, any_number)
                          : n.has(2)     ? n.value(2, any_number)
                                         : -2;
    Transform t{
        .axis = n.axis(place, x.rank()), .inverse = n.flag("inverse"), .half = n.flag("onesided")};
    if (t.axis == x.rank() - 1) n.wrong("the last axis holds the parts");
    check_parts(n, x);
    const int64_t size = x.shape()[t.axis];
    t.length = n.has(1) ? n.value(1, positive) : t.inverse && t.half ? 2 * (size - 1) : size;
    if (t.length < 1 || t.length > most_size)
        n.wrong(fmt::format("a transform of {} elements", t.length));
    return {transformed(x, t)};
}

/// Transforms of a signal [N, length, parts] in windows that begin every `step` elements.
Variables short_time_fourier(const NodeCall& n) {
    const Variable x = n.ranked(0, 2, 3).rank() == 2 ? expand_dims(n[0], 2) : n[0];
    check_parts(n, x);
    const int64_t size = x.shape()[1], step = n.value(1, positive);
    const int64_t length = n.has(3) ? n.value(3, positive) : n.has(2) ? n[2].size() : size;
    if (length < 1 || length > size)
        n.wrong(fmt::format("frames of {} every {} in a signal of {}", length, step, size));
    if (n.has(2) && n[2].size() != length)
        n.wrong(fmt::format("a window of {} for frames of {}", n[2].size(), length));
    const int64_t frames = (size - length) / step + 1;
    const Variable places = reshape(arange(0, frames, step), {frames, 1}) + arange(0, length);
    Variable windows = take(x, places, 1);
    if (n.has(2)) windows = windows * reshape(cast(n[2], x.dtype()), {length, 1});
    return {transformed(windows, {.axis = 2, .length = length, .half = n.flag("onesided", true)})};
}

/// Triangles over the frequencies of a transform, equally wide on the mel scale (Stevens et al.
/// 1937).
Variables mel_weights(const NodeCall& n) {
    const int64_t bins = n.value(0, {1, 1 << 20}), length = n.value(1, {1, 1 << 24}),
                  rate = n.value(2, positive), rows = length / 2 + 1;
    const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double low = mel(n.number_at(3)), step = (mel(n.number_at(4)) - low) / double(bins + 2);
    std::vector<int64_t> edges;
    for (int64_t i = 0; i < bins + 2; ++i) {
        const double hertz = 700 * (std::pow(10, (double(i) * step + low) / 2595) - 1);
        edges.push_back(n.whole(std::floor(double(length + 1) * hertz / double(rate)),
                                {0, rows - 1}, "the number of a frequency"));
    }
    check_allowance(size_t(product_of_sizes("MelWeightMatrix", {rows, bins, sizeof(double)})));
    std::vector<double> weights(size_t(rows * bins), 0);
    for (int64_t i = 0; i < bins; ++i) {
        const int64_t left = edges[size_t(i)], top = edges[size_t(i + 1)],
                      right = edges[size_t(i + 2)];
        for (int64_t k = left; k < top; ++k)
            weights[size_t(k * bins + i)] = double(k - left) / double(top - left);
        weights[size_t(top * bins + i)] = 1;
        for (int64_t k = top; k < right; ++k)
            weights[size_t(k * bins + i)] = double(right - k) / double(right - top);
    }
    const Dtype dtype = n.dtype("output_datatype", Dtype::float32);
    return {Variable(Array::from(weights, Shape{rows, bins}).astype(dtype), false)};
}

const int signal_importers = add_importers({
    {"DFT", fourier},
    {"STFT", short_time_fourier},
    {"MelWeightMatrix", mel_weights},
    {"HannWindow", window(0.5, -0.5, 0)},
    {"HammingWindow", window(25.0 / 46, -21.0 / 46, 0)},
    {"BlackmanWindow", window(0.42, -0.5, 0.08)},
});

}  // namespace
}  // namespace catena::onnx
