#pragma once

#include <catena/catena.h>

#include <string>

/// Words [n, length], filled with -1, to scores of the classes.
struct TextClassifier : catena::Chain {
    std::string kind;
    double dropout;
    catena::EmbedID embed;
    catena::Convolution2D cnn3, cnn4, cnn5;
    catena::LSTM lstm;
    catena::Linear hidden, output;
    TextClassifier(const std::string& kind, int64_t units, double dropout, int64_t words,
                   int64_t classes)
        : kind(kind),
          dropout(dropout),
          embed(words, units,
                {.initialW = catena::initializers::Uniform(0.25), .ignore_label = -1}),
          cnn3(units, units / 3, {3, 1}, {.pad = {2, 0}}),
          cnn4(units, units / 3, {4, 1}, {.pad = {3, 0}}),
          cnn5(units, units / 3, {5, 1}, {.pad = {4, 0}}),
          lstm(units, units),
          hidden(units),
          output(classes) {
        add_children({{"embed", embed}, {"hidden", hidden}, {"output", output}});
        if (kind == "cnn")
            add_children({{"cnn3", cnn3}, {"cnn4", cnn4}, {"cnn5", cnn5}});
        else
            leave_out(cnn3), leave_out(cnn4), leave_out(cnn5);
        if (kind == "rnn")
            add_child("lstm", lstm);
        else
            leave_out(lstm);
    }
    catena::Variable operator()(const catena::Variable& x) {
        const catena::Variable e = catena::dropout(embed(x), dropout);
        const catena::Variable features = kind == "bow"   ? bag(e, x)
                                          : kind == "cnn" ? convolved(e)
                                                          : last_state(e, x);
        return output(
            catena::dropout(catena::relu(hidden(catena::dropout(features, dropout))), dropout));
    }

private:
    static catena::Variable is_word(const catena::Variable& x) {
        return catena::cast(x >= 0, catena::Dtype::float32);
    }
    /// The mean of the words' vectors.
    static catena::Variable bag(const catena::Variable& e, const catena::Variable& x) {
        return catena::sum(e, 1) / catena::maximum(catena::sum(is_word(x), 1, true), 1.0);
    }
    /// What each filter finds at most, in runs of three, four and five words.
    catena::Variable convolved(const catena::Variable& e) {
        const catena::Variable h = catena::expand_dims(catena::transpose(e, {0, 2, 1}), 3);
        return catena::concat(
            {catena::max(catena::relu(cnn3(h)), {2, 3}), catena::max(catena::relu(cnn4(h)), {2, 3}),
             catena::max(catena::relu(cnn5(h)), {2, 3})},
            1);
    }
    /// The state after the last word: it does not change behind the text's end.
    catena::Variable last_state(const catena::Variable& e, const catena::Variable& x) {
        const catena::Variable there = is_word(x);
        lstm.reset_state();
        catena::Variable h;
        for (int64_t k = 0; k < x.shape()[1]; ++k) {
            const catena::Variable before = h, c = lstm.c(),
                                   present = catena::slice_axis(there, 1, k, 1);
            h = lstm(catena::get_item(e, {catena::slice(std::nullopt), k}));
            if (!before.defined()) continue;
            h = present * h + (1.0 - present) * before;
            lstm.set_state(present * lstm.c() + (1.0 - present) * c, h);
        }
        return h;
    }
};
