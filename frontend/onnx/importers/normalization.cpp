#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/math/reduction/norm.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena::onnx {
namespace {

Variables batch(const NodeCall& n) {
    const Variable& x = n.ranked(0, 2);
    const double eps = n.number("epsilon", 1e-5), momentum = n.number("momentum", 0.9);
    const int rank = x.rank();
    for (int i = 1; i < 5; ++i)
        if (n.ranked(i, 1, 1).size() != x.shape()[1])
            n.wrong(fmt::format("input {} is {}; expected is a number for each of {} channels", i,
                                to_string(n[i].shape()), x.shape()[1]));
    const auto keyed = [&](const Variable& list) { return list_along(n, list, rank, 1); };
    if (n.opset() < 14 ? n.output_count() != 5 : !n.flag("training_mode")) {
        if (n[1].dtype() == x.dtype() && n[3].dtype() == x.dtype())
            return {fixed_batch_normalization(x, n[1], n[2], n[3], n[4], eps)};
        const Variable factor = keyed(n[1] / sqrt(n[4] + eps));
        return {cast((x - keyed(n[3])) * factor + keyed(n[2]), x.dtype())};
    }
    Axes axes{0};
    for (int i = 2; i < rank; ++i) axes.push_back(i);
    const Variable now = mean(x, axes), spread = variance(x, axes);
    const Variable y = (x - keyed(now)) / sqrt(keyed(spread) + eps) * keyed(n[1]) + keyed(n[2]);
    return {y, n[3] * momentum + now * (1 - momentum), n[4] * momentum + spread * (1 - momentum)};
}

/// (x - mean) / sqrt(variance + eps) over the last axes.
Variable standardised(const Variable& x, const Axes& axes, double eps) {
    const Variable centred = x - mean(x, axes, true);
    return centred / sqrt(mean(centred * centred, axes, true) + eps);
}

Variables instance(const NodeCall& n) {
    const Variable& x = n.ranked(0, 3);
    Axes axes;
    for (int i = 2; i < x.rank(); ++i) axes.push_back(i);
    return {standardised(x, axes, n.number("epsilon", 1e-5)) * list_along(n, n[1], x.rank(), 1) +
            list_along(n, n[2], x.rank(), 1)};
}

/// Scale and bias belong to groups before opset 21 and to channels since.
Variables group(const NodeCall& n) {
    const Variable& x = n.ranked(0, 2);
    const int64_t groups = n.integer("num_groups", positive), channels = x.shape()[1];
    if (channels % groups != 0) n.wrong(fmt::format("{} groups of {} channels", groups, channels));
    const bool per_group = n.opset() < 21;
    const auto of_channels = [&](const Variable& factor) {
        return per_group ? repeat(factor, channels / groups, 0) : factor;
    };
    return {group_normalization(x, groups, of_channels(n[1]), of_channels(n[2]),
                                n.number("epsilon", 1e-5))};
}

Axes axes_from(const NodeCall& n, int rank) {
    Axes axes;
    for (int i = n.axis("axis", -1, rank); i < rank; ++i) axes.push_back(i);
    return axes;
}

Variables layer(const NodeCall& n) {
    const Variable& x = n[0];
    const double eps = n.number("epsilon", 1e-5);
    const Axes axes = axes_from(n, x.rank());
    const bool alone = !n.wants_output(1) && !n.wants_output(2);
    if (alone && axes.rank() == 1 && n[1].rank() == 1 && n.has(2) && n[2].rank() == 1)
        return {layer_normalization(x, n[1], n[2], eps)};
    const Variable wide = cast(x, Dtype::float32), centre = mean(wide, axes, true),
                   centred = wide - centre;
    const Variable inverse = rsqrt(mean(centred * centred, axes, true) + eps);
    Variable y = cast(centred * inverse, x.dtype()) * n[1];
    if (n.has(2)) y = y + n[2];
    return {y, centre, inverse};
}

Variables root_mean_square(const NodeCall& n) {
    const Variable wide = cast(n[0], Dtype::float32);
    const Variable scaled = wide * rsqrt(mean(wide * wide, axes_from(n, wide.rank()), true) +
                                         n.number("epsilon", 1e-5));
    return {cast(scaled, n[0].dtype()) * n[1]};
}

Variables to_unit(const NodeCall& n) {
    const int axis = n.axis("axis", -1, n[0].rank());
    const Variable& x = n[0];
    const Variable size = n.integer("p", 2, {1, 2}) == 1 ? sum(absolute(x), axis, true)
                                                         : length_of(sum(x * x, axis, true));
    return {where(size == 0.0, 0, x / where(size == 0.0, 1, size))};
}

/// Local response normalisation over as many channels before a channel as behind it, or one less.
Variables local_response_of(const NodeCall& n) {
    const int64_t size = n.integer("size", positive), before = (size - 1) / 2;
    return {local_response(n.ranked(0, 2), before, size - 1 - before, n.number("bias", 1.0),
                           n.number("alpha", 1e-4) / double(size), n.number("beta", 0.75))};
}

Variables mean_and_variance(const NodeCall& n) {
    const Axes axes =
        n.axes(n.integers("axes", {}).value_or(std::vector<int64_t>{0, 2, 3}), n[0].rank());
    const Variable centred = n[0] - mean(n[0], axes, true);
    return {centred / (length_of(mean(centred * centred, axes, true)) + 1e-9)};
}

const int normalization_importers = add_importers({
    Importer("BatchNormalization", batch).with_weights({1, 2}),
    Importer("InstanceNormalization", instance).with_weights({1, 2}),
    Importer("GroupNormalization", group).with_weights({1, 2}),
    Importer("LayerNormalization", layer).with_weights({1, 2}),
    Importer("RMSNormalization", root_mean_square).with_weights({1}),
    {"LpNormalization", to_unit},
    {"LRN", local_response_of},
    {"MeanVarianceNormalization", mean_and_variance},
});

}  // namespace
}  // namespace catena::onnx
