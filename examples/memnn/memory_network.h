#pragma once

#include <catena/catena.h>

/// An end-to-end memory network (Sukhbaatar et al. 2015) with adjacent weights: the memory's output
/// embedding of a hop is the input embedding of the next.
struct MemoryNetwork : catena::Chain {
    catena::ChainList words;  ///< hops + 1 embeddings of words,
    catena::ChainList times;  ///< and of a sentence's age.
    catena::Linear out;
    int64_t hops;
    bool position_encoding;  ///< Words are weighted by their position (pe) instead of added up
                             ///< (bow).

    MemoryNetwork(int64_t vocabulary, int64_t units, int64_t hops, int64_t max_memory,
                  bool position_encoding)
        : out(units, vocabulary, {.nobias = true, .initialW = normal()}),
          hops(hops),
          position_encoding(position_encoding) {
        for (int64_t i = 0; i <= hops; ++i) {
            words.append(
                catena::EmbedID(vocabulary, units, {.initialW = normal(), .ignore_label = -1}));
            times.append(catena::EmbedID(max_memory, units, {.initialW = normal()}));
        }
        add_children({{"words", words}, {"times", times}, {"out", out}});
    }

    /// Sentences [n, memory, length], latest first, and questions [n, length], filled with -1, to
    /// scores [n, vocabulary].
    catena::Variable operator()(const catena::Variable& sentences,
                                const catena::Variable& questions) {
        catena::Variable u = encoded(0, questions);
        for (int64_t hop = 0; hop < hops; ++hop) {
            const catena::Variable m = memory(hop, sentences), c = memory(hop + 1, sentences);
            const catena::Variable p =
                catena::softmax(catena::squeeze(catena::matmul(m, catena::expand_dims(u, 2)), {2}));
            u = u + catena::squeeze(catena::matmul(catena::expand_dims(p, 1), c), {1});
        }
        return out(u);
    }

private:
    static catena::Initializer normal() { return catena::initializers::Normal(0.1); }

    /// The sum of the words' vectors along the last axis of `x`.
    catena::Variable encoded(int64_t i, const catena::Variable& x) {
        catena::Variable e = words.get<catena::EmbedID>(size_t(i))(x);
        if (position_encoding) e = e * position_weights(x.shape()[x.rank() - 1], out.W.shape()[1]);
        return catena::sum(e, -2);
    }
    catena::Variable memory(int64_t i, const catena::Variable& sentences) {
        std::vector<int32_t> ages(size_t(sentences.shape()[1]));
        for (size_t age = 0; age < ages.size(); ++age) ages[age] = int32_t(age);
        const catena::Variable age =
            catena::Array::from(ages, {int64_t(ages.size())}).to(sentences.device());
        return encoded(i, sentences) + times.get<catena::EmbedID>(size_t(i))(age);
    }
    /// (1 - j / J) - (k / d) (1 - 2 j / J) for word j of J and unit k of d.
    catena::Array position_weights(int64_t length, int64_t units) const {
        std::vector<float> weights;
        for (int64_t j = 1; j <= length; ++j)
            for (int64_t k = 1; k <= units; ++k)
                weights.push_back(
                    float((1 - double(j) / double(length)) -
                          double(k) / double(units) * (1 - 2 * double(j) / double(length))));
        return catena::Array::from(weights, {length, units}).to(out.W.device());
    }
};
