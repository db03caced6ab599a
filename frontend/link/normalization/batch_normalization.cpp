#include "frontend/link/normalization/batch_normalization.h"

#include <algorithm>
#include <mutex>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/core/system/notice.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/settings/mixed16.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/communication/communication.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena {
namespace {

/// Axes of x that `axis` (or Chainer's rule for a gamma of `keys` dimensions) normalises over.
Axes reduced_axes(const Axes& axis, int keys, int rank) {
    if (!axis.empty()) return normalize_axes("BatchNormalization", axis, rank, false);
    Axes axes{0};
    for (int i = keys + 1; i < rank; ++i) axes.push_back(i);
    return axes;
}

}  // namespace

BatchNormalization::BatchNormalization(Shape size, const BatchNormalizationLinkOptions& options)
    : gamma(options.initial_gamma),
      beta(options.initial_beta),
      N(Array::zeros({Dtype::int64, {}})),
      options_(options),
      decay_(options.decay, "decay") {
    if (size.empty() && options.axis.empty())
        fail<ValueError>("BatchNormalization: needs the size, or the axes to normalise over");
    if (options.use_gamma) add_param("gamma", gamma);
    if (options.use_beta) add_param("beta", beta);
    add_persistent("avg_mean", avg_mean);
    add_persistent("avg_var", avg_var);
    add_persistent("N", N);
    if (!size.empty()) initialize(size);
}

void BatchNormalization::initialize(const Shape& size) {
    auto scope = using_config(&Config::dtype, options_.dtype.value_or(high_precision_dtype()));
    RecorderScope paused(nullptr);
    if (options_.use_gamma) gamma.initialize(size);
    if (options_.use_beta) beta.initialize(size);
    avg_mean.set_array(options_.initial_avg_mean({config().dtype, size}).to(avg_mean.home()));
    avg_var.set_array(options_.initial_avg_var({config().dtype, size}).to(avg_var.home()));
}

Variable BatchNormalization::operator()(const Operand& operand, bool finetune) {
    LocationScope scope(operand.location());
    const Variable& x = operand;
    if (!avg_mean.is_initialized()) {
        Axes axes = reduced_axes(options_.axis, 0, x.rank());
        Shape size;
        for (int i = 0; i < x.rank(); ++i)
            if (!axes.contains(i)) size.push_back(x.shape()[i]);
        initialize(size);
    }
    return called(x, [&] { return normalized(x, finetune); });
}

Variable BatchNormalization::normalized(const Variable& x, bool finetune) {
    Variable scale = options_.use_gamma ? Variable(gamma) : fill(avg_mean.type(), 1);
    Variable shift = options_.use_beta ? Variable(beta) : fill(avg_mean.type(), 0);
    if (!config().train)
        return fixed_batch_normalization(x, scale, shift, avg_mean, avg_var, options_.eps,
                                         options_.axis);
    return normalized_by_batch(x, scale, shift, finetune);
}

/// Says that all results are zero, once for a process, as a network of such layers would say it at
/// every call.
static void say_that_all_is_zero(const Shape& shape) {
    if (is_quiet()) return;
    static std::once_flag said;
    std::call_once(said, [&] {
        say(LogLevel::warning,
            fmt::format("BatchNormalization: x {} has one value for each mean, so that in training "
                        "mode the result is beta whatever x is; give it a larger batch, or use "
                        "test mode: using_config(&Config::train, false)",
                        to_string(shape)));
    });
}

Variable BatchNormalization::normalized_by_batch(const Variable& x, const Variable& scale,
                                                 const Variable& shift, bool finetune) {
    if (communicator_) return normalized_by_all_ranks(x, scale, shift, finetune);
    if (x.size() > 0 && x.size() == avg_mean.size()) say_that_all_is_zero(x.shape());
    if (finetune) {
        follow_all_batches(x);
        return batch_normalization(x, scale, shift, {.eps = options_.eps, .axis = options_.axis});
    }
    return batch_normalization(x, scale, shift,
                               {.eps = options_.eps,
                                .running_mean = avg_mean,
                                .running_var = avg_var,
                                .decay = decay_,
                                .axis = options_.axis});
}

void BatchNormalization::follow_all_batches(const Variable& x) {
    auto no_graph = no_backprop_mode();
    Axes axes = reduced_axes(options_.axis, avg_mean.rank(), x.rank());
    assign(N, N + 1);
    Variable part = 1.0 / cast(N, avg_mean.dtype());
    double count = double(x.size()) / double(std::max<int64_t>(avg_mean.size(), 1));
    Variable wide = cast(x, avg_mean.dtype());
    Variable unbiased = variance(wide, axes) * (count / std::max(count - 1, 1.0));
    assign(avg_mean, avg_mean + (mean(wide, axes) - avg_mean) * part);
    assign(avg_var, avg_var + (unbiased - avg_var) * part);
}

Variable BatchNormalization::normalized_by_all_ranks(const Variable& x, const Variable& scale,
                                                     const Variable& shift, bool finetune) {
    Axes axes = reduced_axes(options_.axis, avg_mean.rank(), x.rank());
    Shape along = x.shape();
    for (int64_t axis : axes) along[int(axis)] = 1;
    if (element_count(along) != avg_mean.size())
        fail<ShapeError>("{}: has statistics of {} values, which x {} does not fit", type_name(),
                         avg_mean.size(), to_string(x.type()));
    const Variable wide = cast(x, avg_mean.dtype());
    const Variable rows =
        fill(avg_mean.type(), double(x.size()) / double(std::max<int64_t>(avg_mean.size(), 1)));
    const Variables sums =
        separate(parallel::allreduce(*communicator_, stack({sum(wide, axes), rows})));
    const Variable count = sums[1], centre = sums[0] / count;
    // Not E[x^2] - E[x]^2, of which nothing remains where the mean is far larger than the
    // deviation. The centre is the mean but for its last bits, which are many deviations then.
    const Variable centred = wide - reshape(centre, along);
    const Variables moments = separate(parallel::allreduce(
        *communicator_, stack({sum(centred, axes), sum(centred * centred, axes)})));
    const Variable shift_of_mean = moments[0] / count, mean = centre + shift_of_mean;
    const Variable variance = moments[1] / count - shift_of_mean * shift_of_mean;
    {
        auto no_graph = no_backprop_mode();
        const Variable unbiased = variance * (count / maximum(count - 1, 1.0));
        if (finetune) {
            assign(N, N + 1);
            Variable part = 1.0 / cast(N, avg_mean.dtype());
            assign(avg_mean, avg_mean + (mean - avg_mean) * part);
            assign(avg_var, avg_var + (unbiased - avg_var) * part);
        } else {
            assign(avg_mean, avg_mean * decay_ + mean * (1 - options_.decay));
            assign(avg_var, avg_var * decay_ + unbiased * (1 - options_.decay));
        }
    }
    const Variable factor = scale / sqrt(variance + options_.eps);
    const Variable y =
        centred * reshape(factor, along) + reshape(shift - shift_of_mean * factor, along);
    return cast(y, x.dtype());
}

void BatchNormalization::start_finetuning() { assign(N, fill(N.type(), 0)); }

std::vector<std::pair<std::string, std::string>> BatchNormalization::printable_specs() const {
    return {{"size", avg_mean.is_initialized() ? to_string(avg_mean.shape()) : "None"},
            {"decay", fmt::format("{}", options_.decay)},
            {"eps", fmt::format("{}", options_.eps)}};
}

}  // namespace catena
