#pragma once

#include <catena/catena.h>

/// Convolution and batch normalization.
struct ConvBN : catena::Chain {
    catena::Convolution2D conv;
    catena::BatchNormalization bn;
    ConvBN(int64_t in, int64_t out, int64_t ksize, int64_t stride, int64_t pad, int64_t groups = 1)
        : conv(in, out, ksize,
               {.stride = stride,
                .pad = pad,
                .nobias = true,
                .initialW = catena::initializers::HeNormal(),
                .groups = groups}),
          bn(out) {
        add_children({{"conv", conv}, {"bn", bn}});
    }
    catena::Variable operator()(const catena::Variable& x) { return bn(conv(x)); }
};

/// Three convolutions, the middle one in `groups`, beside a connection past them, which has one of
/// its own where the shape changes.
struct Bottleneck : catena::Chain {
    ConvBN a, b, c, shortcut;
    bool changes_shape;
    Bottleneck(int64_t in, int64_t channels, int64_t out, int64_t stride, int64_t groups)
        : a(in, channels, 1, 1, 0),
          b(channels, channels, 3, stride, 1, groups),
          c(channels, out, 1, 1, 0),
          shortcut(in, out, 1, stride, 0),
          changes_shape(in != out || stride != 1) {
        add_children({{"a", a}, {"b", b}, {"c", c}});
        if (changes_shape)
            add_child("shortcut", shortcut);
        else
            leave_out(shortcut);
    }
    catena::Variable operator()(const catena::Variable& x) {
        return catena::relu(c(catena::relu(b(catena::relu(a(x))))) +
                            (changes_shape ? shortcut(x) : x));
    }
};

/// A residual network of 50 layers: 3, 4, 6 and 3 blocks, whose middle convolutions have `width`,
/// 2, 4 and 8 times as many channels.
struct Residual50 : catena::Chain {
    static constexpr int64_t insize = 224;
    ConvBN conv1{3, 64, 7, 2, 3};
    catena::ChainList blocks;
    catena::Linear fc;
    Residual50(int64_t classes, int64_t width, int64_t groups) : fc(2048, classes) {
        int64_t in = 64, out = 256;
        for (const int count : {3, 4, 6, 3}) {
            for (int i = 0; i < count; ++i) {
                blocks.append(Bottleneck(in, width, out, i == 0 && out > 256 ? 2 : 1, groups));
                in = out;
            }
            width *= 2, out *= 2;
        }
        add_children({{"conv1", conv1}, {"blocks", blocks}, {"fc", fc}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = catena::max_pooling_2d(catena::relu(conv1(x)), 3,
                                                    {.stride = 2, .pad = 1, .cover_all = false});
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<Bottleneck>(i)(h);
        return fc(catena::mean(h, {2, 3}));
    }
};

/// He et al. 2016.
struct ResNet50 : Residual50 {
    explicit ResNet50(int64_t classes) : Residual50(classes, 64, 1) {}
};

/// Xie et al. 2017: twice the channels, in 32 groups that do not see each other.
struct ResNeXt50 : Residual50 {
    explicit ResNeXt50(int64_t classes) : Residual50(classes, 128, 32) {}
};
