#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "frontend/catena.h"

namespace catena::models {

/// The keys and values of the words before, each [batch, heads, words, width / heads].
struct AttentionCache {
    Variable keys, values;
};

/// True where a word (row) may look: at itself and the words before. [words, words]
inline Variable causal_mask(int64_t words) {
    std::vector<uint8_t> truth(size_t(words * words));
    for (int64_t row = 0; row < words; ++row)
        std::fill_n(truth.begin() + row * words, row + 1, uint8_t(1));
    return Variable(Array::from(truth, {words, words}).astype(Dtype::bool_), false);
}

/// A pre-norm transformer block: attention over the words up to each, then GELU between two layers.
struct GptBlock : Chain {
    LayerNormalization norm1, norm2;
    Linear qkv, project, up, down;
    int64_t heads;
    GptBlock(int64_t width, int64_t heads)
        : norm1(width, {.eps = 1e-5}),
          norm2(width, {.eps = 1e-5}),
          qkv(width, 3 * width),
          project(width, width),
          up(width, 4 * width),
          down(4 * width, width),
          heads(heads) {
        add_children({{"norm1", norm1},
                      {"qkv", qkv},
                      {"project", project},
                      {"norm2", norm2},
                      {"up", up},
                      {"down", down}});
    }

    /// x [batch, words, width] to the same; `causal` [words, words] is true where a word (row) may
    /// look.
    Variable operator()(const Variable& x, const Variable& causal) {
        const Variables parts = split_heads(x);
        return finish(x, attention(parts[0], parts[1], parts[2], causal));
    }
    /// One more word, x [batch, 1, width]; its key and value are appended to the cache.
    Variable decode(const Variable& x, AttentionCache& cache) {
        const Variables parts = split_heads(x);
        cache = {concat({cache.keys, parts[1]}, 2), concat({cache.values, parts[2]}, 2)};
        return finish(x, attention(parts[0], cache.keys, cache.values, {}));
    }

private:
    /// Queries, keys and values, each [batch, heads, words, width / heads].
    Variables split_heads(const Variable& x) {
        Variables parts = split_axis(qkv(norm1(x), 2), 3, 2);
        for (Variable& part : parts) {
            const Shape& shape = part.shape();
            part = transpose(reshape(part, {shape[0], shape[1], heads, shape[2] / heads}),
                             {0, 2, 1, 3});
        }
        return parts;
    }
    static Variable attention(const Variable& q, const Variable& k, const Variable& v,
                              const Variable& causal) {
        Variable scores = matmul(q, k, false, true) * (1 / std::sqrt(double(q.shape()[3])));
        if (causal.defined())
            scores = where(causal, scores, -std::numeric_limits<double>::infinity());
        return matmul(softmax(scores, 3), v);
    }
    Variable finish(const Variable& x, const Variable& attended) {
        const Variable h = x + project(reshape(transpose(attended, {0, 2, 1, 3}), x.shape()), 2);
        return h + down(gelu(up(norm2(h), 2), "tanh"), 2);
    }
};

/// The block for texts of `words` words, with its mask.
struct CausalBlock : GptBlock {
    CausalBlock(int64_t width, int64_t heads, int64_t words)
        : GptBlock(width, heads), mask(causal_mask(words)) {}
    Variable operator()(const Variable& x) { return GptBlock::operator()(x, mask); }
    Variable mask;
};

}  // namespace catena::models
