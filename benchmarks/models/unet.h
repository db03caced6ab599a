#pragma once

#include <vector>

#include "benchmarks/models/normalized_convolution.h"

namespace catena::models {

/// Two 3x3 convolutions, each with batch normalization and ReLU.
struct DoubleConvolution : Chain {
    NormalizedConvolution first, second;
    DoubleConvolution(int64_t in, int64_t out) : first(in, out, 3), second(out, out, 3) {
        add_children({{"first", first}, {"second", second}});
    }
    Variable operator()(const Variable& x) { return relu(second(relu(first(x)))); }
};

/// U-Net of four levels, of `width`, 2, 4 and 8 times as many channels: x [batch, 1, height,
/// width], sizes divisible by 8, to the scores of every pixel, of the same shape.
struct UNet : Chain {
    ChainList down, up, join;
    Convolution2D out;
    explicit UNet(int64_t width = 16) : out(width, 1, 1) {
        down.append(DoubleConvolution(1, width));
        for (int64_t channels = width; channels < 8 * width; channels *= 2)
            down.append(DoubleConvolution(channels, 2 * channels));
        for (int64_t channels = 4 * width; channels >= width; channels /= 2) {
            up.append(Deconvolution2D(2 * channels, channels, 2, {.stride = {2}}));
            join.append(DoubleConvolution(2 * channels, channels));
        }
        add_children({{"down", down}, {"up", up}, {"join", join}, {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h = down.get<DoubleConvolution>(0)(x);
        std::vector<Variable> kept;
        for (size_t level = 1; level < down.size(); ++level) {
            kept.push_back(h);
            h = down.get<DoubleConvolution>(level)(max_pooling_2d(h, 2));
        }
        for (size_t i = 0; i < up.size(); ++i) {
            h = join.get<DoubleConvolution>(i)(
                concat({kept.back(), up.get<Deconvolution2D>(i)(h)}, 1));
            kept.pop_back();
        }
        return out(h);
    }
};

}  // namespace catena::models
