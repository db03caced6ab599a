#include "runtime/ops/connection/local_convolution.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/connection/im2col.h"
#include "runtime/ops/math/linalg/einsum.h"

namespace catena {
namespace {

const FunctionDef& f_depthwise =
    function("depthwise_convolution_2d(x, W, b=None, stride=1, pad=0)", {"x", "W", "b"},
             [](const FunctionArguments& a) {
                 return depthwise_convolution_2d(a.array("x"), a.array("W"), a.array("b"),
                                                 a.dims("stride"), a.dims("pad"));
             });
const FunctionDef& f_local = function(
    "local_convolution_2d(x, W, b=None, stride=1)", {"x", "W", "b"},
    [](const FunctionArguments& a) {
        return local_convolution_2d(a.array("x"), a.array("W"), a.array("b"), a.dims("stride"));
    });
const FunctionDef& f_shift =
    function("shift(x, ksize=3, dilate=1)", {"x"}, [](const FunctionArguments& a) {
        return shift(a.array("x"), a.dims("ksize"), a.dims("dilate"));
    });

}  // namespace

Variable depthwise_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                                  const PerAxis& stride, const PerAxis& pad) {
    LocationScope scope(x.location());
    const Shape &from = x.variable().shape(), &w = W.variable().shape();
    if (from.rank() != 4 || w.rank() != 4 || w[1] != from[1])
        fail<ShapeError>(
            "depthwise_convolution_2d: x should be [N,C,H,W] and W [M,C,kh,kw], they are {} and {}",
            to_string(from), to_string(w));
    const Variable filters = reshape(transpose(W, {1, 0, 2, 3}), {w[0] * w[1], 1, w[2], w[3]});
    return convolution_2d(x, filters, b, {.stride = stride, .pad = pad, .groups = from[1]});
}

Variable local_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                              const PerAxis& stride) {
    LocationScope scope(x.location());
    const Shape &from = x.variable().shape(), &w = W.variable().shape();
    if (from.rank() != 4 || w.rank() != 6 || w[3] != from[1])
        fail<ShapeError>(
            "local_convolution_2d: x should be [N,C,H,W] and W [O,positions down,positions "
            "across,C,kh,kw], they are {} and {}",
            to_string(from), to_string(w));
    if (!is_float(x.variable().dtype()) || !is_float(W.variable().dtype()))
        fail<DtypeError>(
            "local_convolution_2d: x and W should be floating point, they are {} and {}",
            to_string(x.variable().type()), to_string(W.variable().type()));
    const Variable columns = im2col(x, Dims{w[4], w[5]}, stride);
    const Shape& at = columns.shape();
    if (w[1] != at[2] || w[2] != at[3])
        fail<ShapeError>(
            "local_convolution_2d: W {} has filters for {} x {} positions, x {} has {} x {}",
            to_string(w), w[1], w[2], to_string(from), at[2], at[3]);
    const Variable filters = reshape(W, {w[0], w[1], w[2], w[3] * w[4] * w[5]});
    const Variable y = einsum("nfhw,ohwf->nohw", {columns, filters});
    const Variable& bias = b;
    if (!bias.defined()) return y;
    if (bias.shape() != Shape{w[0], w[1], w[2]})
        fail<ShapeError>("local_convolution_2d: b should be [{},{},{}], it is {} (W {})", w[0],
                         w[1], w[2], to_string(bias.shape()), to_string(w));
    return y + bias;
}

Variable shift(const Operand& x, const PerAxis& ksize, const PerAxis& dilate) {
    LocationScope scope(x.location());
    const Shape shape = x.variable().shape();
    if (shape.rank() != 4)
        fail<ShapeError>("shift: x should be [N,C,H,W], it is {}", to_string(shape));
    const Dims size = per_axis("shift", "ksize", ksize, 2, 1),
               step = per_axis("shift", "dilate", dilate, 2, 1);
    if (size[0] % 2 == 0 || size[1] % 2 == 0)
        fail<ValueError>("shift: ksize is {} and should be odd", to_string(size));
    const Dims border{0, 0, size[0] / 2 * step[0], size[1] / 2 * step[1]};
    const Variable padded = catena::pad(x, border, border, Scalar(false));
    const int64_t groups = size[0] * size[1], each = shape[1] / groups, middle = groups / 2;
    std::vector<Variable> parts;
    for (int64_t i = 0; i < groups; ++i) {
        const int64_t place = i == middle ? groups - 1 : i == groups - 1 ? middle : i;
        const int64_t channels = i + 1 < groups ? each : shape[1] - i * each;
        // Moved down by d rows: row r is row r - d, and the padding before them is as large as the
        // largest d.
        const int64_t down = (place / size[1] - size[0] / 2) * step[0],
                      right = (place % size[1] - size[1] / 2) * step[1];
        parts.push_back(strided_slice(padded, {0, i * each, border[2] - down, border[3] - right},
                                      {1, 1, 1, 1}, {shape[0], channels, shape[2], shape[3]}));
    }
    return concat(parts, 1);
}

}  // namespace catena
