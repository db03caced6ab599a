// Chainer's wmt_preprocess: separates the words and signs of a text by spaces, for seq2seq, and
// lists the most frequent ones.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>

#include "support/example.h"

namespace ct = catena;

/// Words and numbers stay together, "1.5" and "don't" too; every other sign stands by itself.
static std::vector<std::string> tokens_of(const std::string& line, bool lower) {
    const auto is_letter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
    };
    std::vector<std::string> tokens;
    bool inside = false;
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool joins = inside && (c == '\'' || c == '.' || c == ',' || c == '-') &&
                           i + 1 < line.size() && is_letter(line[i + 1]);
        if (is_letter(c) || joins) {
            if (!inside) tokens.emplace_back();
            tokens.back() += lower ? char(std::tolower(static_cast<unsigned char>(c))) : c;
            inside = true;
        } else {
            inside = false;
            if (!std::isspace(static_cast<unsigned char>(c))) tokens.emplace_back(1, c);
        }
    }
    return tokens;
}

int main(int argc, char** argv) {
    std::string input, output, vocabulary;
    int64_t size = 40000;
    bool lower = false;
    examples::Example example("Separates words by spaces");
    example.argument("input", input, "text, one sentence a line");
    example.argument("output", output, "file for the separated words");
    example.flag("--vocab-file", vocabulary, "file for the most frequent words, one a line");
    example.flag("--vocab-size", size, "how many of them");
    example.flag("--lower", lower, "small letters (ASCII)");
    return example.run(argc, argv, [&] {
        std::ifstream from(input);
        if (!from) ct::fail<ct::FileError>("wmt_preprocess: cannot open {}", input);
        std::ofstream to(output);
        std::map<std::string, int64_t> counts;
        int64_t lines = 0;
        for (std::string line; std::getline(from, line); ++lines) {
            std::string text;
            for (const std::string& token : tokens_of(line, lower)) {
                text += (text.empty() ? "" : " ") + token;
                ++counts[token];
            }
            to << text << '\n';
        }
        if (!to.flush()) ct::fail<ct::FileError>("wmt_preprocess: cannot write {}", output);
        fmt::print("{} sentences, {} different words\n", lines, counts.size());
        if (vocabulary.empty()) return;
        std::vector<std::pair<int64_t, std::string>> sorted;
        for (const auto& [word, count] : counts) sorted.push_back({-count, word});
        std::sort(sorted.begin(), sorted.end());
        std::ofstream words(vocabulary);
        for (size_t i = 0; i < std::min(sorted.size(), size_t(size)); ++i)
            words << sorted[i].second << '\n';
        if (!words.flush()) ct::fail<ct::FileError>("wmt_preprocess: cannot write {}", vocabulary);
    });
}
