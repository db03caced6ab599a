#include "runtime/ops/noise/dropconnect.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

void check_connection_ratio(const char* op, const Scalar& ratio) {
    if (!(ratio.value() >= 0 && ratio.value() < 1))
        fail<ValueError>("{}: ratio is {} and should be at least 0 and less than 1", op,
                         ratio.value());
}

void check_weights(const Variable& x, const Variable& W, const Variable& b) {
    if (!is_float(x.dtype()) || !is_float(W.dtype()))
        fail<DtypeError>(
            "simplified_dropconnect: x and W should be floating point, they are {} and {}",
            to_string(x.type()), to_string(W.type()));
    int64_t features = 1;
    for (int i = 1; i < x.rank(); ++i) features *= x.shape()[i];
    if (x.rank() < 2 || W.rank() != 2 || W.shape()[1] != features)
        fail<ShapeError>(
            "simplified_dropconnect: W should be [M,K] for the K features of a sample of x, they "
            "are {} and {}",
            to_string(W.shape()), to_string(x.shape()));
    if (b.defined() && b.shape() != Shape{W.shape()[0]})
        fail<ShapeError>("simplified_dropconnect: b should be [{}], it is {} (W {})", W.shape()[0],
                         to_string(b.shape()), to_string(W.shape()));
}

/// A mask that is not 0 where a weight stays.
Variable mask_of(const Variable& W, int64_t samples, const SimplifiedDropconnectOptions& options) {
    const Shape each{samples, W.shape()[0], W.shape()[1]}, all{W.shape()[0], W.shape()[1]};
    if (!options.mask.defined())
        return random_uniform(options.use_batchwise_mask ? each : all) >= options.ratio;
    if (options.mask.shape() != each && options.mask.shape() != all)
        fail<ShapeError>("simplified_dropconnect: mask should be {} or {}, it is {}",
                         to_string(each), to_string(all), to_string(options.mask.shape()));
    return options.mask;
}

const FunctionDef& f_zoneout =
    function("zoneout(h, x, ratio=0.5)", {"h", "x"}, [](const FunctionArguments& a) {
        return zoneout(a.array("h"), a.array("x"), a.number("ratio"));
    });
const FunctionDef& f_simplified_dropconnect = function(
    "simplified_dropconnect(x, W, b=None, ratio=0.5, train=True, mask=None, "
    "use_batchwise_mask=True)",
    {"x", "W", "b", "mask"}, [](const FunctionArguments& a) {
        return simplified_dropconnect(a.array("x"), a.array("W"), a.array("b"),
                                      {.ratio = a.number("ratio"),
                                       .train = a.flag("train"),
                                       .mask = a.array("mask"),
                                       .use_batchwise_mask = a.flag("use_batchwise_mask")});
    });

}  // namespace

Variable zoneout(const Operand& h, const Operand& x, const Scalar& ratio) {
    LocationScope scope(h.location());
    const Variable before = autocast_wide(h), now = autocast_wide(x);
    check_connection_ratio("zoneout", ratio);
    if (!is_float(now.dtype()) || before.type() != now.type())
        fail<DtypeError>(
            "zoneout: h and x should be floating point and of one type, they are {} and {}",
            to_string(before.type()), to_string(now.type()));
    if (!config().train) return now;
    const DeviceScope beside(now.device());
    return where(random_uniform(now.shape()) >= ratio, now, before);
}

Variable simplified_dropconnect(const Operand& x, const Operand& W, const Operand& b,
                                const SimplifiedDropconnectOptions& options) {
    LocationScope scope(x.location());
    const Variable &vx = x, &weights = W, &vb = b;
    check_connection_ratio("simplified_dropconnect", options.ratio);
    check_weights(vx, weights, vb);
    const int64_t samples = vx.shape()[0];
    if (!options.train && !options.mask.defined())
        return cast(vb.defined() ? linear(vx, weights, vb) : linear(vx, weights), vx.dtype());
    const DeviceScope beside(vx.device());
    const Variable mask = mask_of(weights, samples, options);
    const double factor = options.train ? 1 / (1 - options.ratio.value()) : 1;
    const Variable kept = where(mask, weights * factor, 0);
    const Variable rows = reshape(vx, {samples, weights.shape()[1]});
    // A matrix of weights for each sample, or one for all.
    Variable y = mask.rank() == 3
                     ? reshape(matmul(kept, expand_dims(rows, 2)), {samples, weights.shape()[0]})
                     : matmul(rows, kept, false, true);
    if (vb.defined()) y = y + vb;
    return cast(y, vx.dtype());
}

}  // namespace catena
