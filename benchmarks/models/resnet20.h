#pragma once

#include "benchmarks/models/normalized_convolution.h"

namespace catena::models {

/// Two 3x3 convolutions and a shortcut.
struct BasicBlock : Chain {
    NormalizedConvolution first, second;
    Shortcut shortcut;
    BasicBlock(int64_t in, int64_t out, int64_t stride)
        : first(in, out, 3, stride), second(out, out, 3), shortcut(in, out, stride) {
        add_children({{"first", first}, {"second", second}, {"shortcut", shortcut}});
    }
    Variable operator()(const Variable& x) { return relu(second(relu(first(x))) + shortcut(x)); }
};

/// ResNet-20 for CIFAR (He et al. 2015): three stages of `depth` blocks, of `width`, 2 and 4 times
/// as many channels. x [batch, 3, height, width] to the scores [batch, 10].
struct ResNet20 : Chain {
    NormalizedConvolution stem;
    ChainList blocks;
    Linear out;
    explicit ResNet20(int64_t width = 16, int64_t depth = 3)
        : stem(3, width, 3), out(4 * width, 10) {
        int64_t in = width;
        for (int64_t stage = 0; stage < 3; ++stage)
            for (int64_t i = 0; i < depth; ++i) {
                blocks.append(BasicBlock(in, width << stage, stage > 0 && i == 0 ? 2 : 1));
                in = width << stage;
            }
        add_children({{"stem", stem}, {"blocks", blocks}, {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h = relu(stem(x));
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<BasicBlock>(i)(h);
        return out(mean(h, {2, 3}));
    }
};

}  // namespace catena::models
