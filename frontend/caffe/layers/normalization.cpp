// Batch and local response normalisation, and the factors and offsets that Caffe keeps in layers of their own.
#include "runtime/ops/normalization/normalization.h"

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "frontend/link/batch_normalization.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/config.h"
#include "runtime/ops/math/scale.h"
#include "runtime/ops/pooling/pooling.h"

namespace catena::caffe {
namespace {

/// Blob i as a mean over batches: Caffe stores sums, with their weight in blob 2; a weight of 0 is that of no batch.
Array statistic(const LayerInFile& layer, int i, const Shape& shape, double weight) {
    const Array sum = layer.blob(i, shape, i == 0 ? "the means" : "the variances");
    return weight == 1 ? sum : (Variable(sum, false) * (weight == 0 ? 0 : 1 / weight)).array();
}

LayerFunction read_batch_norm(const LayerInFile& layer) {
    const auto& p = layer->batch_norm_param();
    const double weight = layer.has_blob(2) ? layer.blob(2, {}, "the weight of the statistics").item<float>() : 1.0;
    const Shape shape{layer.blob(0).size()};
    if (shape[0] == 0) layer.wrong("has no channels");
    BatchNormalization link(shape, {.decay = p.moving_average_fraction(), .eps = p.eps(), .use_gamma = false, .use_beta = false,
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

/// The parameters of Chainer's link Bias.
struct BiasLink : Link {
    Parameter b;
    explicit BiasLink(const Array& array) : b(array) { add_param("b", b); }
    std::string type_name() const override { return "Bias"; }
};

/// The parameters of Chainer's link Scale: W unless it is a bottom, and /bias/b.
struct ScaleLink : Link {
    Parameter W;
    OwnedLink offset;
    int64_t axis = 1;

    ScaleLink(const Array& factors, const Array& offsets, int64_t axis) : axis(axis) {
        if (factors.defined()) {
            W = Parameter(factors);
            add_param("W", W);
        }
        if (!offsets.defined()) return;
        offset = OwnedLink(BiasLink(offsets));
        name_child(*offset, "bias");
    }
    Variable operator()(const Variable& x, const Variable& factors) {
        const int first = axis_of(axis, x.rank(), "Scale");
        Variable y = factors.defined() ? scale(x, factors, first) : x;
        return offset ? bias(y, static_cast<BiasLink&>(*offset).b, first) : y;
    }
    std::vector<std::pair<std::string, Link*>> named_children() const override {
        std::vector<std::pair<std::string, Link*>> found = Link::named_children();
        if (offset) found.emplace_back(offset->name(), offset.get());
        return found;
    }
    std::string type_name() const override { return "Scale"; }
};

LayerFunction read_scale(const LayerInFile& layer) {
    const auto& p = layer->scale_param();
    const bool learned = layer->bottom_size() == 1;
    const Array factors = learned ? layer.blob(0) : Array();
    Array offsets;
    if (p.bias_term()) offsets = learned ? layer.blob(1, factors.shape(), "the offsets") : layer.blob(0);
    return {[learned](std::span<const Variable> x, Link* own) {
                auto& link = static_cast<ScaleLink&>(*own);
                return Variables{link(x[0], learned ? Variable(link.W) : x[1])};
            },
            OwnedLink(ScaleLink(factors, offsets, p.axis()))};
}

LayerFunction read_bias(const LayerInFile& layer) {
    const int64_t axis = layer->bias_param().axis();
    if (layer->bottom_size() == 2)
        return {[axis](std::span<const Variable> x, Link*) {
            return Variables{bias(x[0], x[1], axis_of(axis, x[0].rank(), "Bias"))};
        }};
    return {[axis](std::span<const Variable> x, Link* own) {
                return Variables{bias(x[0], static_cast<BiasLink&>(*own).b, axis_of(axis, x[0].rank(), "Bias"))};
            },
            OwnedLink(BiasLink(layer.blob(0)))};
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

const int added = add_layer_readers({
    {"BatchNorm", read_batch_norm},
    {"Scale", read_scale, 2},
    {"Bias", read_bias, 2},
    {"LRN", read_lrn},
});

}  // namespace
}  // namespace catena::caffe
