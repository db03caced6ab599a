#include "frontend/parallel/multi_node_batch_normalization.h"

#include <algorithm>

#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/arithmetic.h"
#include "runtime/ops/communication.h"
#include "runtime/ops/joining.h"
#include "runtime/ops/math.h"
#include "runtime/ops/movement.h"
#include "runtime/ops/normalization.h"
#include "runtime/ops/reduction.h"

namespace catena {

MultiNodeBatchNormalization::MultiNodeBatchNormalization(
    int64_t size, std::shared_ptr<Communicator> communicator,
    const BatchNormalizationLinkOptions& options)
    : gamma(options.initial_gamma),
      beta(options.initial_beta),
      N(Array::zeros({Dtype::int64, {}})),
      communicator_(std::move(communicator)),
      options_(options),
      decay_(options.decay, "decay") {
    if (!options.axis.empty())
        fail<ValueError>(
            "MultiNodeBatchNormalization: normalises over all axes but 1, not over others");
    if (options.use_gamma) add_param("gamma", gamma);
    if (options.use_beta) add_param("beta", beta);
    add_persistent("avg_mean", avg_mean);
    add_persistent("avg_var", avg_var);
    add_persistent("N", N);
    auto scope = using_config(&Config::dtype, options_.dtype.value_or(config().dtype));
    if (options_.use_gamma) gamma.initialize({size});
    if (options_.use_beta) beta.initialize({size});
    avg_mean.set_array(options_.initial_avg_mean({config().dtype, {size}}));
    avg_var.set_array(options_.initial_avg_var({config().dtype, {size}}));
}

Variable MultiNodeBatchNormalization::operator()(const Operand& operand, bool finetune) {
    LocationScope scope(operand.location());
    const Variable& x = operand;
    const int64_t channels = avg_mean.size();
    if (x.rank() < 2 || x.shape()[1] != channels)
        fail<ShapeError>("MultiNodeBatchNormalization: has {} channels, x is {}", channels,
                         to_string(x.type()));
    Variable scale = options_.use_gamma ? Variable(gamma) : fill(avg_mean.type(), 1);
    Variable shift = options_.use_beta ? Variable(beta) : fill(avg_mean.type(), 0);
    if (!config().train)
        return fixed_batch_normalization(x, scale, shift, avg_mean, avg_var, options_.eps);

    Axes axes{0};
    Shape along_channels = Shape::filled(x.rank(), 1);
    along_channels[1] = channels;
    for (int i = 2; i < x.rank(); ++i) axes.push_back(i);
    Variable wide = cast(x, avg_mean.dtype());
    Variable own = stack({mean(wide, axes), mean(wide * wide, axes)});
    Variables all = separate(parallel::allreduce(*communicator_, own, Reduction::mean));
    Variable variance = all[1] - all[0] * all[0];
    follow(all[0], variance, double(x.size() / channels) * communicator_->size(), finetune);
    Variable factor = scale / sqrt(variance + options_.eps);
    Variable y = (wide - reshape(all[0], along_channels)) * reshape(factor, along_channels) +
                 reshape(shift, along_channels);
    return cast(y, x.dtype());
}

/// The averages follow the statistics of `count` elements, or become the mean over all batches
/// since N was 0.
void MultiNodeBatchNormalization::follow(const Variable& mean, const Variable& variance,
                                         double count, bool finetune) {
    auto no_graph = no_backprop_mode();
    Variable unbiased = variance * (count / std::max(count - 1, 1.0));
    if (finetune) {
        assign(N, N + 1);
        Variable part = 1.0 / cast(N, avg_mean.dtype());
        assign(avg_mean, avg_mean + (mean - avg_mean) * part);
        assign(avg_var, avg_var + (unbiased - avg_var) * part);
        return;
    }
    assign(avg_mean, avg_mean * decay_ + mean * (1 - options_.decay));
    assign(avg_var, avg_var * decay_ + unbiased * (1 - options_.decay));
}

void MultiNodeBatchNormalization::start_finetuning() { assign(N, fill(N.type(), 0)); }

std::vector<std::pair<std::string, std::string>> MultiNodeBatchNormalization::printable_specs()
    const {
    return {{"size", to_string(avg_mean.shape())},
            {"decay", fmt::format("{}", options_.decay)},
            {"eps", fmt::format("{}", options_.eps)}};
}

}  // namespace catena
