#include "runtime/ops/pooling/pooling.h"

#include <algorithm>
#include <limits>

#include "runtime/core/array/in_order.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/pooling/pooling_channels.h"
#include "runtime/cpu/pooling/pooling_kernel.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/connection/window_count.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/tail.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

// max_pooling gives maxima and their places. Its gradient scatters to these places, and the
// gradient of that gathers from them: scatter and gather are each other's gradient. The same holds
// for average pooling and its spreading adjoint. "height_width" is the size of the larger side.

PoolingWindow window_of(const Attributes& a) {
    return {a.dims("ksize"), a.dims("stride"), a.dims("pad")};
}

Attributes for_adjoint(const Attributes& a, const Shape& x) {
    return {{"ksize", a.dims("ksize")},
            {"stride", a.dims("stride")},
            {"pad", a.dims("pad")},
            {"height_width", Dims{x[2], x[3]}}};
}

/// Shape of y for x; the larger side is first.
Shape pooled_shape(const TypeCall& c, bool cover_all) {
    const Type& x = c.inputs[0];
    if (x.shape.rank() != 4)  // pooling_c1
        fail<ShapeError>("{}: takes [N,C,H,W], x is {}", c.op.name, to_string(x.shape));
    if (!is_float(x.dtype))  // pooling_c2
        fail<DtypeError>("{}: takes floating point values, x is {}", c.op.name, to_string(x));
    for (const char* each : {"ksize", "stride", "pad"})
        CATENA_ASSERT(c.attributes.dims(each).rank() == 2, "one for height and one for width");
    const Dims ksize = c.attributes.dims("ksize");
    for (int64_t size : ksize) CATENA_ASSERT(size >= 1, "a window has elements");
    if (ksize[0] > std::numeric_limits<int32_t>::max() / ksize[1])  // pooling_c5
        fail<ShapeError>("{}: a window of {} has more elements than an int32 can number", c.op.name,
                         to_string(ksize));
    Shape y = x.shape;
    for (int i = 0; i < 2; ++i) {
        if (c.attributes.dims("pad")[i] >= c.attributes.dims("ksize")[i])  // pooling_c4
            fail<ShapeError>(
                "{}: pad {} should be less than the window {}, or windows lie in the padding alone "
                "(x {})",
                c.op.name, to_string(c.attributes.dims("pad")),
                to_string(c.attributes.dims("ksize")), to_string(x.shape));
        y[i + 2] =
            window_count(x.shape[i + 2], c.attributes.dims("ksize")[i],
                         c.attributes.dims("stride")[i], c.attributes.dims("pad")[i], cover_all);
        if (y[i + 2] <= 0)  // pooling_c3
            fail<ShapeError>("{}: a window of {} (pad {}) does not fit into x {}", c.op.name,
                             to_string(c.attributes.dims("ksize")),
                             to_string(c.attributes.dims("pad")), to_string(x.shape));
    }
    return y;
}

Types adjoint_type(const TypeCall& c) {
    Type gx = c.inputs[0];
    CATENA_ASSERT(gx.shape.rank() == 4 && c.attributes.dims("height_width").rank() == 2,
                  "pictures have height and width");
    for (const char* each : {"ksize", "stride", "pad"})
        CATENA_ASSERT(c.attributes.dims(each).rank() == 2, "one for height and one for width");
    for (int i = 0; i < 2; ++i)
        CATENA_ASSERT(c.attributes.dims("ksize")[i] >= 1 && c.attributes.dims("stride")[i] >= 1,
                      "windows step forwards");
    for (int i = 0; i < 2; ++i) gx.shape[i + 2] = c.attributes.dims("height_width")[i];
    return {gx};
}

Array with_channels_last(const Array& array) { return in_order(MemoryOrder::channels_last, array); }

/// Channels-last costs nothing where all images of a call have it.
ChannelsLastRule all_alike(uint32_t inputs, uint32_t outputs) {
    return [=](const TypeCall& c) {
        const Dtype dtype = c.inputs[0].dtype;
        constexpr int64_t least_channels =
            16;  // The loop over fewer is slower than that over positions (measured).
        if (c.inputs[0].shape[1] < least_channels ||
            (dtype != Dtype::float32 && dtype != Dtype::float64))
            return ChannelsLast();
        return ChannelsLast{.inputs = inputs, .outputs = outputs, .alike = true};
    };
}

