#include "runtime/ops/connection/convolution.h"

#include "runtime/core/error.h"
#include "runtime/cpu/product/bfloat16.h"
#include "runtime/cpu/convolution/lanes/lane_convolution.h"
#include "runtime/cpu/convolution/patch_convolution.h"
#include "runtime/cpu/convolution/prepared_convolution.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/autocast.h"
#include "runtime/ops/array/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/connection/convolution_block.h"
#include "runtime/ops/connection/convolution_elements.h"
#include "runtime/ops/connection/convolution_onnx.h"
#include "runtime/ops/connection/convolution_statistics.h"
#include "runtime/ops/connection/convolution_steps.h"
#include "runtime/ops/connection/convolution_tail.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/element_text.h"
#include "runtime/ops/declare/preparation.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/math/reduction.h"

namespace catena {
namespace {

// Three bilinear operations, closed under differentiation:
//   convolution          x, W  -> y
//   convolution_data     gy, W -> gx   (also deconvolution; "size" is the spatial size of gx)
//   convolution_weights  x, gy -> gW   ("size" is the spatial size of gW)
// All have the attributes of the convolution that they belong to, so one set of attributes serves
// all.

Attributes with_size(const Attributes& a, const Dims* size) {
    const Attributes::Entry stride{"stride", a.dims("stride")}, pad{"pad", a.dims("pad")}, dilate{"dilate", a.dims("dilate")},
        groups{"groups", a.integer("groups")}, cover_all{"cover_all", a.flag("cover_all")};
    return size ? Attributes{stride, pad, dilate, groups, cover_all, {"size", *size}} : Attributes{stride, pad, dilate, groups, cover_all};
}

Dims spatial(const Shape& shape) { return Dims(std::span(shape.begin() + 2, shape.end())); }

/// Sizes of positions for x and kernel sizes; ShapeError when no window fits.
Dims positions_of(const Dims& x, const Dims& kernel, const Attributes& a, const std::string& what) {
    for (const char* each : {"stride", "pad", "dilate"})
        CATENA_ASSERT(a.dims(each).rank() == x.rank() && kernel.rank() == x.rank(), "one for each axis");
    CATENA_ASSERT(a.integer("groups") >= 1, "channels belong to groups");
    Dims positions;
    for (int i = 0; i < x.rank(); ++i) {
        positions.push_back(window_count(x[i], kernel[i], a.dims("stride")[i], a.dims("pad")[i],
                                         a.flag("cover_all"), a.dims("dilate")[i]));
        if (positions[i] <= 0)  // convolution_c4
            fail<ShapeError>("{}: a window of {} (pad {}, dilate {}) does not fit into {}", what,
                             to_string(kernel), to_string(a.dims("pad")),
                             to_string(a.dims("dilate")), to_string(x));
    }
    return positions;
}

/// Channels of all groups. Users' options were checked; attributes may come from a file, too.
int64_t in_all_groups(int64_t channels, const Attributes& a) {
    int64_t all = 0;
    CATENA_ASSERT(!__builtin_mul_overflow(channels, a.integer("groups"), &all), "channels can be counted");
    return all;
}

Shape full_shape(int64_t batch, int64_t channels, const Dims& sizes) {
    Shape shape{batch, channels};
    for (int64_t size : sizes) shape.push_back(size);
    return shape;
}

std::string both(const TypeCall& c, const char* a = "x", const char* b = "W") {
    return fmt::format("{} {}, {} {}", a, to_string(c.inputs[0].shape), b,
                       to_string(c.inputs[1].shape));
}

Dtype check_operands(const TypeCall& c, const char* a, const char* b,
                     std::string_view name) {
    const Shape &s0 = c.inputs[0].shape, &s1 = c.inputs[1].shape;
    if (s0.rank() != s1.rank() || s0.rank() < 3 || s0.rank() > 5)  // convolution_c1
        fail<ShapeError>("{}: takes arrays of one rank from 3 to 5 ({})", name, both(c, a, b));
    Dtype dtype = promote(c.inputs[0].dtype, c.inputs[1].dtype);
    if (!is_float(dtype))  // convolution_c2
        fail<DtypeError>("{}: takes floating point values, {} is {} and {} is {}", name, a,
                         to_string(c.inputs[0]), b, to_string(c.inputs[1]));
    return dtype;
}

/// What to do when an image has its channels last, as other libraries keep them; else empty.
std::string channels_last_hint(const Shape& x, int64_t channels) {
    if (x.rank() != 4 || x[3] != channels) return "";
    return "; images are [N, C, H, W]: transpose(x, {0, 3, 1, 2})";
}

/// The function that users call, with a bias or without.
const char* function_name(const TypeCall& c) {
    return c.inputs[0].shape.rank() == 4 ? "convolution_2d" : "convolution_nd";
}

Type convolution_type(const TypeCall& c) {
    const char* name = function_name(c);
    Dtype dtype = check_operands(c, "x", "W", name);
    const Shape &x = c.inputs[0].shape, &W = c.inputs[1].shape;
    int64_t groups = c.attributes.integer("groups");
    const int64_t channels = in_all_groups(W[1], c.attributes);
    if (x[1] != channels)  // convolution_c3
        fail<ShapeError>("{}: W takes {} channels{}, x has {} ({}){}", name, channels,
                         groups > 1 ? fmt::format(" in {} groups", groups) : "", x[1], both(c), channels_last_hint(x, channels));
    if (W[0] % groups != 0)  // convolution_c5
        fail<ShapeError>("{}: W gives {} channels, which {} groups do not divide ({})", name, W[0],
                         groups, both(c));
    return {dtype, full_shape(x[0], W[0], positions_of(spatial(x), spatial(W), c.attributes, name))};
}

Types data_type(const TypeCall& c) {
    Dtype dtype = check_operands(c, "x", "W", c.op.name);
    const Shape &gy = c.inputs[0].shape, &W = c.inputs[1].shape;
    if (gy[1] != W[0])  // deconvolution_c1
        fail<ShapeError>("deconvolution: W takes {} channels, x has {} ({})", W[0], gy[1], both(c));
    const Dims& size = c.attributes.dims("size");
    if (!(positions_of(size, spatial(W), c.attributes, "deconvolution") ==
          spatial(gy)))  // deconvolution_c2
        fail<ShapeError>("deconvolution: an output of {} does not come from x ({})",
                         to_string(size), both(c));
    return {{dtype, full_shape(gy[0], in_all_groups(W[1], c.attributes), size)}};
}

Types weights_type(const TypeCall& c) {
    Dtype dtype = check_operands(c, "x", "gy", c.op.name);
    const Shape &x = c.inputs[0].shape, &gy = c.inputs[1].shape;
    const Dims& size = c.attributes.dims("size");
    if (x[0] != gy[0] || !(positions_of(spatial(x), size, c.attributes, c.op.name) == spatial(gy)))
        fail<ShapeError>("{}: x and gy do not belong together ({})", c.op.name, both(c, "x", "gy"));
    return {{dtype, full_shape(gy[1], x[1] / c.attributes.integer("groups"), size)}};
}

// Declared before the ops, which refer to each other.
Variable convolve_variables(const Variable& x, const Variable& W, const Attributes& a);
Variable data_of(const Variable& gy, const Variable& W, const Attributes& a, const Dims& size);
Variable weights_of(const Variable& x, const Variable& gy, const Attributes& a, const Dims& size);

Reads reads_other(int input, int) { return {.inputs = input == 0 ? 2u : 1u}; }

/// Results in the dtypes of the inputs they belong to.
Variables as_inputs(const GradientCall& c, Variables gx) {
    for (int i = 0; i < c.input_count(); ++i)
        if (gx[i].defined()) gx[i] = cast(gx[i], c.x_type(i).dtype);
    return gx;
}

Variables convolution_gradient(const GradientCall& c) {
    Variables gx(c.input_count());
    if (c.needs(0)) gx[0] = data_of(c.gy(), c.x(1), c.attributes(), spatial(c.x_type(0).shape));
    if (c.needs(1)) gx[1] = weights_of(c.x(0), c.gy(), c.attributes(), spatial(c.x_type(1).shape));
    if (c.input_count() > 2 && c.needs(2)) {
        Axes axes{0};
        for (int i = 2; i < c.y_type().shape.rank(); ++i) axes.push_back(i);
        gx[2] = sum(c.gy(), axes);
    }
    return as_inputs(c, std::move(gx));
}

bool all_are(const TypeCall& c, Dtype dtype) { return c.inputs[0].dtype == dtype && c.inputs[1].dtype == dtype; }

/// float32 images whose channels are not in groups, or alone. With a kernel of one element they are matrices
/// (runtime/cpu/convolution/pointwise_convolution.h). Else reordering them counts where little is computed with each element; with few
/// positions oneDNN's kernels for blocked images are faster by more than that, but not than what packing their weights
/// costs at every call (measured). Pictures, images of few channels, are as fast in either order, and what else is done with them, such as adding a
/// number to each channel, rather has rows of pixels. bfloat16 images where the processor multiplies them: in this order they need no reordering
/// and are as fast as blocked (measured).
ChannelsLastRule images_last(ConvolutionDirection direction, uint32_t inputs, uint32_t outputs) {
    return [=](const TypeCall& c) {
        const bool is_narrow = has_bfloat16_products() && all_are(c, Dtype::bfloat16);
        const bool by_library = is_narrow || all_are(c, Dtype::float32);
        const bool gives_weights = outputs == 0;
        const Shape &image = c.inputs[0].shape, &other = c.inputs[1].shape;
        const int64_t groups = c.attributes.integer("groups");
        const bool depthwise = !gives_weights && groups == image[1] && groups == other[0] && other[1] == 1;
        if (!by_library || (groups != 1 && !depthwise)) return ChannelsLast();
        constexpr int64_t most_products = 600, least_positions = 1024, most_picture_channels = 4;
        int64_t kernel_size = 1, positions = image[0];
        for (int64_t size : spatial(image)) positions *= size;
        const Dims kernel = gives_weights ? c.attributes.dims("size") : spatial(other);
        for (int64_t size : kernel) kernel_size *= size;
        int64_t taps = kernel_size;
        for (int64_t step : c.attributes.dims("stride")) taps = std::max<int64_t>(1, taps / step);
        const int64_t channels = gives_weights ? std::min(image[1], other[1]) : std::min(other[0], other[1]);
        // Sixteen images side by side take either order, and what comes before and after rather has rows of pixels.
        const bool by_lanes = !is_narrow && is_faster_by_lanes(direction, {image[0], image[1], other[direction == ConvolutionDirection::forward ? 0 : 1],
                                                                           image[image.rank() - 1], kernel, c.attributes.dims("stride"), false});
        const bool preferred =
            groups == 1 && !by_lanes && (is_narrow || kernel_size == 1 || (channels * taps <= most_products && positions >= least_positions));
        const bool reads_pictures = direction != ConvolutionDirection::data && !is_narrow && image[1] <= most_picture_channels && kernel_size > 1;
        const bool gives_pictures = direction == ConvolutionDirection::data && !is_narrow && is_faster_by_patches(other);
        return ChannelsLast{.inputs = inputs, .outputs = outputs, .indifferent_inputs = reads_pictures, .indifferent_outputs = gives_pictures,
                            .preferred = preferred, .preferred_packed = !gives_weights};
    };
}

/// Weights, too, lie like the images that they meet: vendor libraries want it so.
constexpr ImageOperands all_images{.inputs = 3, .outputs = 1};

/// The kernels below, for programs.
Preparation prepared(ConvolutionDirection direction) {
    return [=](const KernelCall& c) { return prepare_convolution(direction, window_steps(c.attributes), c); };
}

const OpDef& op_convolution = register_op({
    .name = "convolution",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = [](const TypeCall& c) { return Types{convolution_type(c)}; },
    .kernel =
        [](const KernelCall& c) {
            convolve(c.inputs[0], c.inputs[1], Array(), window_steps(c.attributes), c.outputs[0]);
        },
    .gradient = convolution_gradient,
    .reads = reads_other,
    .onnx = write_convolution,
});
const bool op_convolution_text = set_element_text(op_convolution, convolution_elements());

const bool op_convolution_role = set_library_role(op_convolution, LibraryRole::convolution);
const bool op_convolution_prepared = set_preparation(op_convolution, prepared(ConvolutionDirection::forward));
const bool op_convolution_last = set_channels_last(op_convolution, images_last(ConvolutionDirection::forward, 1, 1));
const bool op_convolution_images = set_images(op_convolution, all_images);
const bool op_convolution_autocast = set_autocast(op_convolution, Autocast::narrow);
const OpDef& op_tailed_convolution = define_tailed_convolution(op_convolution);
const OpDef& op_convolution_block = define_convolution_block(op_tailed_convolution);
const OpDef& op_measured_convolution = define_measured_convolution(op_convolution);

const OpDef& op_convolution_data = register_op({
    .name = "convolution_data",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = data_type,
    .kernel =
        [](const KernelCall& c) {
            convolve_data(c.inputs[0], c.inputs[1], window_steps(c.attributes), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& c) {
            Variables gx(2);
            if (c.needs(0)) gx[0] = convolve_variables(c.gy(), c.x(1), c.attributes());
            if (c.needs(1))
                gx[1] = weights_of(c.gy(), c.x(0), c.attributes(), spatial(c.x_type(1).shape));
            return as_inputs(c, std::move(gx));
        },
    .reads = reads_other,
    .onnx = write_deconvolution,
});
const bool op_convolution_data_text = set_element_text(op_convolution_data, convolution_data_elements());

const bool op_convolution_data_role = set_library_role(op_convolution_data, LibraryRole::convolution_data);
const bool op_convolution_data_prepared = set_preparation(op_convolution_data, prepared(ConvolutionDirection::data));
const bool op_convolution_data_last = set_channels_last(op_convolution_data, images_last(ConvolutionDirection::data, 1, 1));
const bool op_convolution_data_images = set_images(op_convolution_data, all_images);
const bool op_convolution_data_autocast = set_autocast(op_convolution_data, Autocast::narrow);

const OpDef& op_convolution_weights = register_op({
    .name = "convolution_weights",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = weights_type,
    .kernel =
        [](const KernelCall& c) {
            convolve_weights(c.inputs[0], c.inputs[1], window_steps(c.attributes), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& c) {
            Variables gx(2);
            if (c.needs(0))
                gx[0] = data_of(c.x(1), c.gy(), c.attributes(), spatial(c.x_type(0).shape));
            if (c.needs(1)) gx[1] = convolve_variables(c.x(0), c.gy(), c.attributes());
            return as_inputs(c, std::move(gx));
        },
    .reads = reads_other,
});
const bool op_convolution_weights_text = set_element_text(op_convolution_weights, convolution_weights_elements());

const bool op_convolution_weights_role = set_library_role(op_convolution_weights, LibraryRole::convolution_weights);
const bool op_convolution_weights_prepared = set_preparation(op_convolution_weights, prepared(ConvolutionDirection::weights));
const bool op_convolution_weights_last = set_channels_last(op_convolution_weights, images_last(ConvolutionDirection::weights, 3, 0));
const bool op_convolution_weights_images = set_images(op_convolution_weights, all_images);
const bool op_convolution_weights_autocast = set_autocast(op_convolution_weights, Autocast::narrow);

/// b as [1, O, 1, ...], to be added to y.
Variable as_channels(const Variable& b, int rank) {
    Shape shape = Shape::filled(rank, 1);
    shape[1] = b.size();
    return reshape(b, shape);
}

const OpDef& op_convolution_bias = define_composite({
    .name = "convolution_bias",
    .input_count = 3,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            Type type = convolution_type(c);
            const Type& b = c.inputs[2];
            if (!(b.shape == Shape{type.shape[1]}))  // convolution_c6
                fail<ShapeError>("{}: b should be [{}], it is {} ({})", function_name(c),
                                 type.shape[1], to_string(b.shape), both(c));
            return Types{{promote(type.dtype, b.dtype), type.shape}};
        },
    .kernel =
        [](const KernelCall& c) {
            convolve(c.inputs[0], c.inputs[1], c.inputs[2], window_steps(c.attributes), c.outputs[0]);
        },
    .body =
        [](std::span<const Variable> v, const Attributes& a, std::span<const Scalar>) {
            return Variables{convolve_variables(v[0], v[1], a) + as_channels(v[2], v[0].rank())};
        },
    .gradient = convolution_gradient,
    .reads = [](int input, int) { return Reads{.inputs = input == 0   ? 2u
                                                         : input == 1 ? 1u
                                                                      : 0u}; },
    .onnx = write_convolution,
});
const bool op_convolution_bias_prepared = set_preparation(op_convolution_bias, prepared(ConvolutionDirection::forward));
const bool op_convolution_bias_autocast = set_autocast(op_convolution_bias, Autocast::narrow);

Variable convolve_variables(const Variable& x, const Variable& W, const Attributes& a) {
    return call(op_convolution, current_location(), with_size(a, nullptr), {}, x, W);
}
Variable data_of(const Variable& gy, const Variable& W, const Attributes& a, const Dims& size) {
    return call(op_convolution_data, current_location(), with_size(a, &size), {}, gy, W);
}
Variable weights_of(const Variable& x, const Variable& gy, const Attributes& a, const Dims& size) {
    return call(op_convolution_weights, current_location(), with_size(a, &size), {}, x, gy);
}

void check_ranks(const char* name, const Variable& x, const Variable& W, int axes, int64_t groups) {
    int rank = axes > 0 ? axes + 2 : x.rank();
    if (x.rank() != rank || W.rank() != rank || rank < 3 || rank > 5)  // convolution_c1
        fail<ShapeError>("{}: x and W should have {} axes, x is {} and W is {}", name,
                         axes > 0 ? std::to_string(rank) : "3 to 5", to_string(x.shape()),
                         to_string(W.shape()));
    if (groups < 1) fail<ValueError>("{}: groups is {} and should be 1 or more", name, groups);
}

Variable convolution(const char* name, int axes, const Operand& x, const Operand& W,
                     const Variable& b, const ConvolutionOptions& o) {
    LocationScope scope(x.location());
    const Variable& vx = x;
    check_ranks(name, x, W, axes, o.groups);
    int count = vx.rank() - 2;
    Attributes a{{"stride", per_axis(name, "stride", o.stride, count, 1)},
                 {"pad", per_axis(name, "pad", o.pad, count, 0)},
                 {"dilate", per_axis(name, "dilate", o.dilate, count, 1)},
                 {"groups", o.groups},
                 {"cover_all", o.cover_all}};
    return b.defined() ? call(op_convolution_bias, x.location(), a, {}, vx, W, b)
                       : call(op_convolution, x.location(), a, {}, vx, W);
}

Variable deconvolution(const char* name, int axes, const Operand& x, const Operand& W,
                       const Variable& b, const DeconvolutionOptions& o) {
    LocationScope scope(x.location());
    const Variable &vx = x, &vW = W;
    check_ranks(name, x, W, axes, o.groups);
    int count = vx.rank() - 2;
    Dims stride = per_axis(name, "stride", o.stride, count, 1),
         pad = per_axis(name, "pad", o.pad, count, 0);
    Dims dilate = per_axis(name, "dilate", o.dilate, count, 1), size = o.outsize;
    if (vx.shape()[1] % o.groups != 0)  // deconvolution_c3
        fail<ShapeError>("{}: x has {} channels, which {} groups do not divide", name,
                         vx.shape()[1], o.groups);
    if (size.empty())
        for (int i = 0; i < count; ++i)
            size.push_back(stride[i] * (vx.shape()[i + 2] - 1) +
                           (vW.shape()[i + 2] - 1) * dilate[i] + 1 - 2 * pad[i]);
    size = per_axis(name, "outsize", size, count, 1);
    // The convolution that this transposes may be of either kind.
    bool exact = true;
    for (int i = 0; i < count; ++i)
        exact &= window_count(size[i], vW.shape()[i + 2], stride[i], pad[i], false, dilate[i]) ==
                 vx.shape()[i + 2];
    Attributes a{{"stride", stride},
                 {"pad", pad},
                 {"dilate", dilate},
                 {"groups", o.groups},
                 {"cover_all", !exact}};
    Variable y = data_of(vx, vW, a, size);
    if (!b.defined()) return y;
    if (!(b.shape() == Shape{y.shape()[1]}))  // deconvolution_c4
        fail<ShapeError>("{}: b should be [{}], it is {}", name, y.shape()[1],
                         to_string(b.shape()));
    const bool narrow = b.dtype() == Dtype::float32 && y.dtype() == autocast_dtype();
    return y + as_channels(narrow ? cast(b, y.dtype()) : b, y.rank());
}

ConvolutionOptions options_from(const FunctionArguments& a) {
    return {.stride = a.dims("stride"),
            .pad = a.dims("pad"),
            .cover_all = a.flag("cover_all"),
            .dilate = a.dims("dilate"),
            .groups = a.integer("groups")};
}
DeconvolutionOptions transposed_options_from(const FunctionArguments& a) {
    return {.stride = a.dims("stride"),
            .pad = a.dims("pad"),
            .outsize = a.dims("outsize"),
            .dilate = a.dims("dilate"),
            .groups = a.integer("groups")};
}

const FunctionDef& f_convolution_2d = function(
    "convolution_2d(x, W, b=None, stride=1, pad=0, cover_all=False, *, dilate=1, groups=1, "
    "cudnn_fast=False)",
    {"x", "W", "b"}, [](const FunctionArguments& a) {
        return convolution_2d(a.array("x"), a.array("W"), a.array("b"), options_from(a));
    });
const FunctionDef& f_convolution_nd =
    function("convolution_nd(x, W, b=None, stride=1, pad=0, cover_all=False, dilate=1, groups=1)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return convolution_nd(a.array("x"), a.array("W"), a.array("b"), options_from(a));
             });
const FunctionDef& f_deconvolution_2d =
    function("deconvolution_2d(x, W, b=None, stride=1, pad=0, outsize=None, *, dilate=1, groups=1)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return deconvolution_2d(a.array("x"), a.array("W"), a.array("b"),
                                         transposed_options_from(a));
             });
