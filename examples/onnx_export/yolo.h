#pragma once

#include <catena/catena.h>

#include <limits>

/// The network of tiny YOLO v2 (Redmon and Farhadi 2017): pictures [n, 3, 32 m, 32 m] in [0, 1] to
/// what it sees in each of m x m cells, [n, 5 (classes + 5), m, m]: for five boxes their place,
/// size and certainty, and scores of the classes.
struct TinyYolo : catena::Chain {
    static constexpr int64_t boxes = 5;
    struct Block : catena::Chain {
        catena::Convolution2D conv;
        catena::BatchNormalization bn;
        explicit Block(int64_t channels)
            : conv(std::nullopt, channels, 3, {.pad = 1, .nobias = true}),
              bn(channels, {.eps = 1e-5}) {
            add_children({{"conv", conv}, {"bn", bn}});
        }
        catena::Variable operator()(const catena::Variable& x) {
            return catena::leaky_relu(bn(conv(x)), 0.1);
        }
    };

    catena::ChainList blocks;
    catena::Convolution2D out;
    explicit TinyYolo(int64_t classes) : out(std::nullopt, boxes * (classes + 5), 1) {
        for (const int64_t channels : {16, 32, 64, 128, 256, 512, 1024, 1024})
            blocks.append(Block(channels));
        add_children({{"blocks", blocks}, {"out", out}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        using namespace catena;
        Variable h = x;
        for (size_t i = 0; i < blocks.size(); ++i) {
            h = blocks.get<Block>(i)(h);
            if (i < 5)
                h = max_pooling_2d(h, 2, {.stride = 2});
            else if (i == 5)
                h = max_pooling_2d(with_edge(h), 2, {.stride = 1});  // keeps the size
        }
        return out(h);
    }

private:
    /// One more row and column, which no maximum takes.
    static catena::Variable with_edge(const catena::Variable& h) {
        return catena::pad(h, {0, 0, 0, 0}, {0, 0, 1, 1},
                           double(std::numeric_limits<float>::lowest()));
    }
};
