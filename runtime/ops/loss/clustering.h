#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Options of discriminative_margin_based_clustering_loss; names and defaults as in Chainer.
struct ClusteringLoss {
    /// The norm of distances: 1, sums of absolute values, or 2, Euclidean.
    int64_t norm = 1;
    /// A factor of one of the three losses: alpha of the first, beta of the second, gamma of the
    /// third.
    Scalar alpha = 1.0, beta = 1.0, gamma = 0.001;
};

/// Losses of an instance segmentation (De Brabandere et al. 2017, "Semantic Instance Segmentation
/// with a Discriminative Loss Function"), each one number: of pixels that are further than delta_v
/// from the mean of their instance, of means that are nearer to each other than 2 * delta_d, and of
/// large means.
/// - embeddings: A vector for each pixel, floating point, (N, D, H, W).
/// - labels: Integers from 1 to max_embedding_dim, (N, H, W); pixels with others belong to no
///   instance.
/// - delta_v: The distance from the mean that costs nothing.
/// - delta_d: Half the distance of means that costs nothing.
/// - max_embedding_dim: The number of instances.
Variables discriminative_margin_based_clustering_loss(const Operand& embeddings,
                                                      const Operand& labels, const Scalar& delta_v,
                                                      const Scalar& delta_d,
                                                      int64_t max_embedding_dim,
                                                      const ClusteringLoss& options = {});

}  // namespace catena
