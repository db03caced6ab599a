#pragma once

#include <catena/catena.h>

/// The network of Krizhevsky et al. 2012.
struct Alex : catena::Chain {
    static constexpr int64_t insize = 227;
    catena::Convolution2D conv1, conv2, conv3, conv4, conv5;
    catena::Linear fc6, fc7, fc8;
    explicit Alex(int64_t classes)
        : conv1(std::nullopt, 96, 11, {.stride = 4}),
          conv2(std::nullopt, 256, 5, {.pad = 2}),
          conv3(std::nullopt, 384, 3, {.pad = 1}),
          conv4(std::nullopt, 384, 3, {.pad = 1}),
          conv5(std::nullopt, 256, 3, {.pad = 1}),
          fc6(4096),
          fc7(4096),
          fc8(classes) {
        add_children({{"conv1", conv1},
                      {"conv2", conv2},
                      {"conv3", conv3},
                      {"conv4", conv4},
                      {"conv5", conv5},
                      {"fc6", fc6},
                      {"fc7", fc7},
                      {"fc8", fc8}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        using namespace catena;
        Variable h = max_pooling_2d(local_response_normalization(relu(conv1(x))), 3, {.stride = 2});
        h = max_pooling_2d(local_response_normalization(relu(conv2(h))), 3, {.stride = 2});
        h = max_pooling_2d(relu(conv5(relu(conv4(relu(conv3(h)))))), 3, {.stride = 2});
        return fc8(dropout(relu(fc7(dropout(relu(fc6(h)))))));
    }
};
