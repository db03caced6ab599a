#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

struct Text {
    int32_t label;
    std::vector<std::string> words;
};

/// Lines "label<tab>text"; labels are 0, 1, ...
inline std::vector<Text> read_texts(const std::string& path) {
    std::ifstream file(path);
    if (!file) catena::fail<catena::FileError>("text_classifier: cannot open {}", path);
    std::vector<Text> texts;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        std::istringstream words(line);
        Text text;
        if (!(words >> text.label) || text.label < 0)
            catena::fail<catena::FileError>(
                "text_classifier: {}:{}: a line should be a label 0, 1, ... and a text", path,
                number);
        for (std::string word; words >> word;) text.words.push_back(word);
        texts.push_back(text);
    }
    if (texts.empty()) catena::fail<catena::FileError>("text_classifier: {} has no text", path);
    return texts;
}

/// Reviews for those who have none: 1 if it praises. "not" turns the word behind it around, so that
/// words alone mislead.
inline std::vector<Text> made_up_reviews(int64_t count, uint64_t seed) {
    static const std::vector<std::string> good = {"fine", "moving", "clever", "funny", "beautiful"},
                                          bad = {"dull", "slow", "silly", "empty", "loud"},
                                          fill = {"the",   "film", "plot", "is",   "cast", "and",
                                                  "music", "a",    "very", "this", "story"};
    std::mt19937_64 random(seed);
    const auto any = [&](const std::vector<std::string>& words) {
        return words[random() % words.size()];
    };
    std::vector<Text> texts;
    for (int64_t i = 0; i < count; ++i) {
        Text text{int32_t(random() % 2), {}};
        const size_t length = 6 + random() % 20, place = random() % (length - 2);
        for (size_t word = 0; word < length; ++word) text.words.push_back(any(fill));
        const bool turned = random() % 3 == 0;
        if (turned) text.words[place] = "not";
        text.words[place + 1] = any((text.label == 1) != turned ? good : bad);
        texts.push_back(text);
    }
    return texts;
}

/// Stands for all words that are not in the vocabulary.
inline const std::string unknown_word = "<unk>";

/// Words that occur at least twice, by number; 0 stands for all others.
inline std::map<std::string, int32_t> vocabulary_of(const std::vector<Text>& texts) {
    std::map<std::string, int> counts;
    for (const Text& text : texts)
        for (const std::string& word : text.words) ++counts[word];
    std::map<std::string, int32_t> vocabulary;
    for (const auto& [word, count] : counts)
        if (count >= 2) vocabulary.try_emplace(word, int32_t(vocabulary.size()) + 1);
    return vocabulary;
}

/// Tuples of the first words' numbers, filled with -1, and the label.
inline catena::Dataset dataset_of(const std::vector<Text>& texts,
                                  const std::map<std::string, int32_t>& vocabulary,
                                  int64_t most_words) {
    const int64_t n = int64_t(texts.size());
    std::vector<int32_t> words(size_t(n * most_words), -1), labels;
    for (int64_t i = 0; i < n; ++i) {
        const Text& text = texts[size_t(i)];
        for (int64_t k = 0; k < std::min(most_words, int64_t(text.words.size())); ++k) {
            const auto found = vocabulary.find(text.words[size_t(k)]);
            words[size_t(i * most_words + k)] = found == vocabulary.end() ? 0 : found->second;
        }
        labels.push_back(text.label);
    }
    return catena::TupleDataset(catena::Array::from(words, {n, most_words}),
                                catena::Array::from(labels, {n}));
}
