#pragma once

#include "runtime/ops/connection/window_count.h"

namespace catena {

/// The number of windows that a convolution or pooling has along an axis; arguments and formula as
/// Chainer's.
inline int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p,
                                bool cover_all = false, int64_t d = 1) {
    return window_count(size, k, s, p, cover_all, d);
}

/// The size of an axis after a deconvolution: the inverse of get_conv_outsize, where that has one.
/// ValueError for sizes that are no convolution's.
int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false,
                           int64_t d = 1);

}  // namespace catena
