#pragma once

#include <catena/catena.h>

#include <cctype>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

/// A phrase with its sentiment: a word, or two phrases.
struct Tree {
    int32_t label = 0;
    int32_t word = -1;
    std::unique_ptr<Tree> left, right;
    bool is_leaf() const { return !left; }
};

using Vocabulary = std::map<std::string, int32_t>;

/// "(3 (2 the) (3 good))", as the Stanford Sentiment Treebank is written. FileError for anything
/// else.
class TreeParser {
public:
    TreeParser(const std::string& text, Vocabulary& vocabulary)
        : text_(text), vocabulary_(vocabulary) {}
    std::unique_ptr<Tree> parse() {
        auto tree = phrase();
        if (peek() != '\0') fail("the end");
        return tree;
    }

private:
    char peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    [[noreturn]] void fail(const char* expected) const {
        catena::fail<catena::FileError>("sentiment: {} is expected at character {} of {}", expected,
                                        at_ + 1, text_);
    }
    void expect(char c, const char* name) {
        if (peek() != c) fail(name);
        ++at_;
    }
    std::unique_ptr<Tree> phrase() {
        expect('(', "'('");
        auto tree = std::make_unique<Tree>();
        if (!std::isdigit(static_cast<unsigned char>(peek()))) fail("a label");
        tree->label = text_[at_++] - '0';
        if (peek() == '(') {
            tree->left = phrase();
            tree->right = phrase();
        } else {
            const size_t begin = at_;
            while (at_ < text_.size() && text_[at_] != ')') ++at_;
            tree->word =
                vocabulary_
                    .try_emplace(text_.substr(begin, at_ - begin), int32_t(vocabulary_.size()))
                    .first->second;
        }
        expect(')', "')'");
        return tree;
    }
    std::string text_;
    Vocabulary& vocabulary_;
    size_t at_ = 0;
};

inline std::vector<std::unique_ptr<Tree>> read_trees(const std::string& path,
                                                     Vocabulary& vocabulary) {
    std::ifstream file(path);
    if (!file) catena::fail<catena::FileError>("sentiment: cannot open {}", path);
    std::vector<std::unique_ptr<Tree>> trees;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        try {
            if (!line.empty()) trees.push_back(TreeParser(line, vocabulary).parse());
        } catch (const catena::Error& error) {
            catena::fail<catena::FileError>("{}:{}: {}", path, number, error.what());
        }
    }
    if (trees.empty()) catena::fail<catena::FileError>("sentiment: {} has no tree", path);
    return trees;
}

/// Phrases for those who have no treebank: of a good (2), bad (0) and neutral (1) word each phrase
/// takes the sentiment of its right part, unless that is neutral; "not" turns it around.
class MadeUpTrees {
public:
    explicit MadeUpTrees(uint64_t seed) : random_(seed) {}
    std::string tree(int depth) {
        const auto [label, text] = phrase(depth);
        return text;
    }

private:
    struct Phrase {
        int label;
        std::string text;
    };
    static std::string joined(int label, const std::string& a, const std::string& b) {
        return fmt::format("({} {} {})", label, a, b);
    }
    Phrase phrase(int depth) {
        static const char* const words[3][3] = {
            {"dull", "slow", "silly"}, {"film", "plot", "cast"}, {"fine", "clever", "funny"}};
        if (depth == 0 || random_() % 4 == 0) {
            const int label = int(random_() % 3);
            return {label, fmt::format("({} {})", label, words[label][random_() % 3])};
        }
        const Phrase right = phrase(depth - 1);
        if (random_() % 3 == 0)
            return {2 - right.label, joined(2 - right.label, "(1 not)", right.text)};
        const Phrase left = phrase(depth - 1);
        const int label = right.label == 1 ? left.label : right.label;
        return {label, joined(label, left.text, right.text)};
    }
    std::mt19937_64 random_;
};

/// Many trees as arrays, so that phrases of equal height are computed together. Phrases are
/// numbered by height, words first.
struct Levels {
    catena::Array words;  ///< Of the phrases of height 0.
    std::vector<catena::Array> left,
        right;             ///< For each further height, the numbers of the parts of its phrases.
    catena::Array labels;  ///< Of all phrases.
};

inline Levels levels_of(const std::vector<const Tree*>& trees) {
    std::vector<std::vector<const Tree*>> by_height;
    std::map<const Tree*, int32_t> number;
    const auto place = [&](const auto& self, const Tree& tree) -> size_t {
        const size_t height =
            tree.is_leaf() ? 0 : 1 + std::max(self(self, *tree.left), self(self, *tree.right));
        if (by_height.size() <= height) by_height.resize(height + 1);
        by_height[height].push_back(&tree);
        return height;
    };
    for (const Tree* tree : trees) place(place, *tree);
    const auto array_of = [](const std::vector<int32_t>& values) {
        return catena::Array::from(values, {int64_t(values.size())}).to(catena::current_device());
    };
    Levels levels;
    std::vector<int32_t> words, labels;
    for (size_t height = 0; height < by_height.size(); ++height) {
        std::vector<int32_t> left, right;
        for (const Tree* tree : by_height[height]) {
            if (height == 0) {
                words.push_back(tree->word);
            } else {
                left.push_back(number.at(tree->left.get()));
                right.push_back(number.at(tree->right.get()));
            }
        }
        for (const Tree* tree : by_height[height]) {
            number[tree] = int32_t(labels.size());
            labels.push_back(tree->label);
        }
        if (height > 0) {
            levels.left.push_back(array_of(left));
            levels.right.push_back(array_of(right));
        }
    }
    levels.words = array_of(words);
    levels.labels = array_of(labels);
    return levels;
}
