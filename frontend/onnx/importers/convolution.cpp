// Convolutions, of integers too, and their transposes.
#include "runtime/ops/connection/convolution.h"

#include <algorithm>

#include "frontend/onnx/importers/windows.h"

namespace catena::onnx {
namespace {

Dims spatial_sizes(const Shape& shape) {
    return Dims(std::span(shape.begin() + 2, size_t(std::max(shape.rank() - 2, 0))));
}

Variable convolved(const NodeCall& n, const Variable& x, const Variable& W, const Variable& b) {
    const Windows w = windows_of(n, x.shape(), spatial_sizes(W.shape()));
    ConvolutionOptions options{
        .stride = w.stride, .pad = w.before, .dilate = w.dilate, .groups = n.integer("group", 1)};
    Variable input = x;
    if (!w.symmetric()) {
        Dims before = Dims::filled(x.rank(), 0), after = before;
        for (int i = 0; i < w.axes(); ++i) {
            before[i + 2] = w.before[i];
            after[i + 2] = w.after[i];
        }
        input = pad(x, before, after);
        options.pad = Dims::filled(w.axes(), 0);
    }
    return convolution_nd(input, W, b, options);
}

/// Integers without their zero point, a number or one for each channel of `axis`; exact in float64.
Variable centred(const NodeCall& n, int input, int zero, int axis) {
    const Variable x = in_float64(n[input]);
    if (!n.has(zero)) return x;
    const Variable z = in_float64(n[zero]);
    if (z.size() == 1) return x - reshape(z, Shape{});
    Shape shape = Shape::filled(x.rank(), 1);
    shape[axis] = z.size();
    return x - reshape(z, shape);
}

Variables integers_convolved(const NodeCall& n) {
    const Variable y = convolved(n, centred(n, 0, 2, 1), centred(n, 1, 3, 0), Variable());
    return {cast(y, Dtype::int32)};
}

/// Inputs x, W and y each with scale and zero point, and the bias in the scale of x W.
Variables quantized_convolved(const NodeCall& n) {
    const Variable b = n.has(8) ? in_float64(n[8]) : Variable();
    const Variable y = convolved(n, centred(n, 0, 2, 1), centred(n, 3, 5, 0), b);
    Variable W_scale = in_float64(n[4]);
    if (W_scale.size() > 1) {
        Shape channels = Shape::filled(y.rank(), 1);
        channels[1] = W_scale.size();
        W_scale = reshape(W_scale, channels);
    }
    const Variable scale = in_float64(n[1]) * W_scale / in_float64(n[6]);
    return {on_integers(n, y * scale, n[7], n[7].dtype())};
}

/// Pads of a transposed convolution cut its result.
Variables deconvolved(const NodeCall& n) {
    const Variable &x = n[0], &W = n[1];
    const int axes = x.rank() - 2;
    const std::vector<int64_t> ones(size_t(axes), 1), zeros(size_t(2 * axes), 0);
    const Dims stride = dims_of(n, n.integers("strides", ones)),
               dilate = dims_of(n, n.integers("dilations", ones));
    std::vector<int64_t> pads = n.integers("pads", zeros);
    const std::vector<int64_t> more =
        n.integers("output_padding", std::vector<int64_t>(size_t(axes), 0));
    const std::vector<int64_t> wanted = n.integers("output_shape");
    const std::string automatic = n.text("auto_pad", "NOTSET");
    const DeconvolutionOptions options{
        .stride = stride, .dilate = dilate, .groups = n.integer("group", 1)};
    Variable y = deconvolution_nd(x, W, Variable(), options);
    Dims before = Dims::filled(y.rank(), 0), after = before, begin = before, size = y.shape();
    for (int i = 0; i < axes; ++i) {
        const int64_t full = y.shape()[i + 2];
        if (!wanted.empty() || automatic.starts_with("SAME")) {
            const int64_t target = wanted.empty()
                                       ? x.shape()[i + 2] * stride[i]
                                       : wanted[wanted.size() - size_t(axes) + size_t(i)];
            const int64_t total = full + more[size_t(i)] - target;
            const int64_t half = (total - (total < 0)) / 2;  // rounded down
            pads[size_t(i)] = automatic == "SAME_UPPER" ? half : total - half;
            pads[size_t(axes + i)] = total - pads[size_t(i)];
        }
        const int64_t end = pads[size_t(axes + i)] - more[size_t(i)];
        begin[i + 2] = std::max<int64_t>(pads[size_t(i)], 0);
        before[i + 2] = std::max<int64_t>(-pads[size_t(i)], 0);
        size[i + 2] = full - begin[i + 2] - std::max<int64_t>(end, 0);
        after[i + 2] = std::max<int64_t>(-end, 0);
    }
    if (size != y.shape()) y = strided_slice(y, begin, Dims::filled(y.rank(), 1), size);
    const auto is_zero = [](int64_t width) { return width == 0; };
    if (!std::ranges::all_of(before, is_zero) || !std::ranges::all_of(after, is_zero))
        y = pad(y, before, after);
    if (!n.has(2)) return {y};
    // Last, because elements beyond the result of the convolution contain only the bias.
    Shape channels = Shape::filled(y.rank(), 1);
    channels[1] = n[2].size();
    return {y + reshape(n[2], channels)};
}

/// Col2Im: sums columns back into the image: a transposed convolution whose
/// filters are the unit vectors.
Variables columns_folded(const NodeCall& n) {
    const Dims image = dims_of(n, n.values(1)), kernel = dims_of(n, n.values(2));
    const int axes = image.rank();
    const std::vector<int64_t> ones(size_t(axes), 1), zeros(size_t(2 * axes), 0);
    const std::vector<int64_t> strides = n.integers("strides", ones),
                               dilations = n.integers("dilations", ones),
                               pads = n.integers("pads", zeros);
    if (n[0].rank() != 3 || kernel.rank() != axes || strides.size() != size_t(axes) ||
        dilations.size() != size_t(axes) || pads.size() != size_t(2 * axes))
        n.wrong("columns, image, block, strides, dilations and pads do not match");
    const int64_t batch = n[0].shape()[0], block = element_count(kernel);
    if (block < 1 || n[0].shape()[1] % block != 0)
        n.wrong(fmt::format("{} rows of columns of {}", n[0].shape()[1], block));
    const int64_t channels = n[0].shape()[1] / block;
    Shape columns{batch, channels * block}, filters{channels * block, 1};
    Dims outsize = image, begin{0, 0};
    Shape result{batch, channels};
    for (int i = 0; i < axes; ++i) {
        const int64_t whole = image[i] + pads[size_t(i)] + pads[size_t(axes + i)];
        columns.push_back(
            window_count(whole, kernel[i], strides[size_t(i)], 0, false, dilations[size_t(i)]));
        filters.push_back(kernel[i]);
        outsize[i] = whole;
        begin.push_back(pads[size_t(i)]);
        result.push_back(image[i]);
    }
    if (element_count(columns) != n[0].size())
        n.wrong(
            fmt::format("{} columns do not fill the image {}", n[0].shape()[2], to_string(image)));
    std::vector<double> units(size_t(channels * block * block), 0);
    for (int64_t k = 0; k < channels * block; ++k) units[size_t(k * block + k % block)] = 1;
    const Variable W(Array::from(units, filters).astype(n[0].dtype()), false);
    const Variable y = deconvolution_nd(reshape(n[0], columns), W, Variable(),
                                        {.stride = Dims(strides),
                                         .outsize = outsize,
                                         .dilate = Dims(dilations),
                                         .groups = channels});
    return {strided_slice(y, begin, Dims::filled(y.rank(), 1), result)};
}

const int convolution_importers = add_importers({
    {"Conv",
     [](const NodeCall& n) {
         return Variables{convolved(n, n[0], n[1], n.has(2) ? n[2] : Variable())};
     }},
    {"ConvInteger", integers_convolved},
    {"QLinearConv", quantized_convolved},
    {"Col2Im", columns_folded},
    {"ConvTranspose", deconvolved},
});

}  // namespace
}  // namespace catena::onnx
