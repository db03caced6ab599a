#include "runtime/ops/spatial/sampling.h"

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/rounding.h"

namespace catena {
namespace {

Tap tap(const Variable& index, const Variable& weight, int64_t size) {
    const Variable known = index >= 0.0 && index <= double(size - 1), is_number = index == index;
    // A place that is no number reads any element, with a weight that is none either.
    return {cast(where(is_number, clip(index, 0.0, double(size - 1)), 0), Dtype::int64),
            where(known, weight, where(is_number, 0, index))};
}

struct Sampler {
    const GridSampling& options;

    /// The place in elements of a coordinate in [-1, 1].
    Variable place(const Variable& g, int64_t size) const {
        return options.align_corners ? (g + 1) * (double(size - 1) / 2)
                                     : ((g + 1) * double(size) - 1) * 0.5;
    }
    /// Mirrored at the border until it is inside.
    Variable reflected(const Variable& x, int64_t size) const {
        const double low = options.align_corners ? 0 : -0.5,
                     span = options.align_corners ? double(size - 1) : double(size);
        if (span <= 0) return x * 0;
        const Variable d = absolute(x - low), turns = floor(d / span), rest = d - turns * span;
        const Variable half = turns * 0.5;
        return where(floor(half) == half, rest, span - rest) + low;
    }
    Variable inside(const Variable& x, int64_t size) const {
        if (options.outside == GridSampling::Outside::border) return clip(x, 0.0, double(size - 1));
        if (options.outside == GridSampling::Outside::reflection)
            return clip(reflected(x, size), 0.0, double(size - 1));
        return x;
    }

    std::vector<Tap> taps(const Variable& g, int64_t size) const {
        const Variable x = place(g, size);
        if (options.kind == GridSampling::Kind::cubic) return cubic_taps(x, size);
        if (options.kind == GridSampling::Kind::linear) return linear_taps(inside(x, size), size);
        return {tap(nearest_even(inside(x, size)), fill(x.type(), 1), size)};
    }

    /// Keys' cubic (1981) with a = -0.75.
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

/// Places along an axis of `size` elements, from -1 to 1.
std::vector<double> places_along(int64_t size, bool align_corners) {
    std::vector<double> places;
    for (int64_t i = 0; i < size; ++i) {
        const double border = (2 * double(i) + 1) / double(size) - 1;
        const double corner = size > 1 ? 2 * double(i) / double(size - 1) - 1 : 0;
        places.push_back(align_corners ? corner : border);
    }
    return places;
}

}  // namespace

std::vector<Tap> linear_taps(const Variable& x, int64_t size) {
    const Variable below = floor(x), rest = x - below;
    return {tap(below, 1 - rest, size), tap(below + 1, rest, size)};
}

Variable grid_sample(const Variable& x, const Variable& grid, const GridSampling& options) {
    const int axes = x.rank() - 2;
    const int64_t batch = x.shape()[0], channels = x.shape()[1], places = grid.shape()[1];
    int64_t inner = 1;
    for (int i = 0; i < axes; ++i) inner *= x.shape()[i + 2];
    const Variable rows = reshape(transpose(reshape(x, {batch, channels, inner}), {0, 2, 1}),
                                  {batch * inner, channels});
    // All combinations of the neighbours along each axis.
    std::vector<Tap> combined{{counting(0, batch, x, 2), Variable()}};
    for (int i = 0; i < axes; ++i) {
        const Variable g = reshape(slice_axis(grid, 2, axes - 1 - i, 1), {batch, places});
        std::vector<Tap> next;
        const std::vector<Tap> along = Sampler{options}.taps(g, x.shape()[i + 2]);
        for (const Tap& a : combined)
            for (const Tap& b : along)
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
    return transpose(reshape(y, {batch, places, channels}), {0, 2, 1});
}

Variable affine_grid(const Variable& theta, const Shape& shape, bool align_corners) {
    const int axes = shape.rank();
    // Made first: what there is no memory for is refused before lists of places are made for it.
    const Variable ones = fill({theta.dtype(), {element_count(shape)}}, 1);
    std::vector<Variable> rows;
    for (int i = axes; i-- > 0;) {
        Shape line = Shape::filled(axes, 1);
        line[i] = shape[i];
        const Variable places = constant(places_along(shape[i], align_corners), line, theta);
        rows.push_back(flatten(broadcast_to(cast(places, theta.dtype()), shape)));
    }
    rows.push_back(ones);
    return matmul(theta, stack(rows, 0));
}

}  // namespace catena
