#pragma once

#include <vector>

#include "frontend/catena.h"

namespace catena::models {

/// A language model of two LSTM layers written step by step, as a define-by-run program writes it.
struct LanguageModel : Chain {
    EmbedID embed;
    LSTM lstm1, lstm2;
    Linear out;
    LanguageModel(int64_t words, int64_t units)
        : embed(words, units), lstm1(units, units), lstm2(units, units), out(units, words) {
        add_children({{"embed", embed}, {"lstm1", lstm1}, {"lstm2", lstm2}, {"out", out}});
    }
    /// Words [steps, batch] to scores [steps * batch, words].
    Variable operator()(const Variable& words) {
        lstm1.reset_state();
        lstm2.reset_state();
        std::vector<Variable> scores;
        for (int64_t t = 0; t < words.shape()[0]; ++t)
            scores.push_back(out(lstm2(lstm1(embed(get_item(words, {t}))))));
        return concat(scores, 0);
    }
};

}  // namespace catena::models
