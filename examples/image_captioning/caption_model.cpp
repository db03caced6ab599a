#include "image_captioning/caption_model.h"

namespace ct = catena;

CaptionModel::CaptionModel(const std::string& vgg, int64_t words, int64_t units, double dropout)
    : vgg_(vgg.empty() ? nullptr : std::make_shared<ct::VGG16Layers>(vgg)),
      teller_(words, units, dropout) {
    add_child("teller", teller_);
    if (vgg_)
        leave_out(small_);
    else
        add_child("encoder", small_);
}

ct::Array CaptionModel::prepared(const ct::Array& picture) const {
    if (vgg_) return ct::vgg::prepare(picture);
    const auto no_graph = ct::no_backprop_mode();
    return (ct::squeeze(ct::resize_images(ct::expand_dims(picture, 0), {32, 32}), {0}) / 255.0)
        .array();
}

ct::Variable CaptionModel::features(const ct::Variable& pictures) {
    if (!vgg_) return small_(pictures);
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    return (*vgg_)(pictures, {"fc7"}).at("fc7");
}

ct::Variable CaptionModel::operator()(const ct::Variable& pictures, const ct::Variable& captions) {
    const examples::Scores scores = teller_(features(pictures), captions);
    ct::report({{"loss", scores.loss}, {"accuracy", scores.accuracy}}, *this);
    return scores.loss;
}

std::vector<std::vector<int32_t>> CaptionModel::captions(const ct::Variable& pictures,
                                                         int64_t most_words) {
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    const size_t n = size_t(pictures.shape()[0]);
    teller_.begin(features(pictures));
    std::vector<int32_t> words(n, begin_of_caption);
    std::vector<std::vector<int32_t>> told(n);
    std::vector<bool> ended(n);
    for (int64_t k = 0; k < most_words; ++k) {
        const ct::Variable given = ct::Array::from(words, {int64_t(n)}).to(pictures.device());
        words = ct::argmax(teller_.next(given), 1).array().to_vector<int32_t>();
        for (size_t i = 0; i < n; ++i) {
            ended[i] = ended[i] || words[i] == end_of_caption;
            if (!ended[i]) told[i].push_back(words[i]);
        }
    }
    return told;
}

std::string caption_of(const std::vector<int32_t>& numbers, const std::vector<std::string>& words) {
    std::string text;
    for (const int32_t number : numbers) text += (text.empty() ? "" : " ") + words[size_t(number)];
    return text;
}
