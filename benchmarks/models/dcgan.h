#pragma once

#include "frontend/catena.h"

namespace catena::models {

/// z [batch, latent] to pictures [batch, 3, 32, 32] in (-1, 1): three deconvolutions that double
/// the size from 4x4, of `width`, width / 2 and width / 4 channels.
struct DcganGenerator : Chain {
    int64_t width;
    Linear project;
    Deconvolution2D deconv1, deconv2, deconv3;
    BatchNormalization norm0, norm1, norm2;
    DcganGenerator(int64_t latent, int64_t width)
        : width(width),
          project(latent, 16 * width, {.nobias = true}),
          deconv1(width, width / 2, 4, {.stride = {2}, .pad = {1}, .nobias = true}),
          deconv2(width / 2, width / 4, 4, {.stride = {2}, .pad = {1}, .nobias = true}),
          deconv3(width / 4, 3, 4, {.stride = {2}, .pad = {1}}),
          norm0(width, {.eps = 1e-5}),
          norm1(width / 2, {.eps = 1e-5}),
          norm2(width / 4, {.eps = 1e-5}) {
        add_children({{"project", project},
                      {"norm0", norm0},
                      {"deconv1", deconv1},
                      {"norm1", norm1},
                      {"deconv2", deconv2},
                      {"norm2", norm2},
                      {"deconv3", deconv3}});
    }
    Variable operator()(const Variable& z) {
        Variable h = relu(norm0(reshape(project(z), {-1, width, 4, 4})));
        h = relu(norm1(deconv1(h)));
        h = relu(norm2(deconv2(h)));
        return tanh(deconv3(h));
    }
};

/// The mirror image: pictures [batch, 3, 32, 32] to one score each, [batch, 1], high for those of
/// the data.
struct DcganDiscriminator : Chain {
    Convolution2D conv1, conv2, conv3;
    BatchNormalization norm2, norm3;
    Linear out;
    explicit DcganDiscriminator(int64_t width)
        : conv1(3, width / 4, 4, {.stride = {2}, .pad = {1}}),
          conv2(width / 4, width / 2, 4, {.stride = {2}, .pad = {1}, .nobias = true}),
          conv3(width / 2, width, 4, {.stride = {2}, .pad = {1}, .nobias = true}),
          norm2(width / 2, {.eps = 1e-5}),
          norm3(width, {.eps = 1e-5}),
          out(16 * width, 1) {
        add_children({{"conv1", conv1},
                      {"conv2", conv2},
                      {"norm2", norm2},
                      {"conv3", conv3},
                      {"norm3", norm3},
                      {"out", out}});
    }
    Variable operator()(const Variable& x) {
        Variable h = leaky_relu(conv1(x), 0.2);
        h = leaky_relu(norm2(conv2(h)), 0.2);
        return out(leaky_relu(norm3(conv3(h)), 0.2));
    }
};

}  // namespace catena::models
