#include "runtime/ops/connection/im2col.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

const FunctionDef& f_im2col =
    function("im2col(x, ksize, stride=1, pad=0, cover_all=False, dilate=1)", {"x"},
             [](const FunctionArguments& a) {
                 return im2col(a.array("x"), a.dims("ksize"), a.dims("stride"), a.dims("pad"),
                               a.flag("cover_all"), a.dims("dilate"));
             });

}  // namespace

Variable im2col(const Operand& x, const PerAxis& ksize, const PerAxis& stride, const PerAxis& pad,
                bool cover_all, const PerAxis& dilate) {
    LocationScope scope(x.location());
    const Shape shape = x.variable().shape();
    if (shape.rank() != 4)
        fail<ShapeError>("im2col: x should be [N,C,H,W], it is {}", to_string(shape));
    const Dims kernel = per_axis("im2col", "ksize", ksize, 2, 1),
               step = per_axis("im2col", "stride", stride, 2, 1),
               border = per_axis("im2col", "pad", pad, 2, 0),
               spread = per_axis("im2col", "dilate", dilate, 2, 1);
    Dims before = Dims::filled(4, 0), after = before, positions;
    for (int i = 0; i < 2; ++i) {
        const int64_t size = shape[i + 2];
        const int64_t count =
            window_count(size, kernel[i], step[i], border[i], cover_all, spread[i]);
        if (count < 1)
            fail<ShapeError>("im2col: a window of {} (pad {}, dilate {}) does not fit into x {}",
                             to_string(kernel), to_string(border), to_string(spread),
                             to_string(shape));
        const int64_t reach = (count - 1) * step[i] + (kernel[i] - 1) * spread[i] + 1;
        before[i + 2] = border[i];
        after[i + 2] = std::max<int64_t>(reach - border[i] - size, 0);
        positions.push_back(count);
    }
    const Variable padded = catena::pad(x, before, after, Scalar(false));
    std::vector<Variable> parts;
    for (int64_t i = 0; i < kernel[0]; ++i)
        for (int64_t j = 0; j < kernel[1]; ++j)
            parts.push_back(strided_slice(padded, {0, 0, i * spread[0], j * spread[1]},
                                          {1, 1, step[0], step[1]},
                                          {shape[0], shape[1], positions[0], positions[1]}));
    return reshape(stack(parts, 2),
                   {shape[0], shape[1] * kernel[0] * kernel[1], positions[0], positions[1]});
}

}  // namespace catena
