#include "runtime/ops/normalization/statistics.h"

#include <algorithm>

#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"

namespace catena {

Axes normalized_axes(const char* name, const Axes& axis, const Variable& x, const Variable& gamma) {
    if (!axis.empty()) return normalize_axes(name, axis, x.rank(), false);
    Axes axes{0};
    for (int i = gamma.rank() + 1; i < x.rank(); ++i) axes.push_back(i);
    return axes;
}

Shape expanded(const Shape& x, const Axes& axis) {
    Shape shape = x;
    for (int64_t a : axis) shape[int(a)] = 1;
    return shape;
}

Shape key_shape(const Shape& x, const Axes& axis) {
    Shape shape;
    for (int i = 0; i < x.rank(); ++i)
        if (!axis.contains(i)) shape.push_back(x[i]);
    return shape;
}

double count_of(const Shape& x, const Axes& axis) {
    double count = 1;
    for (int64_t a : axis) count *= double(x[int(a)]);
    return count;
}

double unbiased(double count) { return count / std::max(count - 1, 1.0); }

void update_statistic(const Variable& state, const Variable& present, const Scalar& decay) {
    const Variable now = cast(present, state.dtype());
    assign(state, now + (state - now) * decay);
}

}  // namespace catena
