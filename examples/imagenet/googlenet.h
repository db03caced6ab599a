#pragma once

#include <catena/catena.h>

/// The network of Szegedy et al. 2015. In training two further classifiers in the middle bring
/// gradients to the first layers. Pictures of 80 x 80 and more.
struct GoogLeNet : catena::Chain {
    static constexpr int64_t insize = 224;

    /// Scores from the middle of the network.
    struct Branch : catena::Chain {
        catena::Convolution2D conv;
        catena::Linear fc1, fc2;
        explicit Branch(int64_t classes) : conv(std::nullopt, 128, 1), fc1(1024), fc2(classes) {
            add_children({{"conv", conv}, {"fc1", fc1}, {"fc2", fc2}});
        }
        catena::Variable operator()(const catena::Variable& x) {
            const catena::Variable h = catena::average_pooling_2d(x, 5, 3);
            return fc2(catena::relu(fc1(catena::relu(conv(h)))));
        }
    };

    catena::Convolution2D conv1{std::nullopt, 64, 7, {.stride = 2, .pad = 3}},
        conv2_reduce{std::nullopt, 64, 1}, conv2{std::nullopt, 192, 3, {.pad = 1}};
    catena::Inception inc3a{{}, {64, 96, 128, 16, 32, 32}}, inc3b{{}, {128, 128, 192, 32, 96, 64}},
        inc4a{{}, {192, 96, 208, 16, 48, 64}}, inc4b{{}, {160, 112, 224, 24, 64, 64}},
        inc4c{{}, {128, 128, 256, 24, 64, 64}}, inc4d{{}, {112, 144, 288, 32, 64, 64}},
        inc4e{{}, {256, 160, 320, 32, 128, 128}}, inc5a{{}, {256, 160, 320, 32, 128, 128}},
        inc5b{{}, {384, 192, 384, 48, 128, 128}};
    catena::Linear loss3_fc;
    Branch loss1, loss2;

    explicit GoogLeNet(int64_t classes) : loss3_fc(classes), loss1(classes), loss2(classes) {
        add_children({{"conv1", conv1},
                      {"conv2_reduce", conv2_reduce},
                      {"conv2", conv2},
                      {"inc3a", inc3a},
                      {"inc3b", inc3b},
                      {"inc4a", inc4a},
                      {"inc4b", inc4b},
                      {"inc4c", inc4c},
                      {"inc4d", inc4d},
                      {"inc4e", inc4e},
                      {"inc5a", inc5a},
                      {"inc5b", inc5b},
                      {"loss3_fc", loss3_fc},
                      {"loss1", loss1},
                      {"loss2", loss2}});
    }

    /// The loss; reports it, its parts and the accuracy.
    catena::Variable operator()(const catena::Variable& x, const catena::Variable& t) {
        using namespace catena;
        Variable h = local_response_normalization(max_pooling_2d(relu(conv1(x)), 3, {.stride = 2}));
        h = local_response_normalization(relu(conv2(relu(conv2_reduce(h)))));
        h = inc3b(inc3a(max_pooling_2d(h, 3, {.stride = 2})));
        h = inc4a(max_pooling_2d(h, 3, {.stride = 2}));
        const Variable first = softmax_cross_entropy(loss1(h), t);
        h = inc4d(inc4c(inc4b(h)));
        const Variable second = softmax_cross_entropy(loss2(h), t);
        h = inc5b(inc5a(max_pooling_2d(inc4e(h), 3, {.stride = 2})));
        const Variable y = loss3_fc(dropout(mean(h, {2, 3}), 0.4));
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
