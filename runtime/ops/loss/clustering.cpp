#include "runtime/ops/loss/clustering.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/norm.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

constexpr const char* clustering_name = "discriminative_margin_based_clustering_loss";

void check_embeddings(const Variable& embeddings, const Variable& labels, int64_t instances,
                      int64_t norm) {
    if (instances < 1)
        fail<ValueError>("{}: max_embedding_dim is {} and should be positive", clustering_name,
                         instances);
    if (norm != 1 && norm != 2)
        fail<ValueError>("{}: norm is {} and should be 1 or 2", clustering_name, norm);
    if (!is_float(embeddings.dtype()) || !is_integer(labels.dtype()))
        fail<DtypeError>(
            "{}: embeddings should be floating point and labels integer, they are {} and {}",
            clustering_name, to_string(embeddings.type()), to_string(labels.type()));
    Shape pixels = embeddings.shape();
    if (pixels.rank() == 4) pixels.erase(1);
    if (embeddings.rank() != 4 || pixels != labels.shape())
        fail<ShapeError>(
            "{}: embeddings should be [N,D,H,W] and labels [N,H,W], they are {} and {}",
            clustering_name, to_string(embeddings.shape()), to_string(labels.shape()));
}

Variable length(const Variable& x, const Axes& axes, int64_t norm) {
    return norm == 1 ? sum(absolute(x), axes) : length_of(sum(square(x), axes));
}

/// How near two means of one image are to each other, over all pairs; means [K, N, D].
Variable nearness(const Variable& means, const Scalar& delta_d, int64_t norm) {
    const int64_t instances = means.shape()[0], images = means.shape()[1];
    const Variable apart = length(expand_dims(means, 1) - means, Axes{3}, norm);  // [K, K, N]
    const Variable number = counting(0, instances, means, 3);
    const Variable is_pair = number < reshape(number, {instances, 1});
    const Variable near = square(relu(delta_d - apart * 0.5)) * 4;
    const int64_t pairs = instances * (instances - 1) / 2 * images;
    return sum(where(is_pair, near, 0)) * (1.0 / double(std::max<int64_t>(pairs, 1)));
}

const FunctionDef& f_discriminative = function(
    "discriminative_margin_based_clustering_loss(embeddings, labels, delta_v, delta_d, "
    "max_embedding_dim, norm=1, alpha=1.0, beta=1.0, gamma=0.001)",
    {"embeddings", "labels"}, [](const FunctionArguments& a) {
        return discriminative_margin_based_clustering_loss(
            a.array("embeddings"), a.array("labels"), a.number("delta_v"), a.number("delta_d"),
            a.integer("max_embedding_dim"),
            {a.integer("norm"), a.number("alpha"), a.number("beta"), a.number("gamma")});
    });

}  // namespace

Variables discriminative_margin_based_clustering_loss(const Operand& embeddings,
                                                      const Operand& labels, const Scalar& delta_v,
                                                      const Scalar& delta_d,
                                                      int64_t max_embedding_dim,
                                                      const ClusteringLoss& options) {
    LocationScope scope(embeddings.location());
    const Variable x = autocast_wide(embeddings);
    const Variable& t = labels;
    const int64_t instances = max_embedding_dim, norm = options.norm, images = x.shape()[0];
    check_embeddings(x, t, instances, norm);
    const Variable wide = expand_dims(widened(x), 0);  // [1, N, D, H, W]
    const Variable number = counting(1, instances, x, 5);
    const Variable belongs = cast(expand_dims(t, 1) == number, wide.dtype());  // [K, N, 1, H, W]

    const Variable pixels = maximum(sum(belongs, {3, 4}, true), 1);
    const Variable means = sum(wide * belongs, {3, 4}, true) / pixels;
    const Variable beyond = relu(length((means - wide) * belongs, Axes{2}, norm) - delta_v);
    const Variable all_pixels = maximum(sum(belongs, {1, 2, 3, 4}), 1);
    const Variable spread = sum(sum(square(beyond), {1, 2, 3}) / all_pixels) / double(instances);

    const Variable points = reshape(means, {instances, images, x.shape()[1]});
    const Variable size = sum(length(points, Axes{1, 2}, norm)) *
                          (1.0 / double(std::max<int64_t>(instances * images, 1)));
    return {cast(spread * options.alpha, x.dtype()),
            cast(nearness(points, delta_d, norm) * options.beta, x.dtype()),
            cast(size * options.gamma, x.dtype())};
}

}  // namespace catena
