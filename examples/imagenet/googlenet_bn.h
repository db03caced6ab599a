#pragma once

#include <catena/catena.h>

/// GoogLeNet with batch normalization (Ioffe and Szegedy 2015), with two further classifiers as
/// there. Pictures of 80 x 80 and more.
struct GoogLeNetBN : catena::Chain {
    static constexpr int64_t insize = 224;

    /// Scores from the middle of the network.
    struct Branch : catena::Chain {
        catena::Convolution2D conv{std::nullopt, 128, 1, {.nobias = true}};
        catena::BatchNormalization norm{128}, norm2{1024};
        catena::Linear lin{std::nullopt, 1024, {.nobias = true}}, out;
        explicit Branch(int64_t classes) : out(classes) {
            add_children(
                {{"conv", conv}, {"norm", norm}, {"lin", lin}, {"norm2", norm2}, {"out", out}});
        }
        catena::Variable operator()(const catena::Variable& x) {
            const catena::Variable h =
                catena::relu(norm(conv(catena::average_pooling_2d(x, 5, 3))));
            return out(catena::relu(norm2(lin(h))));
        }
    };

    catena::Convolution2D conv1{std::nullopt, 64, 7, {.stride = 2, .pad = 3, .nobias = true}},
        conv2{std::nullopt, 192, 3, {.pad = 1, .nobias = true}};
    catena::BatchNormalization norm1{64}, norm2{192};
    catena::InceptionBN inc3a{{}, {64, 64, 64, 64, 96, "avg", 32}},
        inc3b{{}, {64, 64, 96, 64, 96, "avg", 64}}, inc3c{{}, {0, 128, 160, 64, 96, "max", {}, 2}},
        inc4a{{}, {224, 64, 96, 96, 128, "avg", 128}},
        inc4b{{}, {192, 96, 128, 96, 128, "avg", 128}},
        inc4c{{}, {160, 128, 160, 128, 160, "avg", 128}},
        inc4d{{}, {96, 128, 192, 160, 192, "avg", 128}},
        inc4e{{}, {0, 128, 192, 192, 256, "max", {}, 2}},
        inc5a{{}, {352, 192, 320, 160, 224, "avg", 128}},
        inc5b{{}, {352, 192, 320, 192, 224, "max", 128}};
    catena::Linear out;
    Branch a, b;

    explicit GoogLeNetBN(int64_t classes) : out(classes), a(classes), b(classes) {
        add_children({{"conv1", conv1},
                      {"norm1", norm1},
                      {"conv2", conv2},
                      {"norm2", norm2},
                      {"inc3a", inc3a},
                      {"inc3b", inc3b},
                      {"inc3c", inc3c},
                      {"inc4a", inc4a},
                      {"inc4b", inc4b},
                      {"inc4c", inc4c},
                      {"inc4d", inc4d},
                      {"inc4e", inc4e},
                      {"inc5a", inc5a},
                      {"inc5b", inc5b},
                      {"out", out},
                      {"a", a},
                      {"b", b}});
    }

    /// The loss; reports it, its parts and the accuracy.
    catena::Variable operator()(const catena::Variable& x, const catena::Variable& t) {
        using namespace catena;
        Variable h = max_pooling_2d(relu(norm1(conv1(x))), 3, {.stride = 2, .pad = 1});
        h = max_pooling_2d(relu(norm2(conv2(h))), 3, {.stride = 2, .pad = 1});
        h = inc4a(inc3c(inc3b(inc3a(h))));
        const Variable first = softmax_cross_entropy(a(h), t);
        h = inc4d(inc4c(inc4b(h)));
        const Variable second = softmax_cross_entropy(b(h), t);
        const Variable y = out(mean(inc5b(inc5a(inc4e(h))), {2, 3}));
        const Variable third = softmax_cross_entropy(y, t), loss = 0.3 * (first + second) + third;
        report({{"loss", loss},
                {"loss1", first},
                {"loss2", second},
                {"loss3", third},
                {"accuracy", accuracy(y, t)}},
               *this);
        return loss;
    }
};
