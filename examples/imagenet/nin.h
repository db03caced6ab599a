#pragma once

#include <catena/catena.h>

/// A convolution followed by two of 1x1 (Lin, Chen and Yan 2014).
struct MLPConvolution : catena::Chain {
    catena::Convolution2D conv, first, second;
    bool ends_with_relu;
    MLPConvolution(int64_t channels, int64_t out_channels, int64_t ksize, int64_t stride,
                   int64_t pad, bool ends_with_relu = true)
        : conv(std::nullopt, channels, ksize, {.stride = stride, .pad = pad, .initialW = he()}),
          first(channels, channels, 1, {.initialW = he()}),
          second(channels, out_channels, 1, {.initialW = he()}),
          ends_with_relu(ends_with_relu) {
        add_children({{"0", conv}, {"1", first}, {"2", second}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        const catena::Variable h = second(catena::relu(first(catena::relu(conv(x)))));
        return ends_with_relu ? catena::relu(h) : h;
    }

private:
    static catena::Initializer he() { return catena::initializers::HeNormal(); }
};

/// Network in network.
struct NIN : catena::Chain {
    static constexpr int64_t insize = 227;
    MLPConvolution mlpconv1{96, 96, 11, 4, 0}, mlpconv2{256, 256, 5, 1, 2},
        mlpconv3{384, 384, 3, 1, 1}, mlpconv4;
    explicit NIN(int64_t classes) : mlpconv4(1024, classes, 3, 1, 1, false) {
        add_children({{"mlpconv1", mlpconv1},
                      {"mlpconv2", mlpconv2},
                      {"mlpconv3", mlpconv3},
                      {"mlpconv4", mlpconv4}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        using namespace catena;
        Variable h = max_pooling_2d(mlpconv1(x), 3, {.stride = 2});
        h = max_pooling_2d(mlpconv2(h), 3, {.stride = 2});
        h = mlpconv4(dropout(max_pooling_2d(mlpconv3(h), 3, {.stride = 2})));
        return mean(h, {2, 3});  // one picture of scores for each class
    }
};
