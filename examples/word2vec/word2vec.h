#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/ranges.h>

/// Words and their vectors, each of length 1.
struct WordVectors {
    std::vector<std::string> words;
    std::vector<std::vector<double>> vectors;

    /// The numbers of the words whose vectors have the smallest angles to that of `word`, nearest
    /// first, without itself.
    std::vector<int64_t> nearest(int64_t word, int64_t count) const {
        std::vector<std::pair<double, int64_t>> found;
        for (int64_t i = 0; i < int64_t(words.size()); ++i)
            if (i != word) found.push_back({cosine(word, i), i});
        std::sort(found.rbegin(), found.rend());
        std::vector<int64_t> numbers;
        for (int64_t i = 0; i < std::min<int64_t>(count, int64_t(found.size())); ++i)
            numbers.push_back(found[i].second);
        return numbers;
    }
    double cosine(int64_t a, int64_t b) const {
        double sum = 0;
        for (size_t i = 0; i < vectors[a].size(); ++i) sum += vectors[a][i] * vectors[b][i];
        return sum;
    }
    /// Divides a vector by its length and adds it.
    void add(const std::string& word, std::vector<double> vector) {
        double squares = 0;
        for (const double v : vector) squares += v * v;
        for (double& v : vector) v /= std::sqrt(squares) + 1e-12;
        words.push_back(word);
        vectors.push_back(std::move(vector));
    }
};

/// The text format of word2vec: the numbers of words and of units, then a line for each word.
inline void save_word_vectors(const std::string& path, const WordVectors& model) {
    std::ofstream file(path);
    file << fmt::format("{} {}\n", model.words.size(), model.vectors[0].size());
    for (size_t i = 0; i < model.words.size(); ++i)
        file << fmt::format("{} {}\n", model.words[i], fmt::join(model.vectors[i], " "));
    if (!file) catena::fail<catena::FileError>("word2vec: cannot write {}", path);
}

inline WordVectors load_word_vectors(const std::string& path) {
    std::ifstream file(path);
    if (!file) catena::fail<catena::FileError>("word2vec: cannot open {}", path);
    size_t words = 0, units = 0;
    if (!(file >> words >> units))
        catena::fail<catena::FileError>("word2vec: {} does not begin with two numbers", path);
    WordVectors model;
    for (size_t i = 0; i < words; ++i) {
        std::string word;
        std::vector<double> vector(units);
        file >> word;
        const bool is_whole = std::ranges::all_of(vector, [&](double& v) {
            std::string number;
            if (!(file >> number)) return false;
            const char* const end = number.data() + number.size();
            return std::from_chars(number.data(), end, v).ptr == end;
        });
        if (!is_whole)
            catena::fail<catena::FileError>("word2vec: {} ends in word {} of {}", path, i, words);
        model.add(word, std::move(vector));
    }
    return model;
}