/// Runs f(input, output) in the working dtype.
template <class F>
void in_working_dtype(const KernelCall& c, F&& f) {
    if (c.outputs[0].size() == 0) return;
    Array x = as_working_array(c.inputs[0], c.inputs[0].dtype()), y = working_output(c.outputs[0]);
    f(x, y);
    store(y, c.outputs[0]);
}

OnnxAttributes window_attributes(OnnxCall& c, std::vector<int64_t> pads) {
    return {{"kernel_shape", c.dims("ksize")},
            {"strides", c.dims("stride")},
            {"pads", std::move(pads)}};
}

/// y with `empty` windows in which there is no element of x, at the ends of its last axes.
int with_empty_windows(OnnxCall& c, int y, const std::vector<int64_t>& empty) {
    if (std::ranges::all_of(empty, [](int64_t count) { return count == 0; })) return y;
    const size_t rank = empty.size() + 2;
    std::vector<int64_t> pads(2 * rank);  // All axes' begins, then their ends.
    std::copy(empty.begin(), empty.end(), pads.end() - int64_t(empty.size()));
    const int lowest = c.graph.number(-std::numeric_limits<double>::infinity(), c.result());
    return c.graph.node("Pad", {y, c.graph.integers(pads), lowest});
}

/// cover_all is padding at the end where the sizes are known: what ceil_mode does beyond the border
/// differs between run-times, and it leaves out windows that lie in the padding alone. The places
/// have another meaning in ONNX and are not given.
std::vector<int> write_max_pooling(OnnxCall& c) {
    const std::vector<int64_t> ksize = c.dims("ksize"), stride = c.dims("stride"),
                               pad = c.dims("pad");
    std::vector<int64_t> end = pad, empty(pad.size());
    bool ceil_mode = false;
    for (size_t i = 0; i < pad.size(); ++i) {
        const OnnxSize &size = c.inputs[0].shape[i + 2], &positions = c.outputs[0].shape[i + 2];
        const OnnxSize more = (positions - 1) * stride[i] + ksize[i] - size - 2 * pad[i];
        if (!more.is_constant()) {
            ceil_mode = true;
            continue;
        }
        end[i] += std::max<int64_t>(more.constant, 0);
        for (; end[i] >= ksize[i]; end[i] -= stride[i]) ++empty[i];
        end[i] = std::max<int64_t>(end[i], 0);
    }
    if (ceil_mode) {
        end = pad;
        empty.assign(pad.size(), 0);
    }
    std::vector<int64_t> pads = pad;
    pads.insert(pads.end(), end.begin(), end.end());
    OnnxAttributes attributes = window_attributes(c, pads);
    attributes.emplace_back("ceil_mode", int64_t(ceil_mode && c.attributes.flag("cover_all")));
    const int y = c.graph.node("MaxPool", {c.input(0)}, attributes);
    return {with_empty_windows(c, y, empty), -1};
}

const OpDef& scatter_op();
const OpDef& gather_op();

constexpr const char* max_pooling_text = R"(
        const i64 height = x0_size[2], width = x0_size[3], ow = i % y0_size[3], oh = i / y0_size[3] % y0_size[2];
        const i64 plane = i / (y0_size[3] * y0_size[2]) * height * width;
        T best = -T(__int_as_float(0x7f800000));
        i64 winner = 0;
        for (i64 tap = 0; tap < ksize[0] * ksize[1]; ++tap) {
            const i64 h = oh * stride[0] - pad[0] + tap / ksize[1], w = ow * stride[1] - pad[1] + tap % ksize[1];
            if (h < 0 || h >= height || w < 0 || w >= width) continue;
            const T v = x0(plane + h * width + w);
            if (!(v > best) && v == v) continue;
            best = v;
            winner = tap;
        }
        y0(i, best);
        y1(i, T(winner));)";

