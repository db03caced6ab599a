// Sampling an image at coordinates given by another array.
#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// One neighbour of every place along one axis.
struct Tap {
    Variable index, weight;
};

/// Outside of the axis the weight is 0.
Tap tap(const Variable& index, const Variable& weight, int64_t size) {
    const Variable known = index >= 0.0 && index <= double(size - 1);
    return {cast(clip(index, 0.0, double(size - 1)), Dtype::int64), where(known, weight, 0)};
}

std::vector<Tap> linear_taps(const Variable& x, int64_t size) {
    const Variable below = floor(x), rest = x - below;
    return {tap(below, 1 - rest, size), tap(below + 1, rest, size)};
}

struct Sampling {
    std::string kind, padding;
    bool align = false;

    /// From [-1, 1] to elements.
    Variable place(const Variable& g, int64_t size) const {
        return align ? (g + 1) * (double(size - 1) / 2) : ((g + 1) * double(size) - 1) * 0.5;
    }
    /// Mirrored at the border until it is inside.
    Variable reflected(const Variable& x, int64_t size) const {
        const double low = align ? 0 : -0.5, span = align ? double(size - 1) : double(size);
        if (span <= 0) return x * 0;
        const Variable d = absolute(x - low), turns = floor(d / span), rest = d - turns * span;
        const Variable even = fmod(turns, constant_like(turns, 2)) == 0.0;
        return where(even, rest, span - rest) + low;
    }
    Variable inside(const Variable& x, int64_t size) const {
        if (padding == "border") return clip(x, 0.0, double(size - 1));
        if (padding == "reflection") return clip(reflected(x, size), 0.0, double(size - 1));
        return x;
    }

    std::vector<Tap> taps(const Variable& g, int64_t size) const {
        Variable x = place(g, size);
        if (kind == "cubic") return cubic_taps(x, size);
        x = inside(x, size);
        if (kind == "nearest") {
            return {tap(nearest_even(x), fill({x.dtype(), x.shape()}, 1), size)};
        }
        return linear_taps(x, size);
    }

    /// Keys' cubic with a = -0.75.
    std::vector<Tap> cubic_taps(const Variable& x, int64_t size) const {
        constexpr double a = -0.75;
        const Variable below = floor(x), t = x - below;
        std::vector<Tap> all;
        for (int k = -1; k <= 2; ++k) {
            const Variable d = absolute(t - double(k));
            const Variable weight = k == 0 || k == 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                                                     : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
            all.push_back(tap(inside(below + double(k), size), weight, size));
        }
        return all;
    }
};

Variables sampled(const NodeCall& n) {
    const Variable &x = n[0], &grid = n[1];
    const int axes = x.rank() - 2;
    if (axes < 1 || grid.rank() != x.rank() || grid.shape().back() != axes)
        n.wrong("the grid does not fit the input");
    Sampling s{n.text("mode", n.opset() < 20 ? "bilinear" : "linear"),
               n.text("padding_mode", "zeros"), n.integer("align_corners", 0) != 0};
    if (s.kind == "bicubic") s.kind = "cubic";
    const int64_t batch = x.shape()[0], channels = x.shape()[1],
                  places = grid.size() / std::max<int64_t>(batch * axes, 1);
    int64_t inner = 1;
    for (int i = 0; i < axes; ++i) inner *= x.shape()[i + 2];
    const Variable rows = reshape(transpose(reshape(x, {batch, channels, inner}), {0, 2, 1}),
                                  {batch * inner, channels});
    const Variable flat = reshape(grid, {batch, places, axes});
    std::vector<std::vector<Tap>> taps;
    for (int i = 0; i < axes; ++i)  // The grid names the last axis first.
        taps.push_back(s.taps(reshape(slice_axis(flat, 2, axes - 1 - i, 1), {batch, places}),
                              x.shape()[i + 2]));
    std::vector<Tap> combined{{reshape(arange(0, batch), {batch, 1}), Variable()}};
    for (int i = 0; i < axes; ++i) {
        std::vector<Tap> next;
        for (const Tap& a : combined)
            for (const Tap& b : taps[size_t(i)])
                next.push_back({a.index * x.shape()[i + 2] + b.index,
                                a.weight.defined() ? a.weight * b.weight : b.weight});
        combined = std::move(next);
    }
    Variable y;
    for (const Tap& t : combined) {
        const Variable part = take(rows, reshape(t.index, {batch * places}), 0) *
                              reshape(cast(t.weight, x.dtype()), {batch * places, 1});
        y = y.defined() ? y + part : part;
    }
    Shape shape{batch, channels};
    for (int i = 0; i < axes; ++i) shape.push_back(grid.shape()[i + 1]);
    return {reshape(transpose(reshape(y, {batch, places, channels}), {0, 2, 1}), shape)};
}

