#pragma once

#include <catena/catena.h>

#include <cmath>
#include <vector>

/// Sizes of a WaveNet: blocks are repeated `n_loop` times with dilations 1, 2, 4, ... (n_layer of
/// them).
struct WaveNetSizes {
    int64_t n_loop = 4, n_layer = 10;
    int64_t a_channels = 256;  ///< Levels of the signal.
    int64_t r_channels = 64;   ///< In the residual blocks.
    int64_t s_channels = 256;  ///< Of what all blocks add up to.
    int64_t conditions = 8;    ///< Numbers that describe a frame.
    int64_t frame = 64;        ///< Samples of a frame.
    int64_t receptive_field() const { return n_loop * ((int64_t(1) << n_layer) - 1) + 2; }
};

/// A gated convolution over this sample and one `dilation` samples ago.
struct ResidualBlock : catena::Chain {
    int64_t dilation;
    catena::Convolution2D conv, cond, res, skip;
    ResidualBlock(const WaveNetSizes& sizes, int64_t dilation)
        : dilation(dilation),
          conv(sizes.r_channels, 2 * sizes.r_channels, {1, 2},
               {.pad = {0, dilation}, .dilate = {1, dilation}}),
          cond(sizes.conditions, 2 * sizes.r_channels, 1),
          res(sizes.r_channels, sizes.r_channels, 1),
          skip(sizes.r_channels, sizes.s_channels, 1) {
        add_children({{"conv", conv}, {"cond", cond}, {"res", res}, {"skip", skip}});
    }
    struct Result {
        catena::Variable next, skip;
    };
    Result operator()(const catena::Variable& x, const catena::Variable& condition) {
        const catena::Variable h =
            catena::slice_axis(conv(x), 3, 0, x.shape()[3]) + cond(condition);
        const catena::Variables halves = catena::split_axis(h, 2, 1);
        const catena::Variable z = catena::tanh(halves[0]) * catena::sigmoid(halves[1]);
        return {x + res(z), skip(z)};
    }
};

/// Scores of the next sample's level after every sample (van den Oord et al. 2016), given a
/// description of its frame.
struct WaveNet : catena::Chain {
    WaveNetSizes sizes;
    catena::EmbedID embed;
    catena::ChainList blocks;
    catena::Convolution2D proj1, proj2;
    explicit WaveNet(const WaveNetSizes& sizes)
        : sizes(sizes),
          embed(sizes.a_channels, sizes.r_channels),
          proj1(sizes.s_channels, sizes.s_channels, 1),
          proj2(sizes.s_channels, sizes.a_channels, 1) {
        for (int64_t loop = 0; loop < sizes.n_loop; ++loop)
            for (int64_t layer = 0; layer < sizes.n_layer; ++layer)
                blocks.append(ResidualBlock(sizes, int64_t(1) << layer));
        add_children({{"embed", embed}, {"blocks", blocks}, {"proj1", proj1}, {"proj2", proj2}});
    }
    /// Levels [n, length] and frames [n, conditions, length / frame] to scores [n, levels, length].
    catena::Variable operator()(const catena::Variable& levels, const catena::Variable& frames) {
        catena::Variable x =
            catena::expand_dims(catena::transpose(catena::tanh(embed(levels)), {0, 2, 1}), 2);
        const catena::Variable condition =
            catena::expand_dims(catena::repeat(frames, sizes.frame, 2), 2);
        catena::Variable sum;
        for (size_t i = 0; i < blocks.size(); ++i) {
            const auto [next, skip] = blocks.get<ResidualBlock>(i)(x, condition);
            x = next;
            sum = i == 0 ? skip : sum + skip;
        }
        return catena::squeeze(proj2(catena::relu(proj1(catena::relu(sum)))), {2});
    }
};

/// Signals in [-1, 1] as levels, finer near 0, and back.
class MuLaw {
public:
    explicit MuLaw(int64_t levels) : mu_(double(levels - 1)) {}
    int32_t level(double x) const {
        const double y = std::copysign(std::log1p(mu_ * std::abs(x)) / std::log1p(mu_), x);
        return int32_t(std::floor((y + 1) / 2 * mu_ + 0.5));
    }
    double signal(int32_t level) const {
        const double y = 2 * double(level) / mu_ - 1;
        return std::copysign((std::pow(1 + mu_, std::abs(y)) - 1) / mu_, y);
    }

private:
    double mu_;
};

/// A melody of `frames` notes, each a tone with one overtone; its number among `notes` describes
/// the frame.
struct Melody {
    std::vector<float> signal;
    std::vector<int> notes;
};
inline Melody play(const std::vector<int>& notes, int64_t frame) {
    Melody melody{{}, notes};
    double phase = 0;
    for (const int note : notes)
        for (int64_t i = 0; i < frame; ++i) {
            phase += 2 * M_PI * 0.02 * std::pow(2.0, double(note) / 4);
            melody.signal.push_back(float(0.6 * std::sin(phase) + 0.3 * std::sin(2 * phase)));
        }
    return melody;
}

/// [conditions, frames] with a 1 for each frame's note.
inline catena::Array described(const std::vector<int>& notes, int64_t conditions) {
    std::vector<float> values(size_t(conditions) * notes.size(), 0.f);
    for (size_t i = 0; i < notes.size(); ++i) values[size_t(notes[i]) * notes.size() + i] = 1;
    return catena::Array::from(values, {conditions, int64_t(notes.size())});
}
