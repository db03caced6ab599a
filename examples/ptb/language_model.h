#pragma once

#include <catena/catena.h>

#include <vector>

#include "support/sentences.h"

/// A language model of two LSTM layers that keep their state from call to call.
struct RNNForLM : catena::Chain {
    catena::EmbedID embed;
    catena::LSTM l1, l2;
    catena::Linear l3;
    RNNForLM(int64_t words, int64_t units)
        : embed(words, units, {.initialW = catena::initializers::Uniform(0.1)}),
          l1(units, units, options()),
          l2(units, units, options()),
          l3(units, words, {.initialW = catena::initializers::Uniform(0.1)}) {
        add_children({{"embed", embed}, {"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    void reset_state() {
        l1.reset_state();
        l2.reset_state();
    }
    /// The scores of the words that may follow x [n].
    catena::Variable operator()(const catena::Variable& x) {
        const catena::Variable h1 = l1(catena::dropout(embed(x)));
        return l3(catena::dropout(l2(catena::dropout(h1))));
    }
    /// The mean loss over windows x [n, steps] of text that continues the windows of the last call,
    /// where t follows x.
    catena::Variable loss(const catena::Variable& x, const catena::Variable& t) {
        std::vector<catena::Variable> scores;
        for (const catena::Variable& words : catena::separate(x, 1))
            scores.push_back((*this)(words));
        return catena::softmax_cross_entropy(catena::concat(scores, 0),
                                             catena::flatten(catena::transpose(t)));
    }

private:
    static catena::LSTMOptions options() {
        return {.lateral_init = catena::initializers::Uniform(0.1),
                .upward_init = catena::initializers::Uniform(0.1)};
    }
};

/// The texts, and the words' numbers.
struct Corpus {
    catena::Array train, valid, test;
    std::map<std::string, int32_t> vocabulary;
};

/// The Penn Treebank from a folder; without one, sentences of a small grammar.
inline Corpus load_corpus(const std::string& folder) {
    if (folder.empty()) {
        const examples::Sentences train(1500, 1), valid(200, 2), test(200, 3);
        return {train.words(), valid.words(), test.words(), train.vocabulary()};
    }
    const catena::PtbWords words = catena::get_ptb_words(folder);
    if (words.train.size() == 0)
        catena::fail<catena::FileError>("ptb: the training text in {} has no words", folder);
    return {words.train, words.valid, words.test, catena::get_ptb_words_vocabulary(folder)};
}
