#include <algorithm>
#include <cstdlib>

#include "frontend/onnx/importers/shared.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/ops/array/blocks.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/padding.h"
#include "runtime/ops/array/triangles.h"

namespace catena::onnx {
namespace {

Variables reshaped(const NodeCall& n) {
    std::vector<int64_t> sizes = needed_list(n, 1, "shape", {{.least = -1}});
    const bool zero_is_zero = n.flag("allowzero");
    for (size_t i = 0; i < sizes.size() && !zero_is_zero; ++i)
        if (sizes[i] == 0) {
            if (int(i) >= n[0].rank()) n.wrong("a size of 0 copies an axis that is not there");
            sizes[i] = n[0].shape()[int(i)];
        }
    return {reshape(n[0], dims_of(n, sizes))};
}

Variables flattened(const NodeCall& n) {
    const int64_t rank = n[0].rank(), axis = n.integer("axis", 1, {-rank, rank}),
                  cut = axis < 0 ? axis + rank : axis;
    Shape shape{1, 1};
    for (int i = 0; i < rank; ++i) shape[i < cut ? 0 : 1] *= n[0].shape()[i];
    return {reshape(n[0], shape)};
}

Variables squeezed(const NodeCall& n) {
    const auto axes = list_of(n, 1, "axes", {});
    if (axes && axes->empty()) return {n[0]};
    return {squeeze(n[0], axes ? n.axes(*axes, n[0].rank()) : Axes{})};
}

Variables unsqueezed(const NodeCall& n) {
    const std::vector<int64_t> axes = needed_list(n, 1, "axes", {});
    if (axes.size() + size_t(n[0].rank()) > size_t(max_rank))
        n.unsupported(fmt::format("an array of {} axes", axes.size() + size_t(n[0].rank())));
    Axes sorted = n.axes(axes, n[0].rank() + int(axes.size()));
    std::sort(sorted.begin(), sorted.end());
    Shape shape = n[0].shape();
    for (int64_t axis : sorted) shape.insert(int(axis), 1);
    return {reshape(n[0], shape)};
}

Variables joined(const NodeCall& n) {
    std::vector<Variable> parts;
    for (int i = 0; i < n.count(); ++i) parts.push_back(n[i]);
    return {concat(parts, n.axis(n.integer("axis", any_number), n[0].rank()))};
}

/// Sizes, or a number of parts of which the last may be smaller (opset 18).
Variables parted(const NodeCall& n) {
    const int axis = n.axis("axis", 0, n[0].rank());
    const int64_t size = n[0].shape()[axis], parts = n.output_count();
    std::vector<int64_t> sizes;
    if (auto given = list_of(n, 1, "split", {{0, size}, size_t(parts)})) {
        sizes = *given;
    } else {
        const int64_t each = (size + parts - 1) / parts;
        for (int64_t i = 0; i < parts; ++i)
            sizes.push_back(std::clamp<int64_t>(size - i * each, 0, each));
    }
    Variables outputs;
    int64_t begin = 0;
    for (int64_t part : sizes) {
        if (part > size - begin)
            n.wrong(fmt::format("a part of {} does not fit into an axis of {}", part, size));
        outputs.push_back(slice_axis(n[0], axis, begin, part));
        begin += part;
    }
    return outputs;
}

/// NumPy's rules for what lies outside, but that a slice backwards begins at the first element
/// where NumPy's is empty.
Variables sliced(const NodeCall& n) {
    const Shape& shape = n[0].shape();
    const std::vector<int64_t> starts = needed_list(n, 1, "starts", {});
    const Expected as_many{any_number, starts.size()};
    const std::vector<int64_t> ends = needed_list(n, 2, "ends", as_many);
    std::vector<int64_t> first;
    for (size_t i = 0; i < starts.size(); ++i) first.push_back(int64_t(i));
    const Axes axes = n.axes(list_of(n, 3, "axes", as_many).value_or(first), shape.rank());
    const std::vector<int64_t> steps =
        n.has(4) ? n.values(4, as_many) : std::vector<int64_t>(starts.size(), 1);
    Dims begin = Dims::filled(shape.rank(), 0), step = Dims::filled(shape.rank(), 1), size = shape;
    for (size_t i = 0; i < starts.size(); ++i) {
        const int axis = int(axes[int(i)]);
        // The largest step backwards has no absolute value; it takes one element, too.
        const int64_t length = shape[axis], s = std::max(steps[i], -any_number.most);
        if (s == 0) n.wrong("a step of 0");
        const auto place = [&](int64_t at, int64_t least, int64_t most) {
            return std::clamp(at < 0 ? std::max<int64_t>(at, -length - 1) + length : at, least,
                              std::max(least, most));
        };
        // Backwards a slice begins at an element, and only its end may lie before the first.
        const int64_t from = s > 0 ? place(starts[i], 0, length) : place(starts[i], 0, length - 1);
        const int64_t to = s > 0 ? place(ends[i], 0, length) : place(ends[i], -1, length - 1);
        const int64_t distance = length == 0 ? 0 : s > 0 ? to - from : from - to;
        size[axis] = distance > 0 ? 1 + std::abs((distance - 1) / s) : 0;
        begin[axis] = distance > 0 ? from : 0;
        step[axis] = s;
    }
    return {strided_slice(n[0], begin, step, size)};
}

/// Elements by number along one axis.
Variable picked(const Variable& x, int axis, const std::vector<int64_t>& places) {
    return take(x, Variable(Array::from(places, Shape{int64_t(places.size())}), false), axis);
}

/// x without what negative pads take away; pads that add stay in `before` and `after`.
Variable cropped(const NodeCall& n, const Variable& x, Dims& before, Dims& after) {
    Dims begin = Dims::filled(x.rank(), 0), size = x.shape();
    for (int i = 0; i < x.rank(); ++i) {
        begin[i] = std::max<int64_t>(-before[i], 0);
        size[i] -= begin[i] + std::max<int64_t>(-after[i], 0);
        if (size[i] < 0)
            n.wrong(fmt::format("pads {} and {} are more than axis {} of {}", before[i], after[i],
                                i, to_string(x.shape())));
        before[i] = std::max<int64_t>(before[i], 0);
        after[i] = std::max<int64_t>(after[i], 0);
    }
    return strided_slice(x, begin, Dims::filled(x.rank(), 1), size);
}

Variables padded(const NodeCall& n) {
    const Variable& x = n[0];
    const Axes axes = n.has(3) ? n.axes(n.values(3, {}), x.rank()) : axes_or_all(n, {}, x.rank());
    const size_t count = size_t(axes.rank());
    const std::vector<int64_t> pads = needed_list(n, 1, "pads", {size_or_less, 2 * count});
    Dims before = Dims::filled(x.rank(), 0), after = before;
    for (size_t i = 0; i < count; ++i) {
        before[int(axes[int(i)])] = pads[i];
        after[int(axes[int(i)])] = pads[i + count];
    }
    const std::string mode = n.choice("mode", {"constant", "reflect", "edge", "wrap"});
    Variable inner = cropped(n, x, before, after);
    if (mode == "constant")
        return {pad(inner, before, after,
                    number_of(inner.dtype(), n.has(2) ? n.number_at(2) : n.number("value", 0)))};
    if (mode == "edge") return {pad(inner, before, after, PadMode::edge)};
    for (int axis = 0; axis < x.rank(); ++axis) {
        if (before[axis] == 0 && after[axis] == 0) continue;
        const int64_t size = inner.shape()[axis];
        if (size == 0)
            n.wrong(fmt::format("axis {} of {} is empty and has nothing to pad with", axis,
                                to_string(inner.shape())));
        const int64_t period = mode == "wrap" ? size : std::max<int64_t>(2 * (size - 1), 1);
        std::vector<int64_t> places;
        const int64_t count = sum_of_sizes("Pad", {size, before[axis], after[axis]});
        check_allowance(size_t(product_of_sizes("Pad", {count, sizeof(int64_t)})));
        places.reserve(size_t(count));
        for (int64_t i = -before[axis]; i < size + after[axis]; ++i) {
            const int64_t at = ((i % period) + period) % period;
            places.push_back(mode == "wrap" || at < size ? at : period - at);
        }
        inner = picked(inner, axis, places);
    }
    return {inner};
}

Variables expanded(const NodeCall& n) {
    Shape common;
    const Shape wanted = dims_of(n, n.values(1, {{.least = 0}}));
    if (!broadcast_shapes(n[0].shape(), wanted, common))
        n.wrong(
            fmt::format("{} does not broadcast to {}", to_string(n[0].shape()), to_string(wanted)));
    return {broadcast_to(n[0], common)};
}

Variables size_list(const NodeCall& n) {
    const int rank = n[0].rank();
    const auto place = [&](const char* name, int64_t otherwise) {
        const int64_t at = n.integer(name, otherwise, any_number);
        return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const int64_t begin = place("start", 0), end = place("end", rank);
    std::vector<int64_t> sizes;
    for (int64_t i = begin; i < end; ++i) sizes.push_back(n[0].shape()[int(i)]);
    return {Variable(Array::from(sizes, Shape{int64_t(sizes.size())}), false)};
}

BlockOrder block_order(const NodeCall& n) {
    return n.choice("mode", {"DCR", "CRD"}) == "CRD" ? BlockOrder::channels_first
                                                     : BlockOrder::blocks_first;
}
Variables depth_to_space(const NodeCall& n) {
    return {depth2space(n[0], n.integer("blocksize", positive), block_order(n))};
}
Variables space_to_depth(const NodeCall& n) {
    return {space2depth(n[0], n.integer("blocksize", positive), block_order(n))};
}

Variables triangle(const NodeCall& n) {
    const int64_t k = n.has(1) ? n.value(1, size_or_less) : 0;
    return {n.flag("upper", true) ? triu(n[0], k) : tril(n[0], k)};
}

Variables identity_like(const NodeCall& n) {
    const Shape& shape = n.ranked(0, 2, 2).shape();
    return {
        eye(shape[0], shape[1], n.integer("k", 0, size_or_less), n.dtype("dtype", n[0].dtype()))};
}

Variables tiled(const NodeCall& n) {
    return {tile(n[0], dims_of(n, n.values(1, {any_size, size_t(n[0].rank())})))};
}

Variables transposed(const NodeCall& n) {
    if (n[0].rank() == 0) return {n[0]};
    const auto order = n.integers("perm", {any_number, size_t(n[0].rank())});
    return {transpose(n[0], order ? n.axes(*order, n[0].rank()) : Axes{})};
}

Variables centred_crop(const NodeCall& n) {
    const Axes axes = axes_or_all(n, n.integers("axes", {}), n[0].rank());
    const std::vector<int64_t> sizes = n.values(1, {any_size, size_t(axes.rank())});
    Dims before = Dims::filled(n[0].rank(), 0), after = before;
    for (size_t i = 0; i < sizes.size(); ++i) {
        const int axis = int(axes[int(i)]);
        const int64_t more = sizes[i] - n[0].shape()[axis];
        before[axis] = more >= 0 ? more / 2 : -(-more / 2);
        after[axis] = more - before[axis];
    }
    const Variable inner = cropped(n, n[0], before, after);
    return {pad(inner, before, after)};
}

const int movement_importers = add_importers({
    Importer("Identity", [](const NodeCall& n) { return n.items(); }).only_naming().moving(),
    Importer("Reshape", reshaped).moving(),
    Importer("Flatten", flattened).moving(),
    Importer("Squeeze", squeezed).moving(),
    Importer("Unsqueeze", unsqueezed).moving(),
    Importer("Transpose", transposed).moving(),
    Importer("Concat", joined).of(Role::carried),
    Importer("Split", parted).moving(),
    Importer("Slice", sliced).moving(),
    Importer("Pad", padded).moving(),
    Importer("Expand", expanded).moving(),
    Importer("Tile", tiled).moving(),
    {"Shape", size_list},
    {"Size",
     [](const NodeCall& n) { return Variables{Variable(Array::scalar(n[0].size()), false)}; }},
    {"DepthToSpace", depth_to_space},
    {"SpaceToDepth", space_to_depth},
    {"Trilu", triangle},
    {"EyeLike", identity_like},
    {"CenterCropPad", centred_crop},
});

}  // namespace
}  // namespace catena::onnx
