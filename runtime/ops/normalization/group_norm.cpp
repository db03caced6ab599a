#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena {
namespace {

void check_group_norm(const Variable& x, int64_t groups, const Variable& gamma,
                      const Variable& beta) {
    for (const Variable* each : {&x, &gamma, &beta})
        if (!is_float(each->dtype()))
            fail<DtypeError>(
                "group_normalization: x, gamma and beta should be floating point, one is {}",
                to_string(each->type()));
    if (x.rank() < 2)
        fail<ShapeError>("group_normalization: x should be [N,C,...], it is {}",
                         to_string(x.shape()));
    const int64_t channels = x.shape()[1];
    if (groups < 1 || channels % groups != 0)
        fail<ValueError>("group_normalization: {} groups do not divide the {} channels of x {}",
                         groups, channels, to_string(x.shape()));
    for (const Variable* each : {&gamma, &beta})
        if (each->shape() != Shape{channels})
            fail<ShapeError>(
                "group_normalization: gamma and beta should be [{}], they are {} and {} (x {})",
                channels, to_string(gamma.shape()), to_string(beta.shape()), to_string(x.shape()));
}

const FunctionDef& f_group_normalization =
    function("group_normalization(x, groups, gamma, beta, eps=1e-05)", {"x", "gamma", "beta"},
             [](const FunctionArguments& a) {
                 return group_normalization(a.array("x"), a.integer("groups"), a.array("gamma"),
                                            a.array("beta"), a.number("eps"));
             });

}  // namespace

Variable group_normalization(const Operand& x, int64_t groups, const Operand& gamma,
                             const Operand& beta, const Scalar& eps) {
    LocationScope scope(x.location());
    const Variable &vx = x, &vgamma = gamma, &vbeta = beta;
    check_group_norm(vx, groups, vgamma, vbeta);
    const DeviceScope beside(vx.device());
    const Shape& shape = vx.shape();
    int64_t size = shape[1] / groups;
    for (int i = 2; i < shape.rank(); ++i) size *= shape[i];
    // A group is a row of layer_normalization, which has a kernel; gamma and beta are of channels,
    // not of its columns.
    const Variable rows = reshape(widened(vx), {shape[0] * groups, size});
    const Type columns{rows.dtype(), {size}};
    const Variable normal =
        reshape(layer_normalization(rows, fill(columns, 1), fill(columns, 0), eps), shape);
    Shape channels = Shape::filled(shape.rank(), 1);
    channels[1] = shape[1];
    return cast(normal * reshape(widened(vgamma), channels) + reshape(widened(vbeta), channels),
                vx.dtype());
}

}  // namespace catena