const FunctionDef& f_deconvolution_nd =
    function("deconvolution_nd(x, W, b=None, stride=1, pad=0, outsize=None, dilate=1, groups=1)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return deconvolution_nd(a.array("x"), a.array("W"), a.array("b"),
                                         transposed_options_from(a));
             });

}  // namespace

int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool cover_all,
                     int64_t dilate) {
    // Users' options were checked; attributes may come from a file, too.
    constexpr int64_t most = int64_t(1) << 46;
    CATENA_ASSERT(kernel >= 0 && kernel <= most && stride >= 1 && stride <= most && pad >= 0 && pad <= most && dilate >= 1 &&
                      dilate <= (int64_t(1) << 62) / std::max<int64_t>(kernel, 1),
                  "windows step forwards, over sizes that exist");
    int64_t room = size + 2 * pad - (kernel - 1) * dilate - 1;
    if (cover_all) room += stride - 1;
    return room < 0 ? 0 : room / stride + 1;
}

/// Sums and products of two such numbers stay far from the end of 64 bits, and an int32 numbers the elements of a line.
constexpr int64_t most_per_axis = std::numeric_limits<int32_t>::max();

Dims per_axis(const char* op, const char* what, const Dims& dims, int axes, int64_t least) {
    Dims full = dims.rank() == 1 ? Dims::filled(axes, dims[0]) : dims;
    bool good = full.rank() == axes;
    for (int64_t value : full) good &= value >= least;
    if (!good)
        fail<ValueError>("{}: {} is {} and should be {} or more, one for each of {} axes", op, what,
                         to_string(dims), least, axes);
    for (int64_t value : full)
        if (value > most_per_axis)
            fail<ValueError>("{}: {} is {}, at most {} is possible", op, what, to_string(dims), most_per_axis);
    return full;
}

Variable convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options) {
    return convolution("convolution_2d", 2, x, W, b, options);
}
Variable convolution_2d(const Operand& x, const Operand& W, const ConvolutionOptions& options) {
    return convolution("convolution_2d", 2, x, W, Variable(), options);
}
Variable convolution_nd(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options) {
    return convolution("convolution_nd", 0, x, W, b, options);
}
Variable deconvolution_2d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options) {
    return deconvolution("deconvolution_2d", 2, x, W, b, options);
}
Variable deconvolution_2d(const Operand& x, const Operand& W, const DeconvolutionOptions& options) {
    return deconvolution("deconvolution_2d", 2, x, W, Variable(), options);
}
Variable deconvolution_nd(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options) {
    return deconvolution("deconvolution_nd", 0, x, W, b, options);
}

}  // namespace catena