const OpDef& op_max_pooling = register_op({
    .name = "max_pooling",
    .kind = Kind::window,
    .output_count = 2,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            Shape y = pooled_shape(c, c.attributes.flag("cover_all"));
            return Types{{c.inputs[0].dtype, y}, {Dtype::int32, y}};
        },
    .kernel =
        [](const KernelCall& c) {
            const Array &y = c.outputs[0], &index = c.outputs[1];
            if (lies_channels_last(y) && lies_channels_last(index))
                return channels_last::max_pool(with_channels_last(c.inputs[0]),
                                               window_of(c.attributes), y, index);
            in_working_dtype(c, [&](const Array& x, const Array& working) {
                max_pool(x, window_of(c.attributes), working, index);
            });
        },
    .gradient =
        [](const GradientCall& c) {
            return Variables{call(scatter_op(), known_location(),
                                  for_adjoint(c.attributes(), c.x_type(0).shape), {}, c.gy(),
                                  c.y(1))};
        },
    .reads = [](int, int) { return Reads{.outputs = 2}; },
    .onnx = write_max_pooling,
    .declared = {channels_last_rule(all_alike(1, 3)), image_operands({.inputs = 1, .outputs = 3}),
                 range_kept(), element_text(max_pooling_text)},
});

/// Many threads: each element visits the windows that may contain it.
constexpr const char* scatter_of_many_text = R"(
        const i64 w = i % y0_size[3], h = i / y0_size[3] % y0_size[2], height = x0_size[2], width = x0_size[3];
        const i64 plane = i / (y0_size[3] * y0_size[2]) * height * width;
        T sum = 0;
        // The windows that may hold this element.
        const i64 top = h + pad[0] - ksize[0] + 1, left = w + pad[1] - ksize[1] + 1;
        for (i64 oh = top > 0 ? (top + stride[0] - 1) / stride[0] : 0; oh < height && oh * stride[0] <= h + pad[0]; ++oh) {
            const i64 row = h + pad[0] - oh * stride[0];
            for (i64 ow = left > 0 ? (left + stride[1] - 1) / stride[1] : 0; ow < width && ow * stride[1] <= w + pad[1]; ++ow) {
                const i64 column = w + pad[1] - ow * stride[1], at = plane + oh * width + ow;
                if (i64(p1[at]) == row * ksize[1] + column) sum += x0(at);
            }
        }
        y0(i, sum);)";
/// One thread walks over the windows.
constexpr const char* scatter_of_one_text = R"(
        const i64 height = y0_size[2], width = y0_size[3], ow = i % x0_size[3], oh = i / x0_size[3] % x0_size[2];
        const i64 plane = i / (x0_size[3] * x0_size[2]) * height * width, tap = i64(p1[i]);
        const i64 h = oh * stride[0] - pad[0] + tap / ksize[1], w = ow * stride[1] - pad[1] + tap % ksize[1];
        if (h >= 0 && h < height && w >= 0 && w < width) q0[plane + h * width + w] += x0(i);)";

ElementProgram scatter_elements_of_windows(const KernelCall& c, Threads threads) {
    const Dtype dtype = c.outputs[0].dtype();
    // Sums of stored elements would lose what a half does not keep.
    if (threads == Threads::many || dtype != compute_dtype(dtype))
        return {{{scatter_of_many_text, c.outputs[0].size(), {}, true}}, 0};
    return {{{"        y0(i, T(0));", c.outputs[0].size(), {}},
             {scatter_of_one_text, c.inputs[0].size(), {}}},
            0};
}

const OpDef& op_max_pooling_scatter = register_op({
    .name = "max_pooling_scatter",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = adjoint_type,
    .kernel =
        [](const KernelCall& c) {
            if (lies_channels_last(c.outputs[0]))
                return channels_last::max_pool_scatter(with_channels_last(c.inputs[0]),
                                                       with_channels_last(c.inputs[1]),
                                                       window_of(c.attributes), c.outputs[0]);
            Array index = c.inputs[1].as_contiguous();
            in_working_dtype(c, [&](const Array& gy, const Array& gx) {
                max_pool_scatter(gy, index, window_of(c.attributes), gx);
            });
        },
    .gradient =
        [](const GradientCall& c) {
            return Variables{
                call(gather_op(), known_location(), c.attributes(), {}, c.gy(), c.x(1)),
                Variable()};
        },
    .reads = [](int, int) { return Reads{.inputs = 2}; },
    .declared = {channels_last_rule(all_alike(3, 1)), image_operands({.inputs = 3, .outputs = 1}),
                 element_plan(scatter_elements_of_windows)},
});

