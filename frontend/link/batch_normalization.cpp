#include "frontend/link/batch_normalization.h"

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/arithmetic.h"
#include "runtime/ops/normalization.h"
#include "runtime/ops/reduction.h"

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
    : gamma(options.initial_gamma), beta(options.initial_beta), N(Array::zeros({Dtype::int64, {}})),
      options_(options), decay_(options.decay, "decay") {
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
    auto scope = using_config(&Config::dtype, options_.dtype.value_or(config().dtype));
    RecorderScope paused(nullptr);
    if (options_.use_gamma) gamma.initialize(size);
    if (options_.use_beta) beta.initialize(size);
    avg_mean.set_array(options_.initial_avg_mean({config().dtype, size}));
    avg_var.set_array(options_.initial_avg_var({config().dtype, size}));
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
    Variable scale = options_.use_gamma ? Variable(gamma) : fill(avg_mean.type(), 1);
    Variable shift = options_.use_beta ? Variable(beta) : fill(avg_mean.type(), 0);
    if (!config().train)
        return fixed_batch_normalization(x, scale, shift, avg_mean, avg_var, options_.eps, options_.axis);
    if (finetune) {
        follow_all_batches(x);
        return batch_normalization(x, scale, shift, {.eps = options_.eps, .axis = options_.axis});
    }
    return batch_normalization(x, scale, shift,
                               {.eps = options_.eps, .running_mean = avg_mean, .running_var = avg_var,
                                .decay = decay_, .axis = options_.axis});
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

void BatchNormalization::start_finetuning() { assign(N, fill(N.type(), 0)); }

std::vector<std::pair<std::string, std::string>> BatchNormalization::printable_specs() const {
    return {{"size", avg_mean.is_initialized() ? to_string(avg_mean.shape()) : "None"},
            {"decay", fmt::format("{}", options_.decay)},
            {"eps", fmt::format("{}", options_.eps)}};
}

}  // namespace catena
