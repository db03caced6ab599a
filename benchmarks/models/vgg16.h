#pragma once

#include <array>

#include "benchmarks/models/normalized_convolution.h"

namespace catena::models {

/// VGG-16 for CIFAR with batch normalization and dropout, as in Chainer's example: x [batch, 3, 32,
/// 32] to the scores [batch, 10]. `width`: the channels of the first stage; the other four have 2,
/// 4, 8 and 8 times as many.
struct Vgg16 : Chain {
    ChainList convolutions;
    Linear hidden, out;
    BatchNormalization norm;
    explicit Vgg16(int64_t width = 64)
        : hidden(8 * width, 8 * width, {.nobias = true}),
          out(8 * width, 10),
          norm(8 * width, {.eps = 1e-5}) {
        int64_t in = 3;
        for (const Stage& stage : stages)
            for (int i = 0; i < stage.convolutions; ++i) {
                convolutions.append(NormalizedConvolution(in, stage.multiple * width, 3));
                in = stage.multiple * width;
            }
        add_children(
            {{"convolutions", convolutions}, {"hidden", hidden}, {"norm", norm}, {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h = x;
        size_t next = 0;
        for (const Stage& stage : stages) {
            for (int i = 0; i < stage.convolutions; ++i) {
                h = relu(convolutions.get<NormalizedConvolution>(next++)(h));
                if (i + 1 < stage.convolutions) h = dropout(h, stage.dropped);
            }
            h = max_pooling_2d(h, 2);
        }
        return out(dropout(relu(norm(hidden(dropout(h, 0.5)))), 0.5));
    }

private:
    struct Stage {
        int64_t multiple;
        int convolutions;
        double dropped;  ///< Between the convolutions of the stage.
    };
    static constexpr std::array<Stage, 5> stages = {
        {{1, 2, 0.3}, {2, 2, 0.4}, {4, 3, 0.4}, {8, 3, 0.4}, {8, 3, 0.4}}};
};

}  // namespace catena::models
