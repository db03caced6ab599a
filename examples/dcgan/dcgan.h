#pragma once

#include <catena/catena.h>

/// z [n, latent] to pictures [n, 3, 32, 32] in (0, 1) (Radford, Metz and Chintala 2015).
struct Generator : catena::Chain {
    int64_t latent, width;
    catena::Linear l0;
    catena::Deconvolution2D dc1, dc2, dc3, dc4;
    catena::BatchNormalization bn0, bn1, bn2, bn3;
    explicit Generator(int64_t latent, int64_t width = 512)
        : latent(latent),
          width(width),
          l0(latent, 16 * width, {.initialW = normal()}),
          dc1(width, width / 2, 4, doubled()),
          dc2(width / 2, width / 4, 4, doubled()),
          dc3(width / 4, width / 8, 4, doubled()),
          dc4(width / 8, 3, 3, {.stride = 1, .pad = 1, .initialW = normal()}),
          bn0(16 * width),
          bn1(width / 2),
          bn2(width / 4),
          bn3(width / 8) {
        add_children({{"l0", l0},
                      {"dc1", dc1},
                      {"dc2", dc2},
                      {"dc3", dc3},
                      {"dc4", dc4},
                      {"bn0", bn0},
                      {"bn1", bn1},
                      {"bn2", bn2},
                      {"bn3", bn3}});
    }
    catena::Variable make_hidden(int64_t n) const { return catena::random_normal({n, latent}); }
    catena::Variable operator()(const catena::Variable& z) {
        catena::Variable h = catena::reshape(catena::relu(bn0(l0(z))), {-1, width, 4, 4});
        h = catena::relu(bn1(dc1(h)));
        h = catena::relu(bn2(dc2(h)));
        h = catena::relu(bn3(dc3(h)));
        return catena::sigmoid(dc4(h));
    }

private:
    static catena::Initializer normal() { return catena::initializers::Normal(0.02); }
    static catena::Deconvolution2DOptions doubled() {
        return {.stride = 2, .pad = 1, .initialW = normal()};
    }
};

/// Pictures [n, 3, 32, 32] to scores [n, 1], high for those of the data. Noise is added in
/// training.
struct Discriminator : catena::Chain {
    catena::Convolution2D c0_0, c0_1, c1_0, c1_1, c2_0, c2_1, c3_0;
    catena::Linear l4;
    catena::BatchNormalization bn0_1, bn1_0, bn1_1, bn2_0, bn2_1, bn3_0;
    explicit Discriminator(int64_t width = 512)
        : c0_0(3, width / 8, 3, same()),
          c0_1(width / 8, width / 4, 4, halved()),
          c1_0(width / 4, width / 4, 3, same()),
          c1_1(width / 4, width / 2, 4, halved()),
          c2_0(width / 2, width / 2, 3, same()),
          c2_1(width / 2, width, 4, halved()),
          c3_0(width, width, 3, same()),
          l4(16 * width, 1, {.initialW = normal()}),
          bn0_1(width / 4, no_gamma()),
          bn1_0(width / 4, no_gamma()),
          bn1_1(width / 2, no_gamma()),
          bn2_0(width / 2, no_gamma()),
          bn2_1(width, no_gamma()),
          bn3_0(width, no_gamma()) {
        add_children({{"c0_0", c0_0},
                      {"c0_1", c0_1},
                      {"c1_0", c1_0},
                      {"c1_1", c1_1},
                      {"c2_0", c2_0},
                      {"c2_1", c2_1},
                      {"c3_0", c3_0},
                      {"l4", l4},
                      {"bn0_1", bn0_1},
                      {"bn1_0", bn1_0},
                      {"bn1_1", bn1_1},
                      {"bn2_0", bn2_0},
                      {"bn2_1", bn2_1},
                      {"bn3_0", bn3_0}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = catena::leaky_relu(c0_0(noisy(x)));
        h = catena::leaky_relu(noisy(bn0_1(c0_1(h))));
        h = catena::leaky_relu(noisy(bn1_0(c1_0(h))));
        h = catena::leaky_relu(noisy(bn1_1(c1_1(h))));
        h = catena::leaky_relu(noisy(bn2_0(c2_0(h))));
        h = catena::leaky_relu(noisy(bn2_1(c2_1(h))));
        h = catena::leaky_relu(noisy(bn3_0(c3_0(h))));
        return l4(h);
    }

private:
    static catena::Initializer normal() { return catena::initializers::Normal(0.02); }
    static catena::Convolution2DOptions same() {
        return {.stride = 1, .pad = 1, .initialW = normal()};
    }
    static catena::Convolution2DOptions halved() {
        return {.stride = 2, .pad = 1, .initialW = normal()};
    }
    static catena::BatchNormalizationLinkOptions no_gamma() { return {.use_gamma = false}; }
    static catena::Variable noisy(const catena::Variable& x) {
        return catena::config().train ? x + 0.2 * catena::random_normal(x.shape()) : x;
    }
};
