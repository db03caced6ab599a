#pragma once

#include <vector>

#include "frontend/catena.h"

namespace catena::models {

/// A model of characters: one LSTM layer written as a loop over as many steps as the texts have.
struct CharRnn : Chain {
    EmbedID embed;
    LSTM lstm;
    Linear out;
    CharRnn(int64_t characters, int64_t units)
        : embed(characters, units), lstm(units, units), out(units, characters) {
        add_children({{"embed", embed}, {"lstm", lstm}, {"out", out}});
    }
    /// Characters [steps, batch] to scores of the next ones, [steps * batch, characters].
    Variable operator()(const Variable& text) {
        lstm.reset_state();
        const Variable x = embed(text);
        std::vector<Variable> states;
        for (int64_t t = 0; t < text.shape()[0]; ++t) states.push_back(lstm(get_item(x, {t})));
        return out(concat(states, 0));
    }
};

}  // namespace catena::models
