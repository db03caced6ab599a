// Sampling an image at places that another array gives.
#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// One neighbour of every place along one axis.
struct Tap {
    Variable index, weight;
};

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
            const Variable below = floor(x), rest = x - below;
            const Variable up =
                rest > 0.5 || (rest == 0.5 && fmod(absolute(below), constant_like(x, 2)) == 1.0);
            return {tap(where(up, below + 1, below), fill({x.dtype(), x.shape()}, 1), size)};
        }
        const Variable below = floor(x), rest = x - below;
        return {tap(below, 1 - rest, size), tap(below + 1, rest, size)};
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

    Tap tap(const Variable& index, const Variable& weight, int64_t size) const {
        const Variable known = index >= 0.0 && index <= double(size - 1);
        return {cast(clip(index, 0.0, double(size - 1)), Dtype::int64), where(known, weight, 0)};
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
                next.push_back({a.index * double(x.shape()[i + 2]) + b.index,
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
        n.wrong("theta and size do not fit");
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

const int importers = add_importers({{"GridSample", sampled}, {"AffineGrid", affine_grid}});

}  // namespace
}  // namespace catena::onnx
