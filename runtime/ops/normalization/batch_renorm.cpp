#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/normalization/statistics.h"

namespace catena {
namespace {

void check_batch_renorm(const Variable& x, const Shape& keys, const char* name,
                        const Variable& given) {
    if (!is_float(x.dtype()) || !is_float(given.dtype()))
        fail<DtypeError>(
            "batch_renormalization: x and {} should be floating point, they are {} and {}", name,
            to_string(x.type()), to_string(given.type()));
    if (given.shape() != keys)
        fail<ShapeError>("batch_renormalization: {} should be {}, it is {} (x {})", name,
                         to_string(keys), to_string(given.shape()), to_string(x.shape()));
}

/// How the batch differs from the running statistics, within limits.
struct Correction {
    Variable r, d;

    Correction(const Variable& mean, const Variable& std, const Variable& running_mean,
               const Variable& running_std, double rmax, double dmax) {
        auto mode = no_backprop_mode();
        r = clip(std / running_std, 1 / rmax, rmax);
        d = clip((mean - running_mean) / running_std, -dmax, dmax);
    }
};

const FunctionDef& f_batch_renormalization = function(
    "batch_renormalization(x, gamma, beta, rmax, dmax, eps=2e-05, running_mean=None, "
    "running_var=None, "
    "decay=0.9, update_statistics=False)",
    {"x", "gamma", "beta", "running_mean", "running_var"}, [](const FunctionArguments& a) {
        for (const char* name : {"running_mean", "running_var"})
            if (!a.array(name).defined())
                fail<ValueError>("batch_renormalization: {} is missing", name);
        return batch_renormalization(a.array("x"), a.array("gamma"), a.array("beta"),
                                     a.number("rmax"), a.number("dmax"), a.array("running_mean"),
                                     a.array("running_var"),
                                     {.eps = a.number("eps"),
                                      .decay = a.number("decay"),
                                      .update_statistics = a.flag("update_statistics")});
    });

// In test mode there is nothing to correct.

/// batch_renormalization in prediction, where nothing is to be corrected:
/// fixed_batch_normalization.
/// - x: (N, C, ...).
/// - gamma: Factors, with the axes of x from 1 on: (C).
/// - beta: Added at the end, of gamma's shape.
/// - mean: Of gamma's shape.
/// - var: The variances, of gamma's shape.
/// - eps: Added to the variance.
const FunctionDef& f_fixed_batch_renormalization =
    function("fixed_batch_renormalization(x, gamma, beta, mean, var, eps=2e-05)",
             {"x", "gamma", "beta", "mean", "var"}, [](const FunctionArguments& a) {
                 return fixed_batch_normalization(a.array("x"), a.array("gamma"), a.array("beta"),
                                                  a.array("mean"), a.array("var"), a.number("eps"));
             });

}  // namespace

Variable batch_renormalization(const Operand& x, const Operand& gamma, const Operand& beta,
                               const Scalar& rmax, const Scalar& dmax, const Operand& running_mean,
                               const Operand& running_var,
                               const BatchRenormalizationOptions& options) {
    LocationScope scope(x.location());
    const Variable &vx = x, &old_mean = running_mean, &old_var = running_var;
    const Axes axes = normalized_axes("batch_renormalization", {}, vx, gamma);
    const Shape keys = key_shape(vx.shape(), axes), beside = expanded(vx.shape(), axes);
    check_batch_renorm(vx, keys, "gamma", gamma);
    check_batch_renorm(vx, keys, "beta", beta);
    check_batch_renorm(vx, keys, "running_mean", old_mean);
    check_batch_renorm(vx, keys, "running_var", old_var);
    if (!(rmax.value() >= 1) || !(dmax.value() >= 0))
        fail<ValueError>(
            "batch_renormalization: rmax is {} and dmax {}; they should be at least 1 and 0",
            rmax.value(), dmax.value());
    const Variable wide = widened(vx), centre = mean(wide, axes),
                   centred = wide - reshape(centre, beside);
    const Variable spread = mean(square(centred), axes), std = sqrt(spread + options.eps);
    const Correction c(centre, std, widened(old_mean), sqrt(widened(old_var) + options.eps),
                       rmax.value(), dmax.value());
    const Variable renormal = centred * reshape(c.r / std, beside) + reshape(c.d, beside);
    const Variable y = renormal * reshape(widened(gamma), beside) + reshape(widened(beta), beside);
    if (options.update_statistics) {
        auto mode = no_backprop_mode();
        update_statistic(old_mean, centre, options.decay);
        update_statistic(old_var, spread * unbiased(count_of(vx.shape(), axes)), options.decay);
    }
    return cast(y, vx.dtype());
}

}  // namespace catena
