#pragma once

#include "frontend/catena.h"

namespace catena::models {

/// A convolution without bias, and batch normalization.
struct NormalizedConvolution : Chain {
    Convolution2D convolution;
    BatchNormalization normalization;

    NormalizedConvolution(int64_t in, int64_t out, int64_t size, int64_t stride, int64_t pad)
        : convolution(in, out, size, {.stride = {stride}, .pad = {pad}, .nobias = true}), normalization(out) {
        add_children({{"convolution", convolution}, {"normalization", normalization}});
    }
    Variable operator()(const Variable& x) { return normalization(convolution(x)); }
};

/// Three convolutions, to `width` channels, over 3x3 positions with the stride, and to 4 * `width` channels; the input is
/// added, by a 1x1 convolution where its shape is another.
struct Bottleneck : Chain {
    NormalizedConvolution reduce, window, expand;
    Sequential shortcut;

    Bottleneck(int64_t in, int64_t width, int64_t stride)
        : reduce(in, width, 1, 1, 0), window(width, width, 3, stride, 1), expand(width, 4 * width, 1, 1, 0) {
        if (stride != 1 || in != 4 * width) shortcut.append(NormalizedConvolution(in, 4 * width, 1, stride, 0));
        add_children({{"reduce", reduce}, {"window", window}, {"expand", expand}, {"shortcut", shortcut}});
    }
    Variable operator()(const Variable& x) {
        const Variable h = expand(relu(window(relu(reduce(x)))));
        return relu(h + (shortcut.size() == 0 ? x : shortcut(x)));
    }
};

/// ResNet-50 with the stride in the 3x3 convolutions: images [N, 3, 224, 224] to scores [N, classes]. `width` is that of the
/// first blocks, 64 in the paper (https://arxiv.org/abs/1512.03385).
struct ResNet50 : Chain {
    NormalizedConvolution stem;
    ChainList blocks;
    Linear out;

    explicit ResNet50(int64_t classes = 1000, int64_t width = 64)
        : stem(3, width, 7, 2, 3), out(32 * width, classes) {
        int64_t in = width;
        for (auto [times, count, stride] : {std::array<int64_t, 3>{1, 3, 1}, {2, 4, 2}, {4, 6, 2}, {8, 3, 2}})
            for (int64_t i = 0; i < count; ++i) {
                blocks.append(Bottleneck(in, times * width, i == 0 ? stride : 1));
                in = 4 * times * width;
            }
        add_children({{"stem", stem}, {"blocks", blocks}, {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h = max_pooling_2d(relu(stem(x)), {3}, {.stride = {2}, .pad = {1}, .cover_all = false});
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<Bottleneck>(i)(h);
        return out(mean(h, {2, 3}));
    }
};

}  // namespace catena::models
