// Sampling an image at coordinates given by another array.
#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/spatial/sampling.h"

namespace catena::onnx {
namespace {

Variables sampled(const NodeCall& n) {
    const Variable &x = n.ranked(0, 3), &grid = n[1];
    const int axes = x.rank() - 2;
    if (grid.rank() != x.rank() || grid.shape().back() != axes || grid.shape()[0] != x.shape()[0])
        n.wrong(fmt::format("the grid {} does not fit the input {}", to_string(grid.shape()),
                            to_string(x.shape())));
    using Kind = GridSampling::Kind;
    using Outside = GridSampling::Outside;
    const std::string mode =
                          n.choice("mode", {"linear", "bilinear", "nearest", "cubic", "bicubic"}),
                      padding = n.choice("padding_mode", {"zeros", "border", "reflection"});
    const GridSampling options{mode.ends_with("cubic") ? Kind::cubic
                               : mode == "nearest"     ? Kind::nearest
                                                       : Kind::linear,
                               padding == "border"       ? Outside::border
                               : padding == "reflection" ? Outside::reflection
                                                         : Outside::zeros,
                               n.flag("align_corners")};
    const int64_t batch = x.shape()[0];
    int64_t places = 1;
    Shape shape{batch, x.shape()[1]};
    for (int i = 0; i < axes; ++i) {
        shape.push_back(grid.shape()[i + 1]);
        places = product_of_sizes("GridSample", {places, grid.shape()[i + 1]});
    }
    return {reshape(grid_sample(x, reshape(grid, {batch, places, axes}), options), shape)};
}

/// The grid of an affine map [N, k, k + 1]: [N, .., k].
Variables affine(const NodeCall& n) {
    const std::vector<int64_t> size = n.values(1, {positive});
    const int axes = int(size.size()) - 2;
    if (axes < 1 || n[0].rank() != 3 || n[0].shape()[1] != axes)
        n.wrong("theta and size do not match");
    Shape shape = dims_of(n, {size.begin() + 2, size.end()});
    const Variable grid = affine_grid(n[0], shape, n.flag("align_corners"));
    shape.insert(0, n[0].shape()[0]);
    shape.push_back(axes);
    return {reshape(transpose(grid, {0, 2, 1}), shape)};
}

/// Where the elements of every window lie along one axis: [kernel, positions] without offsets.
Variable window_places(const NodeCall& n, int axis, int64_t kernel, int64_t positions,
                       Dtype dtype) {
    const int64_t stride = n.integers("strides", 2, positive, 1)[size_t(axis)],
                  dilation = n.integers("dilations", 2, positive, 1)[size_t(axis)],
                  pad = n.integers("pads", 4, any_size, 0)[size_t(axis)];
    return cast(reshape(arange(-pad, kernel, dilation), {kernel, 1}) + arange(0, positions, stride),
                dtype);
}

/// A convolution whose windows read at places moved by offsets [N, groups * kernel * 2, ..], each
/// weighted by a mask (Dai et al. 2017, Zhu et al. 2019).
Variables deformed(const NodeCall& n) {
    const Shape &x = n[0].shape(), &W = n[1].shape(), &at = n[2].shape();
    if (x.rank() != 4 || W.rank() != 4 || at.rank() != 4)
        n.unsupported("other than two spatial axes");
    const int64_t groups = n.integer("group", 1, positive),
                  parts = n.integer("offset_group", 1, positive), batch = x[0];
    const int64_t kernel = W[2] * W[3], places = at[2] * at[3];
    if (x[1] % parts != 0 || x[1] != W[1] * groups || W[0] % groups != 0 || at[0] != batch ||
        at[1] != parts * kernel * 2)
        n.wrong(fmt::format("x {}, W {} and offset {} do not match", to_string(x), to_string(W),
                            to_string(at)));
    const Dtype dtype = n[0].dtype();
    const Variable offset = reshape(n[2], {batch, parts, kernel, 2, at[2], at[3]});
    const auto moved = [&](int64_t axis, const Shape& shape) {
        const Variable still =
            window_places(n, int(axis), W[int(2 + axis)], at[int(2 + axis)], dtype);
        const Shape all{batch, parts, W[2], W[3], at[2], at[3]};
        return reshape(slice_axis(offset, 3, axis, 1), all) + reshape(still, shape);
    };
    const std::vector<Tap> rows = linear_taps(moved(0, {W[2], 1, at[2], 1}), x[2]),
                           columns = linear_taps(moved(1, {W[3], 1, at[3]}), x[3]);
    const int64_t depth = x[1] / parts;
    const Variable image =
        reshape(transpose(reshape(n[0], {batch, parts, depth, x[2] * x[3]}), {0, 1, 3, 2}),
                {batch * parts * x[2] * x[3], depth});
    const Variable first =
        reshape(arange(0, batch * parts, x[2] * x[3]), {batch, parts, 1, 1, 1, 1});
    Variable seen;
    for (const Tap& r : rows)
        for (const Tap& c : columns) {
            Variable weight = r.weight * c.weight;
            if (n.has(4)) weight = weight * reshape(n[4], weight.shape());
            const Variable index = first + r.index * x[3] + c.index;
            const Variable part =
                take(image, flatten(index), 0) * reshape(weight, {weight.size(), 1});
            seen = seen.defined() ? seen + part : part;
        }
    seen = transpose(reshape(seen, {batch, parts, kernel, places, depth}), {0, 1, 4, 2, 3});
    Variable y = matmul(reshape(n[1], {groups, W[0] / groups, W[1] * kernel}),
                        reshape(seen, {batch, groups, W[1] * kernel, places}));
    y = reshape(y, {batch, W[0], at[2], at[3]});
    return {n.has(3) ? y + reshape(n[3], {W[0], 1, 1}) : y};
}

const int grid_importers = add_importers({{"GridSample", sampled},
                                          {"AffineGrid", affine},
                                          Importer("DeformConv", deformed).with_weights({1, 3})});

}  // namespace
}  // namespace catena::onnx
