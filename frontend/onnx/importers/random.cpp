// Random numbers. Seeds of nodes are ignored: Catena's generator gives other numbers for them than
// any other.
#include "runtime/ops/noise/random.h"

#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

Dtype drawn_dtype(const NodeCall& n, Dtype otherwise) { return n.dtype("dtype", otherwise); }

Variable draw(const NodeCall& n, bool normal, const Shape& shape, Dtype dtype) {
    if (normal) return random_normal(shape, dtype) * n.number("scale", 1) + n.number("mean", 0);
    const double low = n.number("low", 0), high = n.number("high", 1);
    return random_uniform(shape, dtype) * (high - low) + low;
}

Shape drawn_shape(const NodeCall& n) {
    const auto shape = n.integers("shape", {{.least = 0}});
    if (!shape) n.wrong("attribute shape is missing");
    return dims_of(n, *shape);
}

Variables draw_shaped(const NodeCall& n, bool normal) {
    return {draw(n, normal, drawn_shape(n), drawn_dtype(n, Dtype::float32))};
}
Variables draw_like(const NodeCall& n, bool normal) {
    return {draw(n, normal, n[0].shape(), drawn_dtype(n, n[0].dtype()))};
}

Variables coins(const NodeCall& n) {
    const Variable heads =
        random_uniform(n[0].shape(), Dtype::float32) < cast(n[0], Dtype::float32);
    return {cast(heads, drawn_dtype(n, n[0].dtype()))};
}

/// Classes of [batch, class] unnormalised logarithms: the largest with Gumbel's noise on top.
Variables classes(const NodeCall& n) {
    const Shape& x = n.ranked(0, 2, 2).shape();  // Logarithms of probabilities [batch, class].
    const int64_t count = n.integer("sample_size", 1, any_size);
    const Variable u = random_uniform({x[0], count, x[1]}, Dtype::float32);
    const Variable noise = -log(-log(maximum(u, 1e-38)));
    const Variable drawn = argmax(expand_dims(cast(n[0], Dtype::float32), 1) + noise, 2);
    return {cast(drawn, drawn_dtype(n, Dtype::int32))};
}

/// Dropout: in inference the input, and a mask of what is kept that is all true.
Variables drop_out(const NodeCall& n) {
    const bool training = n.has(2) && n.value(2, any_number) != 0;
    const double ratio = n.opset() < 12 ? n.number("ratio", 0.5) : n.has(1) ? n.number_at(1) : 0.5;
    const Type mask_type{Dtype::bool_, n[0].shape()};
    if (!training || ratio == 0) return {n[0], n.wants_output(1) ? fill(mask_type, 1) : Variable()};
    if (!(ratio > 0 && ratio < 1)) n.wrong(fmt::format("ratio {} is not between 0 and 1", ratio));
    const Variable kept = random_uniform(n[0].shape(), Dtype::float32) >= ratio;
    return {where(kept, n[0] * (1 / (1 - ratio)), 0), kept};
}

const int random_importers = add_importers({
    {"RandomUniform", [](const NodeCall& n) { return draw_shaped(n, false); }},
    {"RandomNormal", [](const NodeCall& n) { return draw_shaped(n, true); }},
    {"RandomUniformLike", [](const NodeCall& n) { return draw_like(n, false); }},
    {"RandomNormalLike", [](const NodeCall& n) { return draw_like(n, true); }},
    {"Bernoulli", coins},
    {"Multinomial", classes},
    {"Dropout", drop_out},
});

}  // namespace
}  // namespace catena::onnx