constexpr const char* max_pooling_gather_text = R"(
        const i64 height = x0_size[2], width = x0_size[3], ow = i % y0_size[3], oh = i / y0_size[3] % y0_size[2];
        const i64 plane = i / (y0_size[3] * y0_size[2]) * height * width, tap = i64(p1[i]);
        const i64 h = oh * stride[0] - pad[0] + tap / ksize[1], w = ow * stride[1] - pad[1] + tap % ksize[1];
        y0(i, h >= 0 && h < height && w >= 0 && w < width ? x0(plane + h * width + w) : T(0));)";

const OpDef& op_max_pooling_gather = register_op({
    .name = "max_pooling_gather",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{{c.inputs[0].dtype, c.inputs[1].shape}}; },
    .kernel =
        [](const KernelCall& c) {
            Array index = c.inputs[1].as_contiguous();
            in_working_dtype(c, [&](const Array& x, const Array& y) {
                max_pool_gather(x, index, window_of(c.attributes), y);
            });
        },
    .gradient =
        [](const GradientCall& c) {
            return Variables{
                call(scatter_op(), known_location(), c.attributes(), {}, c.gy(), c.x(1)),
                Variable()};
        },
    .reads = [](int, int) { return Reads{.inputs = 2}; },
    .declared = {image_operands({.inputs = 3, .outputs = 1}),
                 element_text(max_pooling_gather_text)},
});

const OpDef& scatter_op() { return op_max_pooling_scatter; }
const OpDef& gather_op() { return op_max_pooling_gather; }

const OpDef& spread_op();

constexpr const char* average_pooling_text = R"(
        const i64 height = x0_size[2], width = x0_size[3], ow = i % y0_size[3], oh = i / y0_size[3] % y0_size[2];
        const i64 plane = i / (y0_size[3] * y0_size[2]) * height * width;
        T sum = 0;
        for (i64 tap = 0; tap < ksize[0] * ksize[1]; ++tap) {
            const i64 h = oh * stride[0] - pad[0] + tap / ksize[1], w = ow * stride[1] - pad[1] + tap % ksize[1];
            if (h >= 0 && h < height && w >= 0 && w < width) sum += x0(plane + h * width + w);
        }
        y0(i, sum * (T(1) / T(ksize[0] * ksize[1])));)";

const OpDef& op_average_pooling = register_op({
    .name = "average_pooling",
    .kind = Kind::window,
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{{c.inputs[0].dtype, pooled_shape(c, false)}}; },
    .kernel =
        [](const KernelCall& c) {
            if (lies_channels_last(c.outputs[0]))
                return channels_last::average_pool(with_channels_last(c.inputs[0]),
                                                   window_of(c.attributes), c.outputs[0]);
            in_working_dtype(c, [&](const Array& x, const Array& y) {
                average_pool(x, window_of(c.attributes), y);
            });
        },
    .gradient =
        [](const GradientCall& c) {
            return Variables{call(spread_op(), known_location(),
                                  for_adjoint(c.attributes(), c.x_type(0).shape), {}, c.gy())};
        },
    .onnx =
        [](OnnxCall& c) {
            std::vector<int64_t> pads = c.dims("pad");
            pads.insert(pads.end(), {pads[0], pads[1]});
            OnnxAttributes attributes = window_attributes(c, pads);
            attributes.emplace_back("count_include_pad", 1);
            return c.node("AveragePool", {c.input(0)}, attributes);
        },
    .declared = {library_role(LibraryRole::average_pooling), channels_last_rule(all_alike(1, 1)),
                 image_operands({.inputs = 1, .outputs = 1}), element_text(average_pooling_text)},
});

