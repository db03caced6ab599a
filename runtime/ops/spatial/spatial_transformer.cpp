#include "runtime/ops/spatial/spatial_transformer.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/spatial/sampling.h"

namespace catena {
namespace {

const FunctionDef& f_spatial_transformer_grid = function(
    "spatial_transformer_grid(theta, output_shape)", {"theta"}, [](const FunctionArguments& a) {
        return spatial_transformer_grid(a.array("theta"), a.dims("output_shape"));
    });
const FunctionDef& f_spatial_transformer_sampler =
    function("spatial_transformer_sampler(x, grid)", {"x", "grid"}, [](const FunctionArguments& a) {
        return spatial_transformer_sampler(a.array("x"), a.array("grid"));
    });

}  // namespace

Variable spatial_transformer_grid(const Operand& theta, const Dims& output_shape) {
    LocationScope scope(theta.location());
    const Variable& maps = theta;
    check_float("spatial_transformer_grid", "theta", maps.type());
    if (maps.rank() != 3 || maps.shape()[1] != 2 || maps.shape()[2] != 3)
        fail<ShapeError>("spatial_transformer_grid: theta should be [B,2,3], it is {}",
                         to_string(maps.shape()));
    if (output_shape.rank() != 2 || output_shape[0] < 1 || output_shape[1] < 1)
        fail<ValueError>(
            "spatial_transformer_grid: output_shape is {} and should be two positive sizes",
            to_string(output_shape));
    const DeviceScope beside(maps.device());
    return reshape(affine_grid(maps, output_shape, true),
                   {maps.shape()[0], 2, output_shape[0], output_shape[1]});
}

Variable spatial_transformer_sampler(const Operand& x, const Operand& grid) {
    LocationScope scope(x.location());
    const Variable &images = x, &places = grid;
    check_float("spatial_transformer_sampler", "x", images.type());
    check_float("spatial_transformer_sampler", "grid", places.type());
    const Shape &from = images.shape(), &to = places.shape();
    if (from.rank() != 4 || to.rank() != 4 || to[0] != from[0] || to[1] != 2)
        fail<ShapeError>(
            "spatial_transformer_sampler: x should be [B,C,H,W] and grid [B,2,H2,W2], they are {} "
            "and {}",
            to_string(from), to_string(to));
    if (from[2] < 1 || from[3] < 1)
        fail<ShapeError>("spatial_transformer_sampler: x {} has no pixels", to_string(from));
    const DeviceScope beside(images.device());
    const Variable flat = transpose(reshape(widened(places), {to[0], 2, to[2] * to[3]}), {0, 2, 1});
    const Variable y = grid_sample(widened(images), flat, {});
    return cast(reshape(y, {from[0], from[1], to[2], to[3]}), images.dtype());
}

}  // namespace catena
