#pragma once

#include <catena/catena.h>

#include <array>

/// Convolution, batch normalization, relu.
struct Block : catena::Chain {
    catena::Convolution2D conv;
    catena::BatchNormalization bn;
    Block(int64_t out_channels, int64_t ksize, int64_t pad = 1)
        : conv(std::nullopt, out_channels, ksize, {.pad = pad, .nobias = true}), bn(out_channels) {
        add_children({{"conv", conv}, {"bn", bn}});
    }
    catena::Variable operator()(const catena::Variable& x) { return catena::relu(bn(conv(x))); }
};

/// VGG-16 for 32x32 pictures [n, 3, 32, 32], with batch normalization and much dropout. `width`:
/// channels of the first of the five stages; the others have 2, 4, 8 and 8 times as many. `dropout`
/// is a factor of all dropout ratios, which are made for full width.
struct VGG : catena::Chain {
    catena::ChainList blocks;
    catena::Linear fc1, fc2;
    catena::BatchNormalization bn_fc1;
    double dropout;
    explicit VGG(int64_t class_labels = 10, int64_t width = 64, double dropout = 1)
        : fc1(std::nullopt, 8 * width, {.nobias = true}),
          fc2(std::nullopt, class_labels, {.nobias = true}),
          bn_fc1(8 * width),
          dropout(dropout) {
        for (const Stage& stage : stages)
            for (int i = 0; i < stage.blocks; ++i) blocks.append(Block(stage.multiple * width, 3));
        add_children({{"blocks", blocks}, {"fc1", fc1}, {"bn_fc1", bn_fc1}, {"fc2", fc2}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = x;
        size_t next = 0;
        for (const Stage& stage : stages) {
            for (int i = 0; i < stage.blocks; ++i) {
                h = blocks.get<Block>(next++)(h);
                if (i + 1 < stage.blocks) h = catena::dropout(h, dropout * stage.dropped);
            }
            h = catena::max_pooling_2d(h, 2, {.stride = 2});
        }
        h = catena::dropout(h, dropout * 0.5);
        h = catena::dropout(catena::relu(bn_fc1(fc1(h))), dropout * 0.5);
        return fc2(h);
    }

    struct Stage {
        int64_t multiple;  ///< Of `width`.
        int blocks;
        double dropped;  ///< Between the blocks of the stage.
    };
    static constexpr std::array<Stage, 5> stages = {
        {{1, 2, 0.3}, {2, 2, 0.4}, {4, 3, 0.4}, {8, 3, 0.4}, {8, 3, 0.4}}};
};
