#pragma once

#include <catena/catena.h>

#include <span>
#include <vector>

#include "seq2seq/languages.h"
#include "support/means.h"

/// Sequences one after another, and their lengths.
struct Ragged {
    std::vector<int32_t> values, lengths;
    void add(const Words& words) {
        values.insert(values.end(), words.begin(), words.end());
        lengths.push_back(int32_t(words.size()));
    }
    /// Adds one sequence, so that the words of all are a multiple of 64: most mini-batches then run
    /// the same program.
    void fill(int32_t word) {
        constexpr size_t multiple = 64;
        add(Words(multiple - values.size() % multiple, word));
    }
};
inline catena::Variable variable(const std::vector<int32_t>& values) {
    return catena::Array::from(values, {int64_t(values.size())}).to(catena::current_device());
}
inline Words reversed(Words words) {
    std::reverse(words.begin(), words.end());
    return words;
}

/// Sources, backwards; what the decoder is given, <EOS> and the words; and what it should say, the
/// words and <EOS>.
inline catena::Batch batch_of(std::span<const catena::Example> examples) {
    Ragged sources, given, said;
    for (const catena::Example& example : examples) {
        const Words source = example[0].to_vector<int32_t>();
        Words target = example[1].to_vector<int32_t>();
        sources.add(reversed(source));
        target.push_back(end_of_sentence);
        said.add(target);
        target.insert(target.begin(), end_of_sentence);
        target.pop_back();
        given.add(target);
    }
    sources.fill(unknown);
    given.fill(unknown);
    said.fill(-1);  // not counted
    return {variable(sources.values), variable(sources.lengths), variable(given.values),
            variable(given.lengths), variable(said.values)};
}

/// Reads sentences: the state of its last layer's cells after each, h and c [layers, sentences,
/// units].
struct Encoder : catena::Chain {
    catena::EmbedID embed;
    catena::NStepLSTM lstm;
    Encoder(int64_t layers, int64_t words, int64_t units)
        : embed(words, units), lstm(layers, units, units, 0.1) {
        add_children({{"embed", embed}, {"lstm", lstm}});
    }
    catena::NStepRows operator()(const catena::Variable& words, const catena::Variable& lengths) {
        return lstm({}, {}, catena::SequenceRows{embed(words), lengths});
    }
    catena::NStepRows read(const std::vector<Words>& sentences) {
        Ragged sources;
        for (const Words& sentence : sentences) sources.add(reversed(sentence));
        return (*this)(variable(sources.values), variable(sources.lengths));
    }
};

/// Writes sentences, from the state in which the encoder has ended.
struct Decoder : catena::Chain {
    catena::EmbedID embed;
    catena::NStepLSTM lstm;
    catena::Linear W;
    Decoder(int64_t layers, int64_t words, int64_t units)
        : embed(words, units), lstm(layers, units, units, 0.1), W(units, words) {
        add_children({{"embed", embed}, {"lstm", lstm}, {"W", W}});
    }
    /// The loss of saying `said` when it is given `given`, and the share of right words.
    examples::Scores operator()(const catena::Variable& h, const catena::Variable& c,
                                const catena::Variable& given, const catena::Variable& lengths,
                                const catena::Variable& said) {
        const catena::Variable y = W(lstm(h, c, catena::SequenceRows{embed(given), lengths}).ys);
        return {catena::softmax_cross_entropy(y, said), catena::accuracy(y, said, -1)};
    }
    /// The likeliest word after each other, for several sentences at once.
    std::vector<Words> write(catena::NStepRows state, int64_t sentences, int64_t most_words) {
        const catena::Variable one_each = variable(std::vector<int32_t>(size_t(sentences), 1));
        std::vector<int32_t> words(size_t(sentences), end_of_sentence);
        std::vector<Words> translations(words.size());
        std::vector<bool> ended(words.size());
        for (int64_t k = 0; k < most_words; ++k) {
            state =
                lstm(state.hy, state.cy, catena::SequenceRows{embed(variable(words)), one_each});
            words = catena::argmax(W(state.ys), 1).array().to_vector<int32_t>();
            for (size_t i = 0; i < words.size(); ++i) {
                ended[i] = ended[i] || words[i] == end_of_sentence;
                if (!ended[i]) translations[i].push_back(words[i]);
            }
        }
        return translations;
    }
};

struct Seq2seq : catena::Chain {
    Encoder encoder;
    Decoder decoder;
    Seq2seq(int64_t layers, int64_t source_words, int64_t target_words, int64_t units)
        : encoder(layers, source_words, units), decoder(layers, target_words, units) {
        add_children({{"encoder", encoder}, {"decoder", decoder}});
    }
    catena::Variable operator()(const catena::Variable& source, const catena::Variable& lengths,
                                const catena::Variable& given,
                                const catena::Variable& given_lengths,
                                const catena::Variable& said) {
        const catena::NStepRows read = encoder(source, lengths);
        const examples::Scores scores = decoder(read.hy, read.cy, given, given_lengths, said);
        catena::report({{"loss", scores.loss}, {"accuracy", scores.accuracy}}, *this);
        return scores.loss;
    }
    std::vector<Words> translate(const std::vector<Words>& sentences, int64_t most_words) {
        const auto test_mode = catena::using_config(&catena::Config::train, false);
        const auto no_graph = catena::no_backprop_mode();
        return decoder.write(encoder.read(sentences), int64_t(sentences.size()), most_words);
    }
};
