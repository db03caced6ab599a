#include "runtime/ops/spatial/deformable_convolution.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/spatial/sampling.h"

namespace catena {
namespace {

constexpr const char* name = "deformable_convolution_2d_sampler";

void check(const Variable& x, const Variable& offset, const Variable& W, const Variable& b) {
    for (const Variable& each : {x, offset, W})
        if (!is_float(each.dtype()))
            fail<DtypeError>("{}: takes floating point values; x is {}, offset {} and W {}", name,
                             to_string(x.type()), to_string(offset.type()), to_string(W.type()));
    const Shape &s = x.shape(), &o = offset.shape(), &w = W.shape();
    if (s.rank() != 4 || w.rank() != 4 || w[1] != s[1])
        fail<ShapeError>("{}: x should be [N, C, H, W] and W [O, C, kh, kw], they are {} and {}",
                         name, to_string(s), to_string(w));
    if (o.rank() != 4 || o[0] != s[0] || o[1] != 2 * w[2] * w[3])
        fail<ShapeError>(
            "{}: offset should be [{}, {}, positions down, positions across], it is {} (W {})",
            name, s[0], 2 * w[2] * w[3], to_string(o), to_string(w));
    if (s[2] < 1 || s[3] < 1) fail<ShapeError>("{}: x {} has no pixels", name, to_string(s));
    if (b.defined() && b.shape() != Shape{w[0]})
        fail<ShapeError>("{}: b should be [{}], it is {}", name, w[0], to_string(b.shape()));
}

/// Places of the windows' elements along one axis, in pixels: step between positions times position
/// plus the element's own. [1, elements, positions down, positions across] as it broadcasts.
Variable regular_places(const Shape& W, const Shape& offset, int axis, int64_t stride,
                        const Variable& like) {
    const int64_t kh = W[2], kw = W[3];
    std::vector<double> elements, positions;
    for (int64_t i = 0; i < kh * kw; ++i) elements.push_back(double(axis == 0 ? i / kw : i % kw));
    for (int64_t i = 0; i < offset[2 + axis]; ++i) positions.push_back(double(i * stride));
    Shape along{1, 1, 1, 1};
    along[2 + axis] = offset[2 + axis];
    return cast(constant(elements, {1, kh * kw, 1, 1}, like), like.dtype()) +
           cast(constant(positions, along, like), like.dtype());
}

/// Places in [-1, 1], where these are the centres of the outermost pixels, from places in pixels.
Variable on_grid(const Variable& places, int64_t size) {
    return places * (2.0 / double(std::max<int64_t>(size - 1, 1))) - 1;
}

const FunctionDef& f_deformable = function(
    "deformable_convolution_2d_sampler(x, offset, W, b=None, stride=1, pad=0)",
    {"x", "offset", "W", "b"}, [](const FunctionArguments& a) {
        return deformable_convolution_2d_sampler(a.array("x"), a.array("offset"), a.array("W"),
                                                 a.array("b"), a.dims("stride"), a.dims("pad"));
    });

}  // namespace

Variable deformable_convolution_2d_sampler(const Operand& x, const Operand& offset,
                                           const Operand& W, const Operand& b,
                                           const PerAxis& stride, const PerAxis& pad_sizes) {
    LocationScope scope(x.location());
    const Variable &images = x, &moved = offset, &weights = W, &shift = b;
    check(images, moved, weights, shift);
    const Dims step = per_axis(name, "stride", stride, 2, 1),
               border = per_axis(name, "pad", pad_sizes, 2, 0);
    const Shape &w = weights.shape(), &to = moved.shape();
    const int64_t n = to[0], elements = w[2] * w[3], positions = to[2] * to[3];
    const DeviceScope beside(images.device());
    const Dims around{0, 0, border[0], border[1]};
    const Variable padded = pad(widened(images), around, around), offsets = widened(moved);
    std::vector<Variable> grid;
    for (int axis : {1, 0}) {
        const Variable places = slice_axis(offsets, 1, axis == 1 ? 0 : elements, elements) +
                                regular_places(w, to, axis, step[axis], offsets);
        grid.push_back(
            reshape(on_grid(places, padded.shape()[2 + axis]), {n, elements * positions}));
    }
    const Variable read = grid_sample(padded, stack(grid, 2), {});  // [N, C, elements positions]
    Variable y = matmul(reshape(widened(weights), {w[0], w[1] * elements}),
                        reshape(read, {n, w[1] * elements, positions}));
    y = reshape(y, {n, w[0], to[2], to[3]});
    if (shift.defined()) y = y + reshape(widened(shift), {1, w[0], 1, 1});
    return cast(y, images.dtype());
}

}  // namespace catena
