// The loss that Caffe's training networks end with.
#include "runtime/ops/loss/loss.h"

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::caffe {
namespace {

using Mode = format::LossParameter;

Mode::NormalizationMode mode_of(const format::LossParameter& p) {
    if (p.has_normalization() || !p.has_normalize()) return p.normalization();
    return p.normalize() ? Mode::VALID : Mode::BATCH_SIZE;
}

Variable loss(const Variable& x, const Variable& labels, Mode::NormalizationMode mode,
              int64_t ignore_label) {
    Shape shape;
    for (int i = 0; i < x.rank(); ++i)
        if (i != 1) shape.push_back(x.shape()[i]);
    // Caffe's labels may have further axes of size 1.
    const Variable t = labels.size() == element_count(shape) ? reshape(labels, shape) : labels;
    if (mode == Mode::VALID || mode == Mode::BATCH_SIZE)
        return softmax_cross_entropy(
            x, t, {.normalize = mode == Mode::VALID, .ignore_label = ignore_label});
    const Variable each =
        softmax_cross_entropy(x, t, {.ignore_label = ignore_label, .reduce = "no"});
    return mode == Mode::FULL ? mean(each) : sum(each);
}

LayerFunction read_softmax_with_loss(const LayerInFile& layer) {
    layer.check_bottoms(2, 2);
    const int64_t axis = layer->softmax_param().axis();
    const Mode::NormalizationMode mode = mode_of(layer->loss_param());
    const int64_t ignore_label =
        layer->loss_param().has_ignore_label() ? layer->loss_param().ignore_label() : -1;
    const bool gives_probabilities = layer->top_size() > 1;
    return {[=](std::span<const Variable> x, Link*) {
        const int channels = axis_of(axis, x[0].rank(), "SoftmaxWithLoss");
        const Variable logits = channels == 1 ? x[0] : moveaxis(x[0], channels, 1);
        Variables tops{loss(logits, x[1], mode, ignore_label)};
        if (gives_probabilities) tops.push_back(softmax(x[0], channels));
        return tops;
    }};
}

const int loss_added = add_layer_readers({{"SoftmaxWithLoss", read_softmax_with_loss, 2}});

}  // namespace
}  // namespace catena::caffe