/// Places along an axis of `size` elements, from -1 to 1 at the outermost elements or at the
/// borders.
std::vector<double> places_along(int64_t size, bool align) {
    std::vector<double> places;
    for (int64_t i = 0; i < size; ++i) {
        const double border = (2 * double(i) + 1) / double(size) - 1;
        places.push_back(!align ? border : size > 1 ? 2 * double(i) / double(size - 1) - 1 : 0);
    }
    return places;
}

/// The grid of an affine map [N, k, k + 1]: what it makes of (x, y, .., 1), the last axis first.
Variables affine_grid(const NodeCall& n) {
    const std::vector<int64_t> size = n.values(1);
    const bool align = n.integer("align_corners", 0) != 0;
    const int axes = int(size.size()) - 2;
    if (axes < 1 || n[0].rank() != 3 || n[0].shape()[1] != axes)
        n.wrong("theta and size do not match");
    Shape shape = dims_of(n, {size.begin() + 2, size.end()});
    std::vector<Variable> columns;
    for (int i = axes; i-- > 0;) {
        Shape line = Shape::filled(axes, 1);
        line[i] = shape[i];
        const Array places = Array::from(places_along(shape[i], align), line).astype(n[0].dtype());
        columns.push_back(flatten(broadcast_to(Variable(places, false), shape)));
    }
    columns.push_back(fill({n[0].dtype(), columns[0].shape()}, 1));
    const Variable grid = matmul(stack(columns, 1), n[0], false, true);  // [N, places, k]
    shape.insert(0, n[0].shape()[0]);
    shape.push_back(axes);
    return {reshape(grid, shape)};
}

/// Where the elements of every window lie along one axis: [kernel, positions] without offsets.
Variable window_places(const NodeCall& n, int axis, int64_t kernel, int64_t positions,
                       Dtype dtype) {
    const std::vector<int64_t> ones(2, 1), zeros(4, 0);
    const int64_t stride = n.integers("strides", ones).at(size_t(axis)),
                  dilation = n.integers("dilations", ones).at(size_t(axis)),
                  pad = n.integers("pads", zeros).at(size_t(axis));
    return cast(reshape(arange(-pad, kernel, dilation), {kernel, 1}) + arange(0, positions, stride),
                dtype);
}

/// A convolution whose windows read at places moved by offsets [N, groups * kernel * 2, ..], each
/// weighted by a mask (Dai et al. 2017, Zhu et al. 2019).
Variables deformed(const NodeCall& n) {
    const Shape &x = n[0].shape(), &W = n[1].shape(), &at = n[2].shape();
    if (x.rank() != 4 || W.rank() != 4 || at.rank() != 4)
        n.unsupported("other than two spatial axes");
    const int64_t groups = n.integer("group", 1), parts = n.integer("offset_group", 1),
                  batch = x[0];
    const int64_t kernel = W[2] * W[3], places = at[2] * at[3];
    if (groups < 1 || parts < 1 || x[1] % parts != 0 || x[1] != W[1] * groups ||
        W[0] % groups != 0 || at[0] != batch || at[1] != parts * kernel * 2)
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

const int importers =
    add_importers({{"GridSample", sampled}, {"AffineGrid", affine_grid}, {"DeformConv", deformed}});

}  // namespace
}  // namespace catena::onnx
