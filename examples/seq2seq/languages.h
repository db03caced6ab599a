#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/example.h"

using Words = std::vector<int32_t>;
constexpr int32_t unknown = 0, end_of_sentence = 1;

using Sentences = std::vector<std::vector<std::string>>;

/// Words by number, the most frequent first, after the two that every language has.
struct Vocabulary {
    std::vector<std::string> words{"<UNK>", "<EOS>"};
    std::map<std::string, int32_t> numbers;
    Vocabulary(const Sentences& sentences, int64_t most) {
        std::map<std::string, int64_t> counts;
        for (const auto& sentence : sentences)
            for (const std::string& word : sentence) ++counts[word];
        std::vector<std::pair<int64_t, std::string>> sorted;
        for (const auto& [word, count] : counts) sorted.push_back({-count, word});
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [count, word] : sorted) {
            if (int64_t(words.size()) == most) break;
            numbers[word] = int32_t(words.size());
            words.push_back(word);
        }
    }
    Words encode(const std::vector<std::string>& sentence) const {
        Words encoded;
        for (const std::string& word : sentence) {
            const auto found = numbers.find(word);
            encoded.push_back(found == numbers.end() ? unknown : found->second);
        }
        return encoded;
    }
};

inline Sentences read_sentences(const std::string& path) {
    std::ifstream file(path);
    if (!file) catena::fail<catena::FileError>("seq2seq: cannot open {}", path);
    Sentences sentences;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        sentences.emplace_back();
        for (std::string word; words >> word;) sentences.back().push_back(word);
    }
    if (sentences.empty()) catena::fail<catena::FileError>("seq2seq: {} has no sentence", path);
    return sentences;
}

/// Two made-up languages: the words of one stand for words of the other, which puts them in the
/// opposite order.
inline std::pair<Sentences, Sentences> made_up_languages(int64_t count, uint64_t seed) {
    static const std::vector<std::string> words = {"one",  "two", "three", "four",
                                                   "five", "six", "seven", "eight"},
                                          theirs = {"un",   "deux", "trois", "quatre",
                                                    "cinq", "six",  "sept",  "huit"};
    std::mt19937_64 random(seed);
    std::pair<Sentences, Sentences> pairs;
    for (int64_t i = 0; i < count; ++i) {
        std::vector<std::string> ours, translated;
        for (size_t length = 1 + random() % 5; length > 0; --length) {
            const size_t word = random() % words.size();
            ours.push_back(words[word]);
            translated.insert(translated.begin(), theirs[word]);
        }
        pairs.first.push_back(ours);
        pairs.second.push_back(translated);
    }
    return pairs;
}

/// Pairs of sentences whose lengths are allowed, as numbers.
struct Pairs {
    std::vector<Words> sources, targets;
};
inline Pairs encoded(const Sentences& sources, const Sentences& targets, const Vocabulary& from,
                     const Vocabulary& to, int64_t most) {
    if (sources.size() != targets.size())
        catena::fail<catena::ValueError>("seq2seq: {} sentences and {} translations",
                                         sources.size(), targets.size());
    const auto fits = [most](const auto& s) { return !s.empty() && int64_t(s.size()) <= most; };
    Pairs pairs;
    for (size_t i = 0; i < sources.size(); ++i)
        if (fits(sources[i]) && fits(targets[i])) {
            pairs.sources.push_back(from.encode(sources[i]));
            pairs.targets.push_back(to.encode(targets[i]));
        }
    if (pairs.sources.empty())
        catena::fail<catena::ValueError>(
            "seq2seq: none of {} pairs of sentences has 1 to {} words (--max-sentence)",
            sources.size(), most);
    return pairs;
}

inline catena::Dataset dataset_of(const Pairs& pairs) {
    std::vector<catena::Example> all;
    const auto array = [](const Words& words) {
        return catena::Array::from(words, {int64_t(words.size())});
    };
    for (size_t i = 0; i < pairs.sources.size(); ++i)
        all.push_back({array(pairs.sources[i]), array(pairs.targets[i])});
    return all;
}

inline std::string text_of(const Words& words, const Vocabulary& vocabulary) {
    std::string text;
    for (const int32_t word : words)
        text += (text.empty() ? "" : " ") + vocabulary.words[size_t(word)];
    return text;
}

/// BLEU (Papineni et al. 2002) with runs of up to two words, which short sentences have: the
/// geometric mean of the shares of runs that the references have, times a penalty for brevity.
inline double bleu(const std::vector<Words>& found, const std::vector<Words>& expected) {
    double log_precision = 0, found_length = 0, expected_length = 0;
    for (size_t n = 1; n <= 2; ++n) {
        double right = 0, all = 0;
        for (size_t i = 0; i < found.size(); ++i) {
            std::map<Words, int> left;
            for (size_t k = 0; k + n <= expected[i].size(); ++k)
                ++left[Words(expected[i].begin() + k, expected[i].begin() + k + n)];
            for (size_t k = 0; k + n <= found[i].size(); ++k) {
                right += left[Words(found[i].begin() + k, found[i].begin() + k + n)]-- > 0;
                ++all;
            }
        }
        log_precision += std::log((right + 1e-9) / (all + 1e-9)) / 2;
    }
    for (size_t i = 0; i < found.size(); ++i) {
        found_length += double(found[i].size());
        expected_length += double(expected[i].size());
    }
    const double brevity =
        found_length >= expected_length ? 0 : 1 - expected_length / (found_length + 1e-9);
    return std::exp(log_precision + brevity);
}

/// Everything that a training needs of two languages.
struct Languages {
    Vocabulary from, to;
    Pairs training, test;
};
/// From files of one sentence a line, or made up where `source` is empty.
struct LanguageOptions {
    std::string source, target, validation_source, validation_target;
    int64_t most_words = 50, vocabulary = 40000;
};
inline Languages load_languages(const LanguageOptions& options) {
    const bool made_up = options.source.empty();
    examples::require_together({{"--source", options.source},
                                {"--target", options.target},
                                {"--validation-source", options.validation_source},
                                {"--validation-target", options.validation_target}});
    const auto load = [&](const std::string& source, const std::string& target, int64_t count,
                          uint64_t seed) {
        return made_up ? made_up_languages(count, seed)
                       : std::pair(read_sentences(source), read_sentences(target));
    };
    const auto [sources, targets] = load(options.source, options.target, 2000, 1);
    const auto [test_sources, test_targets] =
        load(options.validation_source, options.validation_target, 100, 2);
    const Vocabulary from(sources, options.vocabulary), to(targets, options.vocabulary);
    return {from, to, encoded(sources, targets, from, to, options.most_words),
            encoded(test_sources, test_targets, from, to, options.most_words)};
}
