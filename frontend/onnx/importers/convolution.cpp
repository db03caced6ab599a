// Convolutions, of integers too, and their transposes.
#include "runtime/ops/connection/convolution.h"

#include <algorithm>

#include "frontend/onnx/importers/windows.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/ops/connection/window_count.h"

namespace catena::onnx {
namespace {

/// The sizes of windows in the spatial axes of x and W.
Dims window_sizes(const NodeCall& n, const Variable& x, const Variable& W) {
    if (x.rank() < 3 || x.rank() > 5 || W.rank() != x.rank())
        n.wrong(fmt::format("x is {} and W {}; expected are 3 to 5 axes of both",
                            to_string(x.shape()), to_string(W.shape())));
    const Dims kernel(std::span(W.shape().begin() + 2, W.shape().end()));
    n.integers("kernel_shape", size_t(kernel.rank()), positive, 1);
    return kernel;
}

int64_t groups_of(const NodeCall& n) { return n.integer("group", 1, positive); }

Variable convolved(const NodeCall& n, const Variable& x, const Variable& W, const Variable& b) {
    const Windows w = windows_of(n, x.shape(), window_sizes(n, x, W));
    ConvolutionOptions options{
        .stride = w.stride, .pad = w.before, .dilate = w.dilate, .groups = groups_of(n)};
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
    return x - list_along(n, z, x.rank(), axis);
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
    if (W_scale.size() > 1) W_scale = list_along(n, W_scale, y.rank(), 1);
    const Variable scale = in_float64(n[1]) * W_scale / in_float64(n[6]);
    return {on_integers(n, y * scale, n[7], n[7].dtype())};
}

/// How a transposed convolution changes the result of its windows: pads cut it, and negative ones
/// add zeros.
struct Cut {
    Dims begin, size;    ///< The part that stays,
    Dims before, after;  ///< The sizes of what is added before and after the cut.
};

/// What is cut from the full result of the windows, from pads and output_padding, or from the size
/// that output_shape or auto_pad asks for.
Cut cut_of(const NodeCall& n, const Shape& x, const Shape& full, std::span<const int64_t> stride) {
    const size_t axes = size_t(x.rank() - 2);
    std::vector<int64_t> pads = n.integers("pads", 2 * axes, any_size, 0);
    const std::vector<int64_t> more = n.integers("output_padding", axes, any_size, 0);
    const std::string automatic =
        n.choice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
    std::vector<int64_t> wanted =
        n.integers("output_shape", {positive}).value_or(std::vector<int64_t>());
    // Some exporters name batch and channels, too.
    if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
    if (!wanted.empty() && wanted.size() != axes)
        n.wrong(fmt::format("output_shape has {} sizes; expected are {}", wanted.size(), axes));
    Cut cut{Dims::filled(x.rank(), 0), full, Dims::filled(x.rank(), 0), Dims::filled(x.rank(), 0)};
    for (size_t i = 0; i < axes; ++i) {
        const int axis = int(i) + 2;
        if (!wanted.empty() || automatic.starts_with("SAME")) {
            const int64_t target = wanted.empty() ? x[axis] * stride[i] : wanted[i];
            const int64_t total = full[axis] + more[i] - target;
            const int64_t half = (total - (total < 0)) / 2;  // rounded down
            pads[i] = automatic == "SAME_UPPER" ? half : total - half;
            pads[axes + i] = total - pads[i];
        }
        const int64_t end = pads[axes + i] - more[i];
        cut.begin[axis] = std::max<int64_t>(pads[i], 0);
        cut.before[axis] = std::max<int64_t>(-pads[i], 0);
        cut.size[axis] = full[axis] - cut.begin[axis] - std::max<int64_t>(end, 0);
        cut.after[axis] = std::max<int64_t>(-end, 0);
        if (cut.size[axis] < 0)
            n.wrong(fmt::format("pads {} and {} are more than axis {} of the result {}", pads[i],
                                pads[axes + i], axis, to_string(full)));
    }
    return cut;
}

/// The bias comes last, because elements beyond the result of the convolution contain only it.
Variables deconvolved(const NodeCall& n) {
    const Variable &x = n[0], &W = n[1];
    const size_t axes = size_t(window_sizes(n, x, W).rank());
    const std::vector<int64_t> stride = n.integers("strides", axes, positive, 1),
                               dilate = n.integers("dilations", axes, positive, 1);
    Variable y = deconvolution_nd(
        x, W, Variable(), {.stride = Dims(stride), .dilate = Dims(dilate), .groups = groups_of(n)});
    const Cut cut = cut_of(n, x.shape(), y.shape(), stride);
    if (cut.size != y.shape()) y = strided_slice(y, cut.begin, Dims::filled(y.rank(), 1), cut.size);
    const Dims none = Dims::filled(y.rank(), 0);
    if (cut.before != none || cut.after != none) y = pad(y, cut.before, cut.after);
    return {n.has(2) ? y + list_along(n, n[2], y.rank(), 1) : y};
}

/// Col2Im: sums columns back into the image: a transposed convolution whose
/// filters are the unit vectors.
Variables columns_folded(const NodeCall& n) {
    const Dims image = dims_of(n, n.values(1, {positive}));
    const int axes = image.rank();
    const Dims kernel = dims_of(n, n.values(2, {positive, size_t(axes)}));
    const std::vector<int64_t> strides = n.integers("strides", size_t(axes), positive, 1),
                               dilations = n.integers("dilations", size_t(axes), positive, 1),
                               pads = n.integers("pads", size_t(2 * axes), any_size, 0);
    if (axes > 3) n.unsupported(fmt::format("an image of {} axes", axes));
    const Shape& x = n.ranked(0, 3, 3).shape();
    const int64_t batch = x[0], block = counted_elements(Dtype::float64, kernel);
    if (x[1] < 1 || x[1] % block != 0)
        n.wrong(fmt::format("{} rows of columns of {}", x[1], block));
    const int64_t channels = x[1] / block;
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
    if (counted_elements(Dtype::float64, columns) != n[0].size())
        n.wrong(fmt::format("{} columns do not fill the image {}", x[2], to_string(image)));
    check_allowance(size_t(product_of_sizes("Col2Im", {channels, block, block, sizeof(double)})));
    std::vector<double> units(size_t(product_of_sizes("Col2Im", {channels, block, block})), 0);
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
    Importer("Conv",
             [](const NodeCall& n) {
                 return Variables{convolved(n, n[0], n[1], n.has(2) ? n[2] : Variable())};
             })
        .with_weights({1, 2}),
    {"ConvInteger", integers_convolved},
    {"QLinearConv", quantized_convolved},
    {"Col2Im", columns_folded},
    Importer("ConvTranspose", deconvolved).with_weights({1, 2}),
});

}  // namespace
}  // namespace catena::onnx
