#include "frontend/onnx/importers/shared.h"
#include "frontend/onnx/tensor.h"

namespace catena::onnx {
namespace {

/// [batch, length, heads * size] as [batch, heads, length, size].
Variable by_heads(const Variable& x, int64_t heads) {
    return transpose(reshape(x, {x.shape()[0], x.shape()[1], heads, -1}), {0, 2, 1, 3});
}

/// The attention mask as a bias of the scores: 0 or -infinity.
struct Mask {
    Variable bias;
    void forbid(const Variable& allowed, Dtype dtype) {
        const Variable more =
            where(allowed, Variable(Array::full({dtype, Shape{}}, 0), false), -INFINITY);
        bias = bias.defined() ? bias + more : more;
    }
};

/// Positions of queries among the keys: [q, 1], or [batch, 1, q, 1] when lengths are given.
Variable query_places(const NodeCall& n, int64_t queries) {
    const Variable own = reshape(arange(0, queries), {queries, 1});
    if (n.has(4)) return own + n[4].shape()[2];
    if (!n.has(6)) return own;
    return own + reshape(cast(n[6], Dtype::int64) - queries, {n[6].size(), 1, 1, 1});
}

Mask mask_of(const NodeCall& n, int64_t queries, int64_t keys, Dtype dtype) {
    Mask mask;
    if (n.has(3)) {
        Variable given = n[3];
        const int last = given.rank() - 1;
        const int64_t missing = keys - given.shape()[last];
        Dims after = Dims::filled(given.rank(), 0), none = after;
        after[last] = std::max<int64_t>(missing, 0);
        if (given.dtype() == Dtype::bool_)
            mask.forbid(pad(given, none, after, 0), dtype);
        else
            mask.bias = cast(pad(given, none, after, -INFINITY), dtype);
    }
    const Variable place = query_places(n, queries), key = arange(0, keys);
    if (n.integer("is_causal", 0) != 0) mask.forbid(key <= place, dtype);
    const int64_t left = n.integer("left_window_size", -1),
                  right = n.integer("right_window_size", -1);
    if (left >= 0) mask.forbid(place - key <= double(left), dtype);
    if (right >= 0) mask.forbid(key - place <= double(right), dtype);
    if (n.has(6))
        mask.forbid(key < reshape(cast(n[6], Dtype::int64), {n[6].size(), 1, 1, 1}), dtype);
    return mask;
}

/// Rows without visible keys are zeros.
Variable shares_of(const Variable& scores, const Mask& mask) {
    if (!mask.bias.defined()) return softmax_of(scores, scores.rank() - 1);
    const Variable seen = max(mask.bias, -1, true) > -INFINITY;
    const Variable safe = where(seen, scores, 0);
    return where(seen, softmax_of(safe, safe.rank() - 1), 0);
}

Variables attention(const NodeCall& n) {
    const bool flat = n[0].rank() == 3;
    const int64_t q_heads = n.integer("q_num_heads", 0), kv_heads = n.integer("kv_num_heads", 0);
    if (flat && (q_heads < 1 || kv_heads < 1))
        n.wrong("q_num_heads and kv_num_heads are needed for inputs of 3 axes");
    const Variable q = flat ? by_heads(n[0], q_heads) : n[0];
    Variable k = flat ? by_heads(n[1], kv_heads) : n[1], v = flat ? by_heads(n[2], kv_heads) : n[2];
    if (n.has(4)) k = concat({n[4], k}, 2);
    if (n.has(5)) v = concat({n[5], v}, 2);
    const Variable present_key = k, present_value = v;
    const int64_t groups = q.shape()[1] / std::max<int64_t>(k.shape()[1], 1);
    if (groups > 1) {
        k = repeat(k, groups, 1);
        v = repeat(v, groups, 1);
    }
    const Variable scale =
        constant_like(q, std::sqrt(n.number("scale", 1 / std::sqrt(double(q.shape()[3])))));
    Variable scores = matmul(q * scale, k * scale, false, true), shown = scores;
    if (const double cap = n.number("softcap", 0); cap > 0) {
        scores = tanh(scores / cap) * cap;
        shown = scores;
    }
    const Mask mask = mask_of(n, q.shape()[2], k.shape()[2], q.dtype());
    const Variable biased = mask.bias.defined() ? scores + mask.bias : scores;
    const Dtype precision = n.has_attribute("softmax_precision")
                                ? dtype_from_onnx(int(n.integer("softmax_precision")), n.describe())
                                : q.dtype();
    const Variable shares = cast(shares_of(cast(biased, precision), mask), q.dtype());
    const int64_t mode = n.integer("qk_matmul_output_mode", 0);
    if (mode == 2) shown = biased;
    if (mode == 3) shown = shares;
    Variable y = matmul(shares, v);
    if (flat) y = reshape(transpose(y, {0, 2, 1, 3}), {n[0].shape()[0], n[0].shape()[1], -1});
    return {y, present_key, present_value, shown};
}

/// Pairs of features turned by the angle of their position.
Variables rotated(const NodeCall& n) {
    const bool flat = n[0].rank() == 3;
    const Variable x =
        flat ? reshape(n[0], {n[0].shape()[0], n[0].shape()[1], n.integer("num_heads"), -1})
             : transpose(n[0], {0, 2, 1, 3});
    const int64_t whole = x.shape()[3];
    int64_t size = n.integer("rotary_embedding_dim", 0);
    if (size == 0) size = whole;
    Variable cosine = n[1], sine = n[2];
    if (n.has(3)) {
        cosine = take(cosine, n[3], 0);
        sine = take(sine, n[3], 0);
    }
    cosine = expand_dims(cosine, 2);
    sine = expand_dims(sine, 2);
    const Variable turned = slice_axis(x, 3, 0, size);
    const bool interleaved = n.integer("interleaved", 0) != 0;
    const Variable a =
        interleaved ? slice_axis(turned, 3, 0, size / 2, 2) : slice_axis(turned, 3, 0, size / 2);
    const Variable b = interleaved ? slice_axis(turned, 3, 1, size / 2, 2)
                                   : slice_axis(turned, 3, size / 2, size / 2);
    const Variable real = cosine * a - sine * b, imaginary = sine * a + cosine * b;
    Variable y = interleaved ? reshape(stack({real, imaginary}, 4), turned.shape())
                             : concat({real, imaginary}, 3);
    if (size < whole) y = concat({y, slice_axis(x, 3, size, whole - size)}, 3);
    return {flat ? reshape(y, n[0].shape()) : transpose(y, {0, 2, 1, 3})};
}

const int attention_importers =
    add_importers({{"Attention", attention}, {"RotaryEmbedding", rotated}});

}  // namespace
}  // namespace catena::onnx
