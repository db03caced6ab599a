#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// -score of each label times its weight; reduced as the node says. Scores are [N, C, ...], labels
/// [N, ...].
Variable negative_score(const NodeCall& n, const Variable& scores, const Variable& labels,
                        const Variable& weight) {
    if (scores.rank() != labels.rank() + 1 || scores.rank() < 2)
        n.wrong(fmt::format("scores {} and labels {}; expected are [N, C, ...] and [N, ...]",
                            to_string(scores.shape()), to_string(labels.shape())));
    const bool ignores = n.has_attribute("ignore_index");
    const int64_t ignored = n.integer("ignore_index", 0, any_number);
    const Variable valid = labels != double(ignored);
    Variable places = cast(labels, Dtype::int64);
    if (ignores) places = where(valid, places, 0);
    Variable loss = -reshape(take_along_axis(scores, expand_dims(places, 1), 1), labels.shape());
    Variable share;
    if (weight.defined()) share = reshape(take(weight, flatten(places), 0), labels.shape());
    if (ignores) share = share.defined() ? where(valid, share, 0) : cast(valid, scores.dtype());
    if (share.defined()) loss = ignores ? where(valid, loss * share, 0) : loss * share;
    const std::string reduction = n.choice("reduction", {"mean", "sum", "none"});
    if (reduction == "none") return loss;
    if (reduction == "sum") return sum(loss);
    return share.defined() ? sum(loss) / sum(share) : mean(loss);
}

Variables cross_entropy(const NodeCall& n) {
    const Variable scores = log_softmax(n[0], 1);
    return {negative_score(n, scores, n[1], n.has(2) ? n[2] : Variable()), scores};
}

const int loss_importers = add_importers({
    {"NegativeLogLikelihoodLoss",
     [](const NodeCall& n) {
         return Variables{negative_score(n, n[0], n[1], n.has(2) ? n[2] : Variable())};
     }},
    {"SoftmaxCrossEntropyLoss", cross_entropy},
});

}  // namespace
}  // namespace catena::onnx
