#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// Input i, [batch, heads, length, size], or as [batch, length, heads * size] with the number of
/// heads in `attribute`.
Variable by_heads(const NodeCall& n, int i, std::string_view attribute) {
    const Variable& x = n.ranked(i, 3, 4);
    if (x.rank() == 4) return x;
    const Shape& shape = x.shape();
    const int64_t heads = n.integer(attribute, positive);
    if (shape[2] % heads != 0)
        n.wrong(fmt::format("{} {} does not divide the features of input {} {}", attribute, heads,
                            i, to_string(shape)));
    return transpose(reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
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
    if (n.has(4)) return own + n.ranked(4, 4, 4).shape()[2];
    if (!n.has(6)) return own;
    return own + reshape(cast(n[6], Dtype::int64) - queries, {n[6].size(), 1, 1, 1});
}

Mask mask_of(const NodeCall& n, int64_t queries, int64_t keys, Dtype dtype) {
    Mask mask;
    if (n.has(3)) {
        const Variable& given = n.ranked(3, 1);
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
    if (n.flag("is_causal")) mask.forbid(key <= place, dtype);
    constexpr Within window{-1, most_size};
    const int64_t left = n.integer("left_window_size", -1, window),
                  right = n.integer("right_window_size", -1, window);
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

/// The keys or values of input `input`, behind those of a cache.
Variable with_past(const NodeCall& n, int input, int cache) {
    const Variable x = by_heads(n, input, "kv_num_heads");
    return n.has(cache) ? concat({n.ranked(cache, 4, 4), x}, 2) : x;
}

Variables attention(const NodeCall& n) {
    const bool flat = n[0].rank() == 3;
    const Variable q = by_heads(n, 0, "q_num_heads");
    Variable k = with_past(n, 1, 4), v = with_past(n, 2, 5);
    const Variable present_key = k, present_value = v;
    const int64_t heads = q.shape()[1], kv_heads = k.shape()[1];
    if (kv_heads < 1 || v.shape()[1] != kv_heads || heads % kv_heads != 0)
        n.wrong(fmt::format("{} heads of queries, {} of keys and {} of values", heads, kv_heads,
                            v.shape()[1]));
    if (heads > kv_heads) {
        k = repeat(k, heads / kv_heads, 1);
        v = repeat(v, heads / kv_heads, 1);
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
    const Dtype precision = n.dtype("softmax_precision", q.dtype());
    const Variable shares = cast(shares_of(cast(biased, precision), mask), q.dtype());
    const int64_t mode = n.integer("qk_matmul_output_mode", 0, {0, 3});
    if (mode == 2) shown = biased;
    if (mode == 3) shown = shares;
    Variable y = matmul(shares, v);
    if (flat) y = reshape(transpose(y, {0, 2, 1, 3}), {n[0].shape()[0], n[0].shape()[1], -1});
    return {y, present_key, present_value, shown};
}

/// Pairs of features turned by the angle of their position.
Variables rotated(const NodeCall& n) {
    const bool flat = n.ranked(0, 3, 4).rank() == 3;
    const Variable x = transpose(by_heads(n, 0, "num_heads"), {0, 2, 1, 3});
    const int64_t whole = x.shape()[3];
    int64_t size = n.integer("rotary_embedding_dim", 0, {0, whole});
    if (size == 0) size = whole;
    if (size % 2 != 0) n.wrong(fmt::format("{} features do not form pairs", size));
    // By places, which stand in input 3, or by samples and places.
    const auto of_places = [&](int i) {
        return n.has(3) ? take(n.ranked(i, 2, 2), n.ranked(3, 2, 2), 0) : n.ranked(i, 3, 3);
    };
    Variable cosine = of_places(1), sine = of_places(2);
    cosine = expand_dims(cosine, 2);
    sine = expand_dims(sine, 2);
    const Variable turned = slice_axis(x, 3, 0, size);
    const bool interleaved = n.flag("interleaved");
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
