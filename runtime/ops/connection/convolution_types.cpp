#include "runtime/ops/connection/convolution_types.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/connection/window_count.h"

namespace catena {
namespace {

/// Sizes of positions for x and kernel sizes; ShapeError when no window fits.
Dims positions_of(const Dims& x, const Dims& kernel, const Attributes& a, const std::string& what) {
    for (const char* each : {"stride", "pad", "dilate"})
        CATENA_ASSERT(a.dims(each).rank() == x.rank() && kernel.rank() == x.rank(),
                      "one for each axis");
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
    CATENA_ASSERT(!__builtin_mul_overflow(channels, a.integer("groups"), &all),
                  "channels can be counted");
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

Dtype check_operands(const TypeCall& c, const char* a, const char* b, std::string_view name) {
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

}  // namespace

Dims spatial_sizes(const Shape& shape) { return Dims(std::span(shape.begin() + 2, shape.end())); }

Type convolution_type(const TypeCall& c) {
    const char* name = function_name(c);
    Dtype dtype = check_operands(c, "x", "W", name);
    const Shape &x = c.inputs[0].shape, &W = c.inputs[1].shape;
    int64_t groups = c.attributes.integer("groups");
    const int64_t channels = in_all_groups(W[1], c.attributes);
    if (x[1] != channels)  // convolution_c3
        fail<ShapeError>("{}: W takes {} channels{}, x has {} ({}){}", name, channels,
                         groups > 1 ? fmt::format(" in {} groups", groups) : "", x[1], both(c),
                         channels_last_hint(x, channels));
    if (W[0] % groups != 0)  // convolution_c5
        fail<ShapeError>("{}: W gives {} channels, which {} groups do not divide ({})", name, W[0],
                         groups, both(c));
    return {dtype,
            full_shape(x[0], W[0],
                       positions_of(spatial_sizes(x), spatial_sizes(W), c.attributes, name))};
}

Type biased_convolution_type(const TypeCall& c) {
    Type type = convolution_type(c);
    const Type& b = c.inputs[2];
    if (!(b.shape == Shape{type.shape[1]}))  // convolution_c6
        fail<ShapeError>("{}: b should be [{}], it is {} ({})", function_name(c), type.shape[1],
                         to_string(b.shape), both(c));
    return {promote(type.dtype, b.dtype), type.shape};
}

Types convolution_data_types(const TypeCall& c) {
    Dtype dtype = check_operands(c, "x", "W", c.op.name);
    const Shape &gy = c.inputs[0].shape, &W = c.inputs[1].shape;
    if (gy[1] != W[0])  // deconvolution_c1
        fail<ShapeError>("deconvolution: W takes {} channels, x has {} ({})", W[0], gy[1], both(c));
    const Dims& size = c.attributes.dims("size");
    if (!(positions_of(size, spatial_sizes(W), c.attributes, "deconvolution") ==
          spatial_sizes(gy)))  // deconvolution_c2
        fail<ShapeError>("deconvolution: an output of {} does not come from x ({})",
                         to_string(size), both(c));
    return {{dtype, full_shape(gy[0], in_all_groups(W[1], c.attributes), size)}};
}

Types convolution_weights_types(const TypeCall& c) {
    Dtype dtype = check_operands(c, "x", "gy", c.op.name);
    const Shape &x = c.inputs[0].shape, &gy = c.inputs[1].shape;
    const Dims& size = c.attributes.dims("size");
    if (x[0] != gy[0] ||
        !(positions_of(spatial_sizes(x), size, c.attributes, c.op.name) == spatial_sizes(gy)))
        fail<ShapeError>("{}: x and gy do not belong together ({})", c.op.name, both(c, "x", "gy"));
    return {{dtype, full_shape(gy[1], x[1] / c.attributes.integer("groups"), size)}};
}

}  // namespace catena
