#pragma once

#include "frontend/catena.h"

namespace catena::models {

/// A convolution of odd `ksize` without bias that keeps the size but for its stride, and batch
/// normalization.
struct NormalizedConvolution : Chain {
    Convolution2D conv;
    BatchNormalization norm;
    NormalizedConvolution(int64_t in, int64_t out, int64_t ksize, int64_t stride = 1)
        : conv(in, out, ksize, {.stride = {stride}, .pad = {ksize / 2}, .nobias = true}),
          norm(out, {.eps = 1e-5}) {
        add_children({{"conv", conv}, {"norm", norm}});
    }
    Variable operator()(const Variable& x) { return norm(conv(x)); }
};

/// What a residual block adds to its result: x itself, or a 1x1 convolution of it where the shape
/// changes.
struct Shortcut : Chain {
    ChainList projection;  ///< One link or none.
    Shortcut(int64_t in, int64_t out, int64_t stride) {
        if (stride != 1 || in != out) projection.append(NormalizedConvolution(in, out, 1, stride));
        add_child("projection", projection);
    }
    Variable operator()(const Variable& x) {
        return projection.size() > 0 ? projection.get<NormalizedConvolution>(0)(x) : x;
    }
};

}  // namespace catena::models
