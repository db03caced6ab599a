#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Options of discriminative_margin_based_clustering_loss; names and defaults as in Chainer.
struct ClusteringLoss {
    int64_t norm = 1;  ///< Of distances: 1, sums of absolute values, or 2, Euclidean.
    Scalar alpha = 1.0, beta = 1.0, gamma = 0.001;  ///< Factors of the three losses.
};

/// Losses of an instance segmentation (De Brabandere et al. 2017): embeddings [N, D, H, W] whose
/// pixels of one instance should be nearer than delta_v to their mean, means further apart than 2
/// delta_d, and means small. labels [N, H, W] are integers from 1 to max_embedding_dim, the number
/// of instances; others belong to none. Returns the three losses.
Variables discriminative_margin_based_clustering_loss(const Operand& embeddings,
                                                      const Operand& labels, const Scalar& delta_v,
                                                      const Scalar& delta_d,
                                                      int64_t max_embedding_dim,
                                                      const ClusteringLoss& options = {});

}  // namespace catena
