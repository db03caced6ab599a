#pragma once

#include <cmath>
#include <limits>

#include "frontend/catena.h"

namespace catena::models {

/// A block of GPT-2: causal attention of `heads` heads, then a perceptron of four times the width with GELU (tanh form), each
/// after layer normalization and added to its input. x [N, length, width] to the same shape; GPT-2 small has 768 and 12.
struct GptBlock : Chain {
    LayerNormalization attention_normalization, perceptron_normalization;
    Linear attention, projection, up, down;

    GptBlock(int64_t width, int64_t heads, int64_t length)
        : attention_normalization(width),
          perceptron_normalization(width),
          attention(width, 3 * width),
          projection(width, width),
          up(width, 4 * width),
          down(4 * width, width),
          heads_(heads),
          visible_(lower_triangle(length)) {
        add_children({{"attention_normalization", attention_normalization},
                      {"perceptron_normalization", perceptron_normalization},
                      {"attention", attention},
                      {"projection", projection},
                      {"up", up},
                      {"down", down}});
        leave_out(visible_);
    }
    Variable operator()(const Variable& x) {
        const Variable h = x + projection(attend(attention(attention_normalization(x), 2)), 2);
        return h + down(gelu(up(perceptron_normalization(h), 2), "tanh"), 2);
    }

protected:
    void move_states(Device& device) override { visible_.to_device(device); }

private:
    static Array lower_triangle(int64_t size) {
        std::vector<uint8_t> values(size_t(size * size));
        for (int64_t row = 0; row < size; ++row)
            for (int64_t column = 0; column <= row; ++column) values[size_t(row * size + column)] = 1;
        return Array::from(values, {size, size}).astype(Dtype::bool_);
    }
    /// Queries, keys and values [N, length, 3 * width] to [N, length, width].
    Variable attend(const Variable& x) {
        const int64_t count = x.shape()[0], length = x.shape()[1], width = x.shape()[2] / 3;
        const Variable split = transpose(reshape(x, {count, length, 3, heads_, width / heads_}), {2, 0, 3, 1, 4});
        const Variable queries = get_item(split, {0}), keys = get_item(split, {1}), values = get_item(split, {2});
        const Variable scores = matmul(queries, keys, false, true) * (1 / std::sqrt(double(width / heads_)));
        const Variable weights = softmax(where(visible_, scores, -std::numeric_limits<double>::infinity()), 3);
        return reshape(transpose(matmul(weights, values), {0, 2, 1, 3}), {count, length, width});
    }

    int64_t heads_;
    State visible_;
};

}  // namespace catena::models
