// Batch and local response normalisation, and the factors and offsets that Caffe keeps in layers of
// their own.
#include "runtime/ops/normalization/normalization.h"

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "frontend/link/connection/scale.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena::caffe {
namespace {

/// Blob i as a mean over batches: Caffe stores sums, with their weight in blob 2; a weight of 0 is
/// that of no batch.
Array statistic(const LayerInFile& layer, int i, const Shape& shape, double weight) {
    const Array sum = layer.blob(i, shape, i == 0 ? "the means" : "the variances");
    return weight == 1 ? sum : (Variable(sum, false) * (weight == 0 ? 0 : 1 / weight)).array();
}

LayerFunction read_batch_norm(const LayerInFile& layer) {
    const auto& p = layer->batch_norm_param();
    const double weight =
        layer.has_blob(2) ? layer.blob(2, {}, "the weight of the statistics").item<float>() : 1.0;
    const Shape shape{layer.blob(0).size()};
    if (shape[0] == 0) layer.wrong("has no channels");
    BatchNormalization link(shape, {.decay = p.moving_average_fraction(),
                                    .eps = p.eps(),
                                    .use_gamma = false,
                                    .use_beta = false,
                                    .initial_avg_mean = statistic(layer, 0, shape, weight),
                                    .initial_avg_var = statistic(layer, 1, shape, weight)});
    const bool fixed = p.use_global_stats();
    return {[fixed](std::span<const Variable> x, Link* own) {
                auto& link = static_cast<BatchNormalization&>(*own);
                if (!fixed) return Variables{link(x[0])};
                const auto test_mode = using_config(&Config::train, false);
                return Variables{link(x[0])};
            },
            OwnedLink(std::move(link))};
}

LayerFunction read_scale(const LayerInFile& layer) {
    const auto& p = layer->scale_param();
    const bool learned = layer->bottom_size() == 1;
    const Array factors = learned ? layer.blob(0) : Array();
    Array offsets;
    if (p.bias_term())
        offsets = learned ? layer.blob(1, factors.shape(), "the offsets") : layer.blob(0);
    ScaleOptions options{.bias_term = p.bias_term()};
    if (offsets.defined()) options.bias_shape = offsets.shape();
    Scale link(p.axis(), learned ? std::optional(factors.shape()) : std::nullopt, options);
    if (learned) link.W.set_array(factors);
    if (offsets.defined()) link.bias->b.set_array(offsets);
    return {[learned](std::span<const Variable> x, Link* own) {
                auto& link = static_cast<Scale&>(*own);
                return Variables{learned ? link(x[0]) : link(x[0], x[1])};
            },
            OwnedLink(std::move(link))};
}

LayerFunction read_bias(const LayerInFile& layer) {
    const bool learned = layer->bottom_size() == 1;
    const Array offsets = learned ? layer.blob(0) : Array();
    Bias link(layer->bias_param().axis(), learned ? std::optional(offsets.shape()) : std::nullopt);
    if (learned) link.b.set_array(offsets);
    return {[learned](std::span<const Variable> x, Link* own) {
                auto& link = static_cast<Bias&>(*own);
                return Variables{learned ? link(x[0]) : link(x[0], x[1])};
            },
            OwnedLink(std::move(link))};
}

LayerFunction read_lrn(const LayerInFile& layer) {
    const auto& p = layer->lrn_param();
    const int64_t n = p.local_size();
    const double alpha = p.alpha(), beta = p.beta(), k = p.k();
    if (n % 2 == 0) layer.wrong(fmt::format("normalises over {} neighbours; that must be odd", n));
    if (p.norm_region() == format::LRNParameter::WITHIN_CHANNEL)
        return of_one([=](const Variable& x) {
            return x * pow(1 + average_pooling_2d(x * x, n, 1, (n - 1) / 2) * alpha, -beta);
        });
    return of_one([=](const Variable& x) {
        // More neighbours than channels add nothing.
        const int64_t most = x.rank() > 1 ? 2 * x.shape()[1] + 1 : n;
        return local_response_normalization(x, std::min(n, most), k, alpha / double(n), beta);
    });
}

const int normalization_added = add_layer_readers({
    {"BatchNorm", read_batch_norm},
    {"Scale", read_scale, 2},
    {"Bias", read_bias, 2},
    {"LRN", read_lrn},
});

}  // namespace
}  // namespace catena::caffe
