#pragma once

#include <array>

#include "benchmarks/models/normalized_convolution.h"

namespace catena::models {

/// 1x1 to `middle` channels, 3x3 with the stride, 1x1 to four times as many; and a shortcut.
struct Bottleneck : Chain {
    NormalizedConvolution reduce, spatial, expand;
    Shortcut shortcut;
    Bottleneck(int64_t in, int64_t middle, int64_t stride)
        : reduce(in, middle, 1),
          spatial(middle, middle, 3, stride),
          expand(middle, 4 * middle, 1),
          shortcut(in, 4 * middle, stride) {
        add_children(
            {{"reduce", reduce}, {"spatial", spatial}, {"expand", expand}, {"shortcut", shortcut}});
    }
    Variable operator()(const Variable& x) {
        return relu(expand(relu(spatial(relu(reduce(x))))) + shortcut(x));
    }
};

struct ResNet50Sizes {
    int64_t width = 64;  ///< Channels of the first convolution; those of the stages are multiples.
    std::array<int64_t, 4> blocks = {3, 4, 6, 3};
    int64_t classes = 1000;
};

/// ResNet-50 (He et al. 2015), the stride in the 3x3 convolutions: x [batch, 3, height, width] to
/// [batch, classes].
struct ResNet50 : Chain {
    NormalizedConvolution stem;
    ChainList blocks;
    Linear out;
    explicit ResNet50(const ResNet50Sizes& sizes = {})
        : stem(3, sizes.width, 7, 2), out(32 * sizes.width, sizes.classes) {
        int64_t in = sizes.width, middle = sizes.width;
        for (size_t stage = 0; stage < sizes.blocks.size(); ++stage, middle *= 2)
            for (int64_t i = 0; i < sizes.blocks[stage]; ++i, in = 4 * middle)
                blocks.append(Bottleneck(in, middle, stage > 0 && i == 0 ? 2 : 1));
        add_children({{"stem", stem}, {"blocks", blocks}, {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h =
            max_pooling_2d(relu(stem(x)), 3, {.stride = {2}, .pad = {1}, .cover_all = false});
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<Bottleneck>(i)(h);
        return out(mean(h, {2, 3}));
    }
};

}  // namespace catena::models
