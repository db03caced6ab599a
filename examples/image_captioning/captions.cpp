#include "image_captioning/captions.h"

#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/pictures.h"
#include <catena/frontend/image/image.h>

namespace ct = catena;

std::vector<Captioned> made_up_captions(int64_t count, uint64_t seed) {
    static const std::vector<std::string> kinds = {
        "disc",    "ring",      "square",      "frame",       "cross",
        "saltire", "level bar", "upright bar", "slanted bar", "chequers"};
    static const std::vector<std::pair<std::string, std::array<float, 3>>> colours = {
        {"red", {1, 0, 0}},
        {"green", {0, 1, 0}},
        {"blue", {0, 0, 1}},
        {"yellow", {1, 1, 0}},
        {"white", {1, 1, 1}}};
    std::mt19937_64 random(seed);
    std::vector<Captioned> all;
    for (int64_t i = 0; i < count; ++i) {
        const size_t kind = random() % kinds.size(), colour = random() % colours.size();
        const bool large = random() % 2 == 1;
        const auto place = [&] { return 16 + float(random() % 5) - 2; };
        const examples::Shape shape{int(kind), large ? 13.f : 7.f, place(), place(),
                                    colours[colour].second};
        std::vector<float> pixels(3 * 32 * 32);
        examples::draw(shape, pixels.data(), random);
        const ct::Array picture = ct::Array::from(pixels, {3, 32, 32}) * 255;
        const std::string caption = fmt::format("a {} {} {}", large ? "large" : "small",
                                                colours[colour].first, kinds[kind]);
        all.push_back({[picture] { return picture; }, {words_of(caption)}});
    }
    return all;
}

std::vector<Captioned> read_mscoco(const std::string& annotations, const std::string& folder) {
    std::ifstream file(annotations);
    if (!file) ct::fail<ct::FileError>("captions: cannot open {}", annotations);
    std::map<int64_t, Captioned> by_id;
    try {
        const nlohmann::json content = nlohmann::json::parse(file);
        for (const auto& image : content.at("images")) {
            const std::string path = folder + "/" + image.at("file_name").get<std::string>();
            by_id[image.at("id").get<int64_t>()].picture = [path] {
                return ct::read_image(path).astype(ct::Dtype::float32);
            };
        }
        for (const auto& annotation : content.at("annotations")) {
            const auto found = by_id.find(annotation.at("image_id").get<int64_t>());
            if (found == by_id.end())
                ct::fail<ct::FileError>(
                    "captions: {} has a caption of image {}, which it does not list", annotations,
                    annotation.at("image_id").get<int64_t>());
            found->second.captions.push_back(words_of(annotation.at("caption").get<std::string>()));
        }
    } catch (const nlohmann::json::exception& error) {
        ct::fail<ct::FileError>("captions: {} is not as MSCOCO's files of captions: {}",
                                annotations, error.what());
    }
    std::vector<Captioned> all;
    for (auto& [id, captioned] : by_id)
        if (!captioned.captions.empty()) all.push_back(std::move(captioned));
    if (all.empty())
        ct::fail<ct::FileError>("captions: {} has no picture with a caption", annotations);
    return all;
}

std::vector<std::string> words_of(const std::string& caption) {
    std::vector<std::string> words(1);
    for (const char c : caption) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            words.back() += char(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

std::map<std::string, int32_t> vocabulary_of(const std::vector<Captioned>& all, int64_t least) {
    std::map<std::string, int64_t> counts;
    for (const Captioned& captioned : all)
        for (const auto& caption : captioned.captions)
            for (const std::string& word : caption) ++counts[word];
    std::map<std::string, int32_t> vocabulary = {
        {"<unk>", unknown_word}, {"<bos>", begin_of_caption}, {"<eos>", end_of_caption}};
    for (const auto& [word, count] : counts)
        if (count >= least) vocabulary.try_emplace(word, int32_t(vocabulary.size()));
    return vocabulary;
}
