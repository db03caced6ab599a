// The parts of transformers that ONNX Runtime's optimizer makes one operator of.
#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena::onnx {
namespace {

/// [batch, places, heads * size] as [batch, heads, places, size].
Variable in_heads(const Variable& x, int64_t heads) {
    const Shape& shape = x.shape();
    return transpose(reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

Variable joined_heads(const Variable& x) {
    const Shape& shape = x.shape();
    return reshape(transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

/// What is added to the scores [batch, heads, queries, keys]: `hidden` where a mask [batch, keys]
/// is 0, or beyond the lengths [batch]; undefined without a mask.
Variable hidden_keys(const NodeCall& n, int input, int64_t batch, int64_t keys, Dtype dtype) {
    if (!n.has(input)) return {};
    const Variable& mask = n[input];
    const double hidden = n.number("mask_filter_value", -10000);
    Variable seen;
    if (mask.shape() == Shape{batch, keys}) {
        seen = mask > 0;
    } else if (mask.shape() == Shape{batch}) {
        seen = arange(0, keys) < reshape(cast(mask, Dtype::int64), {batch, 1});
    } else {
        n.unsupported(fmt::format("a mask {}", to_string(mask.shape())));
    }
    return reshape((cast(seen, dtype) - 1.0) * -hidden, {batch, 1, 1, keys});
}

/// q, k and v are in heads; `added` to the scores may be undefined.
Variable attended(const NodeCall& n, const Variable& q, const Variable& k, const Variable& v,
                  const Variable& mask, const Variable& added) {
    const double given = n.number("scale", 0),
                 scale = given != 0 ? given : 1 / std::sqrt(double(q.shape()[3]));
    Variable scores = matmul(q, k, false, true) * scale;
    if (mask.defined()) scores = scores + mask;
    if (added.defined()) scores = scores + added;
    if (n.flag("unidirectional")) {
        const int64_t queries = scores.shape()[2], keys = scores.shape()[3];
        const Variable later =
            arange(0, keys) > reshape(arange(keys - queries, queries), {queries, 1});
        scores = where(later, -INFINITY, scores);
    }
    return joined_heads(matmul(softmax(scores, 3), v));
}

int64_t heads_of(const NodeCall& n, int64_t size) {
    const int64_t heads = n.integer("num_heads", positive);
    if (size % heads != 0) n.wrong(fmt::format("{} heads of {} features", heads, size));
    return heads;
}

/// Inputs x, the weights of q, k and v beside each other, their bias, a mask, and what is added to
/// the scores.
Variables transformer_attention(const NodeCall& n) {
    if (n.has(4) || n.wants_output(1)) n.unsupported("a cache of keys and values");
    if (n.flag("do_rotary")) n.unsupported("rotary embedding");
    const Variable& x = n.ranked(0, 3, 3);  // [batch, places, features].
    const std::vector<int64_t> sizes =
        n.integers("qkv_hidden_sizes", 3, positive, n.ranked(1, 2, 2).shape()[1] / 3);
    if (sizes[0] + sizes[1] + sizes[2] != n[1].shape()[1])
        n.wrong("qkv_hidden_sizes are not those of the weights");
    Variable all = matmul(x, n[1]);
    if (n.has(2)) all = all + n[2];
    Variable parts[3];
    int64_t at = 0;
    for (int i = 0; i < 3; ++i) {
        parts[i] =
            in_heads(slice_axis(all, 2, at, sizes[size_t(i)]), heads_of(n, sizes[size_t(i)]));
        at += sizes[size_t(i)];
    }
    const int64_t batch = x.shape()[0], keys = x.shape()[1];
    return {attended(n, parts[0], parts[1], parts[2], hidden_keys(n, 3, batch, keys, all.dtype()),
                     n.has(5) ? n[5] : Variable())};
}

/// Inputs q, k, v [batch, places, features], a bias for the three, a mask, and what is added to the
/// scores.
Variables multi_head_attention(const NodeCall& n) {
    if (n.has(6) || n.has(7) || n.wants_output(1)) n.unsupported("a cache of keys and values");
    Variable parts[3];
    int64_t at = 0;
    for (int i = 0; i < 3; ++i) {
        if (!n.has(i) || n[i].rank() != 3)
            n.unsupported("queries, keys and values in other than three arrays of three axes");
        const int64_t size = n[i].shape()[2];
        Variable x = n[i];
        if (n.has(3)) x = x + slice_axis(n.ranked(3, 1, 1), 0, at, size);
        parts[i] = in_heads(x, heads_of(n, size));
        at += size;
    }
    const int64_t batch = n[1].shape()[0], keys = n[1].shape()[1];
    return {attended(n, parts[0], parts[1], parts[2], hidden_keys(n, 4, batch, keys, n[0].dtype()),
                     n.has(5) ? n[5] : Variable())};
}

/// Words, segments and places: the sum of their vectors, normalised. Inputs the numbers of words
/// and segments, the three tables, gamma, beta, a mask, and the numbers of places.
Variables embedding(const NodeCall& n) {
    const Variable& words = n.ranked(0, 2, 2);
    Variable total = take(n[2], cast(words, Dtype::int64), 0);
    const Variable places = n.has(8) ? cast(n[8], Dtype::int64) : arange(0, words.shape()[1]);
    total = total + take(n[3], places, 0);
    if (n.has(1) && n.has(4)) total = total + take(n[4], cast(n[1], Dtype::int64), 0);
    const Variable counts = n.has(7) ? cast(sum(n.ranked(7, 2, 2), 1), Dtype::int32)
                                     : fill({Dtype::int32, {words.shape()[0]}}, 0);
    return {layer_normalization(total, n[5], n[6], n.number("epsilon", 1e-12)), counts, total};
}

const int transformer_importers = add_importers({
    Importer("Attention", transformer_attention, microsoft).with_weights({1, 2}),
    Importer("MultiHeadAttention", multi_head_attention, microsoft).with_weights({3}),
    Importer("EmbedLayerNormalization", embedding, microsoft).with_weights({2, 3, 4, 5, 6}),
});

}  // namespace
}  // namespace catena::onnx
