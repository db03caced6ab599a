#pragma once

#include <catena/catena.h>

#include <optional>
#include <string>
#include <vector>

#include "image_captioning/captions.h"
#include "support/means.h"
#include "support/setup.h"

/// Pictures [n, 3, 32, 32] to features [n, 256], for pictures that need no large network.
/// Normalization makes features that differ enough for the teller to hear them from the beginning.
struct SmallEncoder : catena::Chain {
    catena::Convolution2D conv1{3, 16, 3, halved()}, conv2{16, 32, 3, halved()},
        conv3{32, 64, 3, halved()};
    catena::BatchNormalization bn1{16}, bn2{32}, bn3{64}, bn_out{256};
    catena::Linear out{std::nullopt, 256, {.nobias = true}};
    SmallEncoder() {
        add_children({{"conv1", conv1},
                      {"bn1", bn1},
                      {"conv2", conv2},
                      {"bn2", bn2},
                      {"conv3", conv3},
                      {"bn3", bn3},
                      {"out", out},
                      {"bn_out", bn_out}});
    }
    catena::Variable operator()(const catena::Variable& x) {
        catena::Variable h = catena::relu(bn1(conv1(x)));
        h = catena::relu(bn2(conv2(h)));
        return bn_out(out(catena::relu(bn3(conv3(h)))));
    }

private:
    static catena::Convolution2DOptions halved() { return {.stride = 2, .pad = 1, .nobias = true}; }
};

/// Features of a picture to its caption: an LSTM layer is given the features, then the words
/// (Vinyals et al. 2015).
struct Teller : catena::Chain {
    catena::Linear embed_img;
    catena::EmbedID embed_word;
    catena::LSTM lstm;
    catena::Linear decode;
    double dropout;
    Teller(int64_t words, int64_t units, double dropout)
        : embed_img(units),
          embed_word(words, units, {.ignore_label = -1}),
          lstm(units, units),
          decode(units, words),
          dropout(dropout) {
        add_children({{"embed_img", embed_img},
                      {"embed_word", embed_word},
                      {"lstm", lstm},
                      {"decode", decode}});
    }
    /// Of captions [n, length] from <bos> to <eos>, filled with -1: the loss, and the share of
    /// right words.
    examples::Scores operator()(const catena::Variable& features,
                                const catena::Variable& captions) {
        namespace ct = catena;
        begin(features);
        const ct::Variables words = ct::separate(captions, 1);
        std::vector<ct::Variable> scores, targets(words.begin() + 1, words.end());
        for (size_t k = 0; k + 1 < words.size(); ++k) scores.push_back(next(words[k]));
        const ct::Variable y = ct::concat(scores, 0), t = ct::concat(targets, 0);
        return {ct::softmax_cross_entropy(y, t), ct::accuracy(y, t, -1)};
    }
    void begin(const catena::Variable& features) {
        lstm.reset_state();
        lstm(embed_img(catena::dropout(features, dropout)));
    }
    /// Scores of the words that may follow these.
    catena::Variable next(const catena::Variable& words) {
        return decode(catena::dropout(lstm(embed_word(words)), dropout));
    }
};

/// VGG-16's features, which stay as they are, or those of a small network that learns with the
/// teller.
class CaptionModel : public catena::Chain {
public:
    /// `vgg`: Chainer's converted file VGG_ILSVRC_16_layers.npz, or "" for the small network.
    CaptionModel(const std::string& vgg, int64_t words, int64_t units, double dropout);
    /// A picture [3, height, width], 0 to 255, as the encoder takes it.
    catena::Array prepared(const catena::Array& picture) const;
    /// The loss for prepared pictures and captions; reports it, and the share of right words.
    catena::Variable operator()(const catena::Variable& pictures, const catena::Variable& captions);
    /// The likeliest words, one after the other, of each picture.
    std::vector<std::vector<int32_t>> captions(const catena::Variable& pictures,
                                               int64_t most_words);

private:
    catena::Variable features(const catena::Variable& pictures);
    std::shared_ptr<catena::VGG16Layers> vgg_;  ///< Not a child: neither trained nor saved.
    SmallEncoder small_;
    Teller teller_;
};

/// "a large red disc"
std::string caption_of(const std::vector<int32_t>& numbers, const std::vector<std::string>& words);
