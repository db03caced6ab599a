#include "runtime/ops/loss/covariance.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/reduced.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

void check_matrix(const char* op, const char* name, const Variable& x) {
    if (!is_float(x.dtype()))
        fail<DtypeError>("{}: {} should be floating point, it is {}", op, name,
                         to_string(x.type()));
    if (x.rank() != 2)
        fail<ShapeError>("{}: {} should be a matrix, it is {}", op, name, to_string(x.shape()));
}

/// The columns of x [N, K] with mean 0.
Variable centred(const Variable& x) {
    const Variable wide = widened(x);
    return wide - mean(wide, 0, true);
}

Variable covariances(const Variable& y, const Variable& z) {
    const AutocastScope wide(Dtype::float32);
    return matmul(y, z, true) * (1.0 / double(std::max<int64_t>(y.shape()[0], 1)));
}

Variable penalty(const Variable& covariance, const std::string& reduce, Dtype dtype) {
    return reduce == "no" ? cast(covariance, dtype) : cast(sum(square(covariance)) * 0.5, dtype);
}

const FunctionDef& f_cross_covariance =
    function("cross_covariance(y, z, reduce='half_squared_sum')", {"y", "z"},
             [](const FunctionArguments& a) {
                 return cross_covariance(a.array("y"), a.array("z"), a.text("reduce"));
             });
const FunctionDef& f_decov =
    function("decov(h, reduce='half_squared_sum')", {"h"},
             [](const FunctionArguments& a) { return decov(a.array("h"), a.text("reduce")); });

}  // namespace

Variable cross_covariance(const Operand& y, const Operand& z, const std::string& reduce) {
    LocationScope scope(y.location());
    const Variable vy = autocast_wide(y), vz = autocast_wide(z);
    check_reduce("cross_covariance", reduce, {"half_squared_sum", "no"});
    check_matrix("cross_covariance", "y", vy);
    check_matrix("cross_covariance", "z", vz);
    if (vy.dtype() != vz.dtype())
        fail<DtypeError>("cross_covariance: y and z should have one dtype, they have {} and {}",
                         name_of(vy.dtype()), name_of(vz.dtype()));
    if (vy.shape()[0] != vz.shape()[0])
        fail<ShapeError>("cross_covariance: y {} and z {} should have one number of rows",
                         to_string(vy.shape()), to_string(vz.shape()));
    return penalty(covariances(centred(vy), centred(vz)), reduce, vy.dtype());
}

Variable decov(const Operand& h, const std::string& reduce) {
    LocationScope scope(h.location());
    const Variable x = autocast_wide(h);
    check_reduce("decov", reduce, {"half_squared_sum", "no"});
    check_matrix("decov", "h", x);
    const Variable around = centred(x), column = counting(0, x.shape()[1], x);
    const Variable diagonal = expand_dims(column, 1) == column;
    return penalty(where(diagonal, 0, covariances(around, around)), reduce, x.dtype());
}

}  // namespace catena
