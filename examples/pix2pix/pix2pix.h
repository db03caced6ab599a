#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <vector>

/// Convolution or its transpose that halves or doubles the size, batch normalization, dropout, an
/// activation.
struct CBR : catena::Chain {
    enum class Sample { down, up };
    enum class Activation { relu, leaky_relu };
    Sample sample;
    Activation activation;
    bool normalized, drops;
    catena::Convolution2D down;
    catena::Deconvolution2D up;
    catena::BatchNormalization norm;
    CBR(int64_t in, int64_t out, Sample sample, Activation activation, bool normalized = true,
        bool drops = false)
        : sample(sample),
          activation(activation),
          normalized(normalized),
          drops(drops),
          down(in, out, 4, {.stride = 2, .pad = 1, .initialW = catena::initializers::Normal(0.02)}),
          up(in, out, 4, {.stride = 2, .pad = 1, .initialW = catena::initializers::Normal(0.02)}),
          norm(out) {
        if (sample == Sample::down)
            add_child("c", down), leave_out(up);
        else
            add_child("c", up), leave_out(down);
        if (normalized)
            add_child("batchnorm", norm);
        else
            leave_out(norm);
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = sample == Sample::down ? down(x) : up(x);
        if (normalized) h = norm(h);
        if (drops) h = catena::dropout(h);
        return activation == Activation::relu ? catena::relu(h) : catena::leaky_relu(h);
    }
};

/// Pictures [n, in, s, s] to features of sizes s, s / 2, ... for a decoder (Isola et al. 2017).
struct Encoder : catena::Chain {
    catena::Convolution2D c0;
    catena::ChainList blocks;
    Encoder(int64_t in, int64_t width, int64_t levels)
        : c0(in, width, 3,
             {.stride = 1, .pad = 1, .initialW = catena::initializers::Normal(0.02)}) {
        for (int64_t i = 0; i < levels; ++i)
            blocks.append(CBR(width * channels(i), width * channels(i + 1), CBR::Sample::down,
                              CBR::Activation::leaky_relu));
        add_children({{"c0", c0}, {"blocks", blocks}});
    }
    std::vector<catena::Variable> operator()(const catena::Variable& x) {
        std::vector<catena::Variable> features{catena::leaky_relu(c0(x))};
        for (size_t i = 0; i < blocks.size(); ++i)
            features.push_back(blocks.get<CBR>(i)(features.back()));
        return features;
    }
    /// Channels after i halvings, as multiples of the width.
    static int64_t channels(int64_t i) { return std::min<int64_t>(int64_t(1) << i, 8); }
};

/// Features of an encoder to pictures [n, out, s, s]; each size is joined with the encoder's
/// features of that size.
struct Decoder : catena::Chain {
    catena::ChainList blocks;
    catena::Convolution2D out;
    Decoder(int64_t out_channels, int64_t width, int64_t levels)
        : out(2 * width, out_channels, 3,
              {.stride = 1, .pad = 1, .initialW = catena::initializers::Normal(0.02)}) {
        for (int64_t i = levels; i > 0; --i)
            blocks.append(CBR((i == levels ? 1 : 2) * width * Encoder::channels(i),
                              width * Encoder::channels(i - 1), CBR::Sample::up,
                              CBR::Activation::relu, true, levels - i < 2));
        add_children({{"blocks", blocks}, {"out", out}});
    }
    catena::Variable operator()(const std::vector<catena::Variable>& features) {
        catena::Variable h = features.back();
        for (size_t i = 0; i < blocks.size(); ++i)
            h = catena::concat({blocks.get<CBR>(i)(h), features[features.size() - 2 - i]}, 1);
        return out(h);
    }
};

/// Scores of patches of a picture beside what it was made from.
struct PatchDiscriminator : catena::Chain {
    CBR c0_0, c0_1, c1, c2;
    catena::Convolution2D c3;
    PatchDiscriminator(int64_t in, int64_t out, int64_t width)
        : c0_0(in, width / 2, CBR::Sample::down, CBR::Activation::leaky_relu, false),
          c0_1(out, width / 2, CBR::Sample::down, CBR::Activation::leaky_relu, false),
          c1(width, 2 * width, CBR::Sample::down, CBR::Activation::leaky_relu),
          c2(2 * width, 4 * width, CBR::Sample::down, CBR::Activation::leaky_relu),
          c3(4 * width, 1, 3,
             {.stride = 1, .pad = 1, .initialW = catena::initializers::Normal(0.02)}) {
        add_children({{"c0_0", c0_0}, {"c0_1", c0_1}, {"c1", c1}, {"c2", c2}, {"c3", c3}});
    }
    catena::Variable operator()(const catena::Variable& from, const catena::Variable& picture) {
        return c3(c2(c1(catena::concat({c0_0(from), c0_1(picture)}, 1))));
    }
};
