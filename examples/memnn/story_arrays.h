#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <vector>

#include "memnn/babi.h"
#include "memnn/memory_network.h"

inline int64_t longest_sentence(const std::vector<Query>& queries) {
    size_t longest = 0;
    for (const Query& query : queries) {
        longest = std::max(longest, query.question.size());
        for (const auto& sentence : query.sentences) longest = std::max(longest, sentence.size());
    }
    return int64_t(longest);
}

/// Tuples of sentences, latest first, question and answer; filled with -1.
inline catena::Dataset dataset_of(const std::vector<Query>& queries, int64_t memory,
                                  int64_t length) {
    const int64_t n = int64_t(queries.size());
    std::vector<int32_t> sentences(size_t(n * memory * length), -1),
        questions(size_t(n * length), -1), answers;
    for (int64_t i = 0; i < n; ++i) {
        const Query& query = queries[size_t(i)];
        for (int64_t age = 0; age < std::min<int64_t>(memory, int64_t(query.sentences.size()));
             ++age) {
            const auto& sentence = query.sentences[query.sentences.size() - 1 - size_t(age)];
            std::copy(sentence.begin(), sentence.end(),
                      sentences.begin() + (i * memory + age) * length);
        }
        std::copy(query.question.begin(), query.question.end(), questions.begin() + i * length);
        answers.push_back(query.answer);
    }
    return catena::TupleDataset(catena::Array::from(sentences, {n, memory, length}),
                                catena::Array::from(questions, {n, length}),
                                catena::Array::from(answers, {n}));
}

/// A Classifier of two inputs.
struct Answering : catena::Chain {
    MemoryNetwork& predictor;
    explicit Answering(MemoryNetwork& p) : predictor(p) {}
    catena::Variable operator()(const catena::Variable& sentences, const catena::Variable& question,
                                const catena::Variable& answer) {
        const catena::Variable y = predictor(sentences, question),
                               loss = catena::softmax_cross_entropy(y, answer);
        catena::report({{"loss", loss}, {"accuracy", catena::accuracy(y, answer)}}, predictor);
        return loss;
    }
};
