#pragma once

#include <vector>

#include "benchmarks/models/gpt_block.h"

namespace catena::models {

struct GptSizes {
    int64_t words = 50257, positions = 1024, width = 768, heads = 12, blocks = 12;
    bool tied = true;  ///< Scores by the embedding's W; otherwise by a Linear.
};

/// A decoder-only transformer with learned positions; the default sizes are those of GPT-2 small.
struct Gpt : Chain {
    EmbedID embed;
    Parameter positions;
    ChainList blocks;
    LayerNormalization norm;
    ChainList out;  ///< One Linear, or none where the output is tied.
    explicit Gpt(const GptSizes& sizes = {})
        : embed(sizes.words, sizes.width, {.initialW = initializers::Normal(0.02)}),
          positions(initializers::Zero(), Shape{sizes.positions, sizes.width}),
          norm(sizes.width, {.eps = 1e-5}) {
        for (int64_t i = 0; i < sizes.blocks; ++i)
            blocks.append(GptBlock(sizes.width, sizes.heads));
        if (!sizes.tied) out.append(Linear(sizes.width, sizes.words));
        add_children({{"embed", embed}, {"blocks", blocks}, {"norm", norm}, {"out", out}});
        add_param("positions", positions);
    }

    /// Words [batch, n] to the scores of the next ones, [batch, n, words].
    Variable operator()(const Variable& words) {
        const int64_t n = words.shape()[1];
        Variable h = embed(words) + positions[slice(0, n)];
        const Variable causal = lower_triangle(n);
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<GptBlock>(i)(h, causal);
        return scores(norm(h));
    }
    /// One more word [batch, 1] after those of the caches, one a block, to the scores [batch, 1,
    /// words].
    Variable decode(const Variable& word, std::vector<AttentionCache>& caches) {
        const int64_t past = caches.at(0).keys.shape()[2];
        Variable h = embed(word) + positions[slice(past, past + 1)];
        for (size_t i = 0; i < blocks.size(); ++i) h = blocks.get<GptBlock>(i).decode(h, caches[i]);
        return scores(norm(h));
    }

private:
    Variable scores(const Variable& h) {
        return out.size() > 0 ? out.get<Linear>(0)(h, 2) : linear(h, embed.W, Variable(), 2);
    }
    /// Where a word (row) may look: at itself and what is before it.
    Variable lower_triangle(int64_t n) {
        if (causal_.defined() && causal_.shape()[0] == n) return causal_;
        causal_ = causal_mask(n);
        return causal_;
    }
    Variable causal_;
};

}  // namespace catena::models
