#include "runtime/ops/normalization/decorrelated.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/matrix_root.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/statistics.h"

namespace catena {
namespace {

void check_decorrelated(const char* op, const Variable& x, int64_t groups) {
    if (!is_float(x.dtype()))
        fail<DtypeError>("{}: x should be floating point, it is {}", op, to_string(x.type()));
    if (x.rank() < 2 || groups < 1 || x.shape()[1] % groups != 0)
        fail<ShapeError>("{}: {} groups should divide the channels of x [N, C, ...], which is {}",
                         op, groups, to_string(x.shape()));
}

void check_part(const char* op, const char* name, const Variable& part, const Shape& shape) {
    if (!is_float(part.dtype()) || part.shape() != shape)
        fail<ShapeError>("{}: {} should be floating point {}, it is {}", op, name, to_string(shape),
                         to_string(part.type()));
}

/// The order of the axes with the channels first.
Axes order_of(const Variable& x) {
    Axes order{1, 0};
    for (int i = 2; i < x.rank(); ++i) order.push_back(i);
    return order;
}
/// [groups, c, elements of a channel]
Variable in_groups(const Variable& x, int64_t groups) {
    const int64_t channels = x.shape()[1];
    int64_t each = 1;
    for (int i = 0; i < x.rank(); ++i)
        if (i != 1) each *= x.shape()[i];
    return reshape(transpose(x, order_of(x)), {groups, channels / groups, each});
}
Variable from_groups(const Variable& y, const Variable& x) {
    Shape shape{x.shape()[1], x.shape()[0]};
    for (int i = 2; i < x.rank(); ++i) shape.push_back(x.shape()[i]);
    return transpose(reshape(y, shape), order_of(x));
}

Variable identity_matrix(int64_t n, const Variable& like) {
    std::vector<double> values(size_t(n * n));
    for (int64_t i = 0; i < n; ++i) values[size_t(i * n + i)] = 1;
    return cast(constant(values, {n, n}, like), like.dtype());
}

constexpr const char* name = "decorrelated_batch_normalization";
constexpr const char* fixed_name = "fixed_decorrelated_batch_normalization";

const FunctionDef& f_decorrelated = function(
    "decorrelated_batch_normalization(x, *, groups=16, eps=2e-05, running_mean=None, "
    "running_projection=None, decay=0.9)",
    {"x", "running_mean", "running_projection"}, [](const FunctionArguments& a) {
        return decorrelated_batch_normalization(
            a.array("x"), {.groups = a.integer("groups"),
                           .eps = a.number("eps"),
                           .running_mean = a.array("running_mean"),
                           .running_projection = a.array("running_projection"),
                           .decay = a.number("decay")});
    });
const FunctionDef& f_fixed =
    function("fixed_decorrelated_batch_normalization(x, mean, projection, groups=16)",
             {"x", "mean", "projection"}, [](const FunctionArguments& a) {
                 return fixed_decorrelated_batch_normalization(
                     a.array("x"), a.array("mean"), a.array("projection"), a.integer("groups"));
             });

}  // namespace

Decorrelated decorrelated(const Variable& x, int64_t groups, const Scalar& eps) {
    check_decorrelated(name, x, groups);
    const Variable wide = in_groups(widened(x), groups);
    const int64_t c = wide.shape()[1];
    const double count = double(wide.shape()[2]);
    if (count == 0)
        fail<ShapeError>("{}: x {} has no elements to normalise", name, to_string(x.shape()));
    const Variable centre = mean(wide, {2}), centred = wide - expand_dims(centre, 2);
    const Variable covariance =
        matmul(centred, centred, false, true) / count + identity_matrix(c, wide) * eps;
    const Variable projection = inverse_square_root(covariance);
    return {cast(from_groups(matmul(projection, centred), x), x.dtype()), centre, projection,
            count};
}

Variable decorrelated_batch_normalization(const Operand& operand, const DecorrelatedOptions& o) {
    LocationScope scope(operand.location());
    const Variable& x = operand;
    check_decorrelated(name, x, o.groups);
    const int64_t c = x.shape()[1] / o.groups;
    if (o.running_mean.defined()) check_part(name, "running_mean", o.running_mean, {o.groups, c});
    if (o.running_projection.defined())
        check_part(name, "running_projection", o.running_projection, {o.groups, c, c});
    const Decorrelated batch = decorrelated(x, o.groups, o.eps);
    const auto mode = no_backprop_mode();
    if (o.running_mean.defined()) update_statistic(o.running_mean, batch.mean, o.decay);
    if (o.running_projection.defined())
        update_statistic(o.running_projection, batch.projection * unbiased(batch.count), o.decay);
    return batch.y;
}

Variable fixed_decorrelated_batch_normalization(const Operand& operand, const Operand& mean,
                                                const Operand& projection, int64_t groups) {
    LocationScope scope(operand.location());
    const Variable &x = operand, &centre = mean, &turned = projection;
    check_decorrelated(fixed_name, x, groups);
    const int64_t c = x.shape()[1] / groups;
    check_part(fixed_name, "mean", centre, {groups, c});
    check_part(fixed_name, "projection", turned, {groups, c, c});
    const Variable centred = in_groups(widened(x), groups) - expand_dims(widened(centre), 2);
    return cast(from_groups(matmul(widened(turned), centred), x), x.dtype());
}

}  // namespace catena
