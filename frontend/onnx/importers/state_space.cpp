// Layers of linear-time sequence models, and caches.
#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/connection/convolution.h"

namespace catena::onnx {
namespace {

/// [batch, length, heads * size] at step t as [batch, heads, size] in float32.
Variable heads_at(const Variable& x, int64_t t, int64_t heads) {
    return cast(reshape(slice_axis(x, 1, t, 1), {x.shape()[0], heads, -1}), Dtype::float32);
}

/// The recurrence runs in float32; results are rounded at the end.
Variables linear_attention(const NodeCall& n) {
    const int64_t q_heads = n.integer("q_num_heads", positive),
                  heads = n.integer("kv_num_heads", positive);
    if (q_heads % heads != 0) n.wrong("the heads of queries must be a multiple of those of keys");
    const std::string rule = n.choice("update_rule", {"gated_delta", "linear", "gated", "delta"});
    const bool gated = rule.starts_with("gated"), corrects = rule.ends_with("delta");
    for (int i : {0, 1, 2})
        if (n.ranked(i, 3, 3).shape()[2] % (i == 0 ? q_heads : heads) != 0)
            n.wrong(fmt::format("features of input {} {} in {} heads", i, to_string(n[i].shape()),
                                i == 0 ? q_heads : heads));
    if (gated) n.ranked(4, 3, 3);
    if (corrects) n.ranked(5, 3, 3);
    const int64_t batch = n[0].shape()[0], steps = n[0].shape()[1];
    const int64_t d_k = n[1].shape()[2] / heads, d_v = n[2].shape()[2] / heads;
    if (steps < 1) n.wrong(fmt::format("x {} has no steps", to_string(n[0].shape())));
    const double given = n.number("scale", 0),
                 scale = given == 0 ? 1 / std::sqrt(double(d_k)) : given;
    Variable state = n.has(3) ? cast(n[3], Dtype::float32)
                              : fill({Dtype::float32, Shape{batch, heads, d_k, d_v}}, 0);
    std::vector<Variable> outputs;
    for (int64_t t = 0; t < steps; ++t) {
        const Variable k = expand_dims(heads_at(n[1], t, heads), 3);
        Variable v = expand_dims(heads_at(n[2], t, heads), 2);
        if (gated) state = state * exp(expand_dims(heads_at(n[4], t, heads), 3));
        if (corrects) {
            const Variable rate = n[5].shape()[2] == 1 ? expand_dims(heads_at(n[5], t, 1), 3)
                                                       : expand_dims(heads_at(n[5], t, heads), 3);
            v = rate * (v - matmul(k, state, true, false));
        }
        state = state + k * v;
        const Variable q = expand_dims(heads_at(n[0], t, q_heads), 2);
        const Variable seen = q_heads == heads ? state : repeat(state, q_heads / heads, 1);
        outputs.push_back(reshape(matmul(q, seen) * scale, {batch, 1, q_heads * d_v}));
    }
    return {cast(concat(outputs, 1), n[0].dtype()),
            cast(state, n.has(3) ? n[3].dtype() : n[0].dtype())};
}

Variables causal_convolution(const NodeCall& n) {
    const Variable& x = n.ranked(0, 3, 3);
    const int64_t k = n.ranked(1, 3, 3).shape()[2], channels = x.shape()[1];
    if (k < 1 || channels < 1)
        n.wrong(fmt::format("x {} and W {}", to_string(x.shape()), to_string(n[1].shape())));
    const Variable past =
        n.has(3) ? n[3] : fill({x.dtype(), Shape{x.shape()[0], channels, k - 1}}, 0);
    const Variable all = concat({past, x}, 2);
    Variable y = convolution_nd(all, n[1], n.has(2) ? n[2] : Variable(), {.groups = channels});
    if (n.choice("activation", {"none", "silu", "swish"}) != "none") y = y * sigmoid(y);
    return {y, slice_axis(all, 2, all.shape()[2] - (k - 1), k - 1)};
}

/// `update` written into a cache from each sample's own place on.
Variables cache_written(const NodeCall& n) {
    const Variable &cache = n.ranked(0, 2), &update = n[1];
    const int axis = n.axis("axis", -2, cache.rank());
    if (axis == 0) n.wrong("axis 0 is that of samples");
    Shape fitting = update.shape();
    if (fitting.rank() == cache.rank()) fitting[axis] = cache.shape()[axis];
    if (fitting != cache.shape())
        n.wrong(fmt::format("the update {} does not fit the cache {}", to_string(update.shape()),
                            to_string(cache.shape())));
    const int64_t size = cache.shape()[axis], count = update.shape()[axis],
                  batch = cache.shape()[0];
    const bool circular = n.choice("mode", {"linear", "circular"}) == "circular";
    if (count > size)
        n.wrong(fmt::format("{} elements are written into a cache of {}", count, size));
    const std::vector<int64_t> first =
        n.has(2) ? n.values(2, {{0, circular ? most_size : size - count}, size_t(batch)})
                 : std::vector<int64_t>(size_t(batch), 0);
    // For every place of the cache: which element of [cache, update] stands there.
    std::vector<int64_t> places;
    for (int64_t b = 0; b < batch; ++b) {
        std::vector<int64_t> row;
        for (int64_t i = 0; i < size; ++i) row.push_back(i);
        for (int64_t i = 0; i < count; ++i) row[size_t((first[size_t(b)] + i) % size)] = size + i;
        places.insert(places.end(), row.begin(), row.end());
    }
    Shape shape = Shape::filled(cache.rank(), 1);
    shape[0] = batch;
    shape[axis] = size;
    const Variable index = broadcast_to(Variable(Array::from(places, shape), false), cache.shape());
    return {take_along_axis(concat({cache, update}, axis), index, axis)};
}

const int state_space_importers = add_importers({
    {"LinearAttention", linear_attention},
    Importer("CausalConvWithState", causal_convolution).with_weights({1, 2}),
    {"TensorScatter", cache_written},
    {"SwiGLU",
     [](const NodeCall& n) {
         return Variables{n[0] * sigmoid(n[0] * n.number("alpha", 1.0)) * n[1]};
     }},
});

}  // namespace
}  // namespace catena::onnx
