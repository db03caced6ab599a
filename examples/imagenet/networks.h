#pragma once

#include <catena/catena.h>

/// The network of Krizhevsky et al. 2012.
struct Alex : catena::Chain {
    static constexpr int64_t insize = 227;
    catena::Convolution2D conv1, conv2, conv3, conv4, conv5;
    catena::Linear fc6, fc7, fc8;
    explicit Alex(int64_t classes)
        : conv1(std::nullopt, 96, 11, {.stride = 4}), conv2(std::nullopt, 256, 5, {.pad = 2}),
          conv3(std::nullopt, 384, 3, {.pad = 1}), conv4(std::nullopt, 384, 3, {.pad = 1}), conv5(std::nullopt, 256, 3, {.pad = 1}),
          fc6(4096), fc7(4096), fc8(classes) {
        add_children({{"conv1", conv1}, {"conv2", conv2}, {"conv3", conv3}, {"conv4", conv4}, {"conv5", conv5}, {"fc6", fc6},
                      {"fc7", fc7}, {"fc8", fc8}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        using namespace catena;
        Variable h = max_pooling_2d(local_response_normalization(relu(conv1(x))), 3, {.stride = 2});
        h = max_pooling_2d(local_response_normalization(relu(conv2(h))), 3, {.stride = 2});
        h = max_pooling_2d(relu(conv5(relu(conv4(relu(conv3(h)))))), 3, {.stride = 2});
        return fc8(dropout(relu(fc7(dropout(relu(fc6(h)))))));
    }
};

/// A convolution followed by two of 1x1 (Lin, Chen and Yan 2014).
struct MLPConvolution : catena::Chain {
    catena::Convolution2D conv, first, second;
    bool ends_with_relu;
    MLPConvolution(int64_t channels, int64_t out_channels, int64_t ksize, int64_t stride, int64_t pad, bool ends_with_relu = true)
        : conv(std::nullopt, channels, ksize, {.stride = stride, .pad = pad, .initialW = he()}),
          first(channels, channels, 1, {.initialW = he()}), second(channels, out_channels, 1, {.initialW = he()}),
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
    MLPConvolution mlpconv1{96, 96, 11, 4, 0}, mlpconv2{256, 256, 5, 1, 2}, mlpconv3{384, 384, 3, 1, 1}, mlpconv4;
    explicit NIN(int64_t classes) : mlpconv4(1024, classes, 3, 1, 1, false) {
        add_children({{"mlpconv1", mlpconv1}, {"mlpconv2", mlpconv2}, {"mlpconv3", mlpconv3}, {"mlpconv4", mlpconv4}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        using namespace catena;
        Variable h = max_pooling_2d(mlpconv1(x), 3, {.stride = 2});
        h = max_pooling_2d(mlpconv2(h), 3, {.stride = 2});
        h = mlpconv4(dropout(max_pooling_2d(mlpconv3(h), 3, {.stride = 2})));
        return mean(h, {2, 3});  // one picture of scores for each class
    }
};

/// Convolution and batch normalization.
struct ConvBN : catena::Chain {
    catena::Convolution2D conv;
    catena::BatchNormalization bn;
    ConvBN(int64_t in, int64_t out, int64_t ksize, int64_t stride, int64_t pad)
        : conv(in, out, ksize, {.stride = stride, .pad = pad, .nobias = true, .initialW = catena::initializers::HeNormal()}), bn(out) {
        add_children({{"conv", conv}, {"bn", bn}});
    }
    catena::Variable operator()(const catena::Variable& x) { return bn(conv(x)); }
};

/// Three convolutions beside a connection past them, which has one of its own where the shape changes.
struct Bottleneck : catena::Chain {
    ConvBN a, b, c, shortcut;
    bool changes_shape;
    Bottleneck(int64_t in, int64_t channels, int64_t out, int64_t stride)
        : a(in, channels, 1, 1, 0), b(channels, channels, 3, stride, 1), c(channels, out, 1, 1, 0), shortcut(in, out, 1, stride, 0),
          changes_shape(in != out || stride != 1) {
        add_children({{"a", a}, {"b", b}, {"c", c}});
        if (changes_shape) add_child("shortcut", shortcut);
        else leave_out(shortcut);
    }
    catena::Variable operator()(const catena::Variable& x) {
        return catena::relu(c(catena::relu(b(catena::relu(a(x))))) + (changes_shape ? shortcut(x) : x));
    }
};

/// The residual network of 50 layers (He et al. 2016).
struct ResNet50 : catena::Chain {
    static constexpr int64_t insize = 224;
    ConvBN conv1{3, 64, 7, 2, 3};
    catena::ChainList blocks;
    catena::Linear fc;
    explicit ResNet50(int64_t classes) : fc(2048, classes) {
        int64_t in = 64;
        for (const auto& [count, channels] : {std::pair{3, 64}, {4, 128}, {6, 256}, {3, 512}})
            for (int i = 0; i < count; ++i) {
                blocks.append(Bottleneck(in, channels, 4 * channels, i == 0 && channels > 64 ? 2 : 1));
                in = 4 * channels;
            }
        add_children({{"conv1", conv1}, {"blocks", blocks}, {"fc", fc}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = catena::max_pooling_2d(catena::relu(conv1(x)), 3, {.stride = 2, .pad = 1, .cover_all = false});
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<Bottleneck>(i)(h);
        return fc(catena::mean(h, {2, 3}));
    }
};
