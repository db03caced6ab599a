#pragma once

#include "runtime/core/array/array.h"

namespace catena {

// Arrays are contiguous, of one dtype, float32 or float64.

/// Layer normalization along the last axis: y = (x - mean) / sqrt(variance + eps) * gamma + beta.
void layer_norm_forward(const Array& x, const Array& gamma, const Array& beta, double eps,
                        const Array& y);
/// Gradients of layer normalization towards x, gamma and beta. Sums over rows are taken in a fixed
/// order.
void layer_norm_backward(const Array& x, const Array& gamma, const Array& gy, double eps,
                         const Array& gx, const Array& ggamma, const Array& gbeta);

/// An array as [outer, keys, inner]: statistics are per key.
struct KeyView {
    int64_t outer, keys, inner;
};
void batch_norm_forward(const KeyView& view, const Array& x, const Array& gamma, const Array& beta,
                        double eps, const Array& y, const Array& mean, const Array& variance);
void batch_norm_backward(const KeyView& view, const Array& x, const Array& gamma, const Array& mean,
                         const Array& variance, const Array& gy, double eps, const Array& gx,
                         const Array& ggamma, const Array& gbeta);

}  // namespace catena
