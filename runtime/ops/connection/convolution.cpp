#include "runtime/ops/connection/convolution.h"

#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/convolution/prepared_convolution.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/connection/convolution_block.h"
#include "runtime/ops/connection/convolution_elements.h"
#include "runtime/ops/connection/convolution_onnx.h"
#include "runtime/ops/connection/convolution_order.h"
#include "runtime/ops/connection/convolution_statistics.h"
#include "runtime/ops/connection/convolution_steps.h"
#include "runtime/ops/connection/convolution_tail.h"
#include "runtime/ops/connection/convolution_types.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/measured.h"
#include "runtime/ops/declare/preparation.h"
#include "runtime/ops/declare/tail.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

// Three bilinear operations, closed under differentiation:
//   convolution          x, W  -> y
//   convolution_data     gy, W -> gx   (also deconvolution; "size" is the spatial size of gx)
//   convolution_weights  x, gy -> gW   ("size" is the spatial size of gW)
// All have the attributes of the convolution that they belong to, so one set of attributes serves
// all.

Attributes with_size(const Attributes& a, const Dims* size) {
    const Attributes::Entry stride{"stride", a.dims("stride")}, pad{"pad", a.dims("pad")},
        dilate{"dilate", a.dims("dilate")}, groups{"groups", a.integer("groups")},
        cover_all{"cover_all", a.flag("cover_all")};
    return size ? Attributes{stride, pad, dilate, groups, cover_all, {"size", *size}}
                : Attributes{stride, pad, dilate, groups, cover_all};
}

// Declared before the ops, which refer to each other.
const OpDef& tailed_convolution();
const OpDef& convolution_block();
const OpDef& measured_convolution();
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
    if (c.needs(0))
        gx[0] = data_of(c.gy(), c.x(1), c.attributes(), spatial_sizes(c.x_type(0).shape));
    if (c.needs(1))
        gx[1] = weights_of(c.x(0), c.gy(), c.attributes(), spatial_sizes(c.x_type(1).shape));
    if (c.input_count() > 2 && c.needs(2)) {
        Axes axes{0};
        for (int i = 2; i < c.y_type().shape.rank(); ++i) axes.push_back(i);
        gx[2] = sum(c.gy(), axes);
    }
    return as_inputs(c, std::move(gx));
}

/// Weights, too, lie like the images that they meet: vendor libraries want it so.
constexpr ImageOperands all_images{.inputs = 3, .outputs = 1};

/// The kernels below, for programs.
Preparation prepared(ConvolutionDirection direction) {
    return [=](const KernelCall& c) {
        return prepare_convolution(direction, window_steps(c.attributes), c);
    };
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
    .declared = {library_role(LibraryRole::convolution),
                 preparation(prepared(ConvolutionDirection::forward)),
                 channels_last_rule(convolution_order(ConvolutionDirection::forward, 1, 1)),
                 image_operands(all_images), in_autocast(Autocast::narrow),
                 tailed_by(tailed_convolution), measured_by(measured_convolution, measuring_pays),
                 element_text(convolution_elements())},
});

const OpDef& op_tailed_convolution = define_tailed_convolution(op_convolution, convolution_block);
const OpDef& op_convolution_block = define_convolution_block(op_tailed_convolution);
const OpDef& op_measured_convolution = define_measured_convolution(op_convolution);
const OpDef& tailed_convolution() { return op_tailed_convolution; }
const OpDef& convolution_block() { return op_convolution_block; }
const OpDef& measured_convolution() { return op_measured_convolution; }

const OpDef& op_convolution_data = register_op({
    .name = "convolution_data",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = convolution_data_types,
    .kernel =
        [](const KernelCall& c) {
            convolve_data(c.inputs[0], c.inputs[1], window_steps(c.attributes), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& c) {
            Variables gx(2);
            if (c.needs(0)) gx[0] = convolve_variables(c.gy(), c.x(1), c.attributes());
            if (c.needs(1))
                gx[1] =
                    weights_of(c.gy(), c.x(0), c.attributes(), spatial_sizes(c.x_type(1).shape));
            return as_inputs(c, std::move(gx));
        },
    .reads = reads_other,
    .onnx = write_deconvolution,
    .declared = {library_role(LibraryRole::convolution_data),
                 preparation(prepared(ConvolutionDirection::data)),
                 channels_last_rule(convolution_order(ConvolutionDirection::data, 1, 1)),
                 image_operands(all_images), in_autocast(Autocast::narrow),
                 element_text(convolution_data_elements())},
});

const OpDef& op_convolution_weights = register_op({
    .name = "convolution_weights",
    .kind = Kind::window,
    .input_count = 2,
    .differentiable = true,
    .type = convolution_weights_types,
    .kernel =
        [](const KernelCall& c) {
            convolve_weights(c.inputs[0], c.inputs[1], window_steps(c.attributes), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& c) {
            Variables gx(2);
            if (c.needs(0))
                gx[0] = data_of(c.x(1), c.gy(), c.attributes(), spatial_sizes(c.x_type(0).shape));
            if (c.needs(1)) gx[1] = convolve_variables(c.x(0), c.gy(), c.attributes());
            return as_inputs(c, std::move(gx));
        },
    .reads = reads_other,
    .declared = {library_role(LibraryRole::convolution_weights),
                 preparation(prepared(ConvolutionDirection::weights)),
                 channels_last_rule(convolution_order(ConvolutionDirection::weights, 3, 0)),
                 image_operands(all_images), in_autocast(Autocast::narrow),
                 element_text(convolution_weights_elements())},
});

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
    .type = [](const TypeCall& c) { return Types{biased_convolution_type(c)}; },
    .kernel =
        [](const KernelCall& c) {
            convolve(c.inputs[0], c.inputs[1], c.inputs[2], window_steps(c.attributes),
                     c.outputs[0]);
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
    .declared = {preparation(prepared(ConvolutionDirection::forward)),
                 in_autocast(Autocast::narrow)},
});

Variable convolve_variables(const Variable& x, const Variable& W, const Attributes& a) {
    return call(op_convolution, known_location(), with_size(a, nullptr), {}, x, W);
}
Variable data_of(const Variable& gy, const Variable& W, const Attributes& a, const Dims& size) {
    return call(op_convolution_data, known_location(), with_size(a, &size), {}, gy, W);
}
Variable weights_of(const Variable& x, const Variable& gy, const Attributes& a, const Dims& size) {
    return call(op_convolution_weights, known_location(), with_size(a, &size), {}, x, gy);
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
            size.push_back(sum_of_sizes(
                name,
                {product_of_sizes(name, {stride[i], vx.shape()[i + 2] - 1}),
                 product_of_sizes(name, {vW.shape()[i + 2] - 1, dilate[i]}), 1, -2 * pad[i]}));
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

}  // namespace

int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool cover_all,
                     int64_t dilate) {
    // Users' options were checked; attributes may come from a file, too.
    constexpr int64_t most = int64_t(1) << 46;
    CATENA_ASSERT(kernel >= 0 && kernel <= most && stride >= 1 && stride <= most && pad >= 0 &&
                      pad <= most && dilate >= 1 &&
                      dilate <= (int64_t(1) << 62) / std::max<int64_t>(kernel, 1),
                  "windows step forwards, over sizes that exist");
    int64_t room = size + 2 * pad - (kernel - 1) * dilate - 1;
    if (cover_all) room += stride - 1;
    return room < 0 ? 0 : room / stride + 1;
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