constexpr const char* average_pooling_spread_text = R"(
        const i64 w = i % y0_size[3], h = i / y0_size[3] % y0_size[2], height = x0_size[2], width = x0_size[3];
        const i64 plane = i / (y0_size[3] * y0_size[2]) * height * width;
        const T factor = T(1) / T(ksize[0] * ksize[1]);
        T sum = 0;
        const i64 top = h + pad[0] - ksize[0] + 1, left = w + pad[1] - ksize[1] + 1;
        for (i64 oh = top > 0 ? (top + stride[0] - 1) / stride[0] : 0; oh < height && oh * stride[0] <= h + pad[0]; ++oh) {
            for (i64 ow = left > 0 ? (left + stride[1] - 1) / stride[1] : 0; ow < width && ow * stride[1] <= w + pad[1]; ++ow) {
                sum += x0(plane + oh * width + ow) * factor;
            }
        }
        y0(i, sum);)";

const OpDef& op_average_pooling_spread = register_op({
    .name = "average_pooling_spread",
    .kind = Kind::window,
    .differentiable = true,
    .type = adjoint_type,
    .kernel =
        [](const KernelCall& c) {
            if (lies_channels_last(c.outputs[0]))
                return channels_last::average_pool_spread(with_channels_last(c.inputs[0]),
                                                          window_of(c.attributes), c.outputs[0]);
            in_working_dtype(c, [&](const Array& gy, const Array& gx) {
                average_pool_spread(gy, window_of(c.attributes), gx);
            });
        },
    .gradient =
        [](const GradientCall& c) {
            return Variables{
                call(op_average_pooling, known_location(), c.attributes(), {}, c.gy())};
        },
    .declared = {library_role(LibraryRole::average_pooling_gradient),
                 channels_last_rule(all_alike(1, 1)), image_operands({.inputs = 1, .outputs = 1}),
                 element_text(average_pooling_spread_text)},
});

const OpDef& spread_op() { return op_average_pooling_spread; }

Attributes window_attributes(const char* name, const Dims& ksize, const Dims& stride,
                             const Dims& pad, std::optional<bool> cover_all) {
    const Attributes::Entry size{"ksize", per_axis(name, "ksize", ksize, 2, 1)},
        step{"stride", per_axis(name, "stride", stride.empty() ? ksize : stride, 2, 1)},
        around{"pad", per_axis(name, "pad", pad, 2, 0)};
    return cover_all ? Attributes{size, step, around, {"cover_all", *cover_all}}
                     : Attributes{size, step, around};
}

const FunctionDef& f_max_pooling_2d = function(
    "max_pooling_2d(x, ksize, stride=None, pad=0, cover_all=True, return_indices=False)", {"x"},
    [](const FunctionArguments& a) {
        Variables both = max_pooling_2d_with_indices(
            a.array("x"), a.dims("ksize"),
            {.stride = a.dims("stride"), .pad = a.dims("pad"), .cover_all = a.flag("cover_all")});
        if (!a.flag("return_indices")) both.pop_back();
        return OneOrMore(std::move(both));
    });
const FunctionDef& f_average_pooling_2d = function(
    "average_pooling_2d(x, ksize, stride=None, pad=0)", {"x"}, [](const FunctionArguments& a) {
        return average_pooling_2d(a.array("x"), a.dims("ksize"), a.dims("stride"), a.dims("pad"));
    });

}  // namespace

Variables max_pooling_2d_with_indices(const Operand& x, const PerAxis& ksize, const MaxPooling& o) {
    LocationScope scope(x.location());
    Attributes a = window_attributes("max_pooling_2d", ksize, o.stride, o.pad, o.cover_all);
    const Variable* inputs[] = {&x.variable()};
    return apply(op_max_pooling, inputs, x.location(), a);
}

Variable max_pooling_2d(const Operand& x, const PerAxis& ksize, const MaxPooling& options) {
    return max_pooling_2d_with_indices(x, ksize, options)[0];
}

Variable average_pooling_2d(const Operand& x, const PerAxis& ksize, const PerAxis& stride,
                            const PerAxis& pad) {
    LocationScope scope(x.location());
    Attributes a = window_attributes("average_pooling_2d", ksize, stride, pad, {});
    return call(op_average_pooling, x.location(), a, {}, x);
}

}  // namespace catena
