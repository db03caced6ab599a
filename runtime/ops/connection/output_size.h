#pragma once

#include "runtime/core/error.h"
#include "runtime/ops/connection/convolution.h"

namespace catena {

/// How many windows a convolution or pooling has along an axis; arguments and formula as Chainer's.
inline int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false, int64_t d = 1) {
    return window_count(size, k, s, p, cover_all, d);
}

/// The size of an axis after a deconvolution: the inverse of get_conv_outsize, where that has one. ValueError for sizes that are
/// no convolution's.
inline int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false, int64_t d = 1) {
    if (size < 1 || k < 1 || s < 1 || d < 1 || p < 0)
        fail<ValueError>("get_deconv_outsize: size {}, k {}, s {} and d {} must be positive, p {} not negative", size, k, s, d, p);
    const int64_t extent = (k - 1) * d + 1;
    return s * (size - 1) + extent - (cover_all ? s - 1 : 0) - 2 * p;
}

}  // namespace catena
