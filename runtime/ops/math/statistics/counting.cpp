#include "runtime/ops/math/statistics/counting.h"

#include <bit>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/logic.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

void check_vector(const char* name, const char* what, const Variable& x) {
    if (x.rank() != 1)
        fail<ShapeError>("{}: {} should be a vector, it is {}", name, what, to_string(x.shape()));
}

/// Whether a stands before v in sorted order, where NaN is last.
Variable precedes(const Variable& a, const Variable& v, Side side) {
    const Variable below = side == Side::left ? a < v : a <= v;
    if (!is_float(v.dtype())) return below;
    const Variable is_last = isnan(v);
    return below || (side == Side::left ? is_last && !isnan(a) : is_last);
}

}  // namespace

// The halves of a binary search are chosen for all values at once: as many steps as the length has
// binary digits.
Variable searchsorted(const Operand& sorted, const Operand& values, Side side) {
    const LocationScope scope(sorted.location());
    const Variable &all = sorted, &v = values;
    check_vector("searchsorted", "sorted", all);
    const int64_t n = all.shape()[0];
    Variable found = zeros_like(v, Dtype::int64);
    for (auto step = int64_t(std::bit_floor(uint64_t(n))); step > 0; step /= 2) {
        const Variable next = found + step, at = minimum(next, n) - 1;
        found = where(next <= n && precedes(take(all, at), v, side), next, found);
    }
    return found;
}

Variable isin(const Operand& x, const Operand& values) {
    const LocationScope scope(x.location());
    const Variable sorted = sort(flatten(values), 0);
    const int64_t n = sorted.size();
    if (n == 0) return zeros_like(x, Dtype::bool_);
    return take(sorted, minimum(searchsorted(sorted, x), n - 1)) == x;
}

Variable bincount(const Operand& x, int64_t minlength) {
    return bincount(x, ones_like(x, Dtype::int64), minlength);
}

Variable bincount(const Operand& x, const Operand& weights, int64_t minlength) {
    const LocationScope scope(x.location());
    const Variable &places = x, &each = weights;
    check_vector("bincount", "x", places);
    if (is_float(places.dtype()))
        fail<DtypeError>("bincount: x should be integers, it is {}", to_string(places.type()));
    int64_t length = minlength;
    if (places.size() > 0) {
        const int64_t least = min(places).item<int64_t>(), largest = max(places).item<int64_t>();
        if (least < 0)
            fail<ValueError>("bincount: x contains {}; it should hold numbers of 0 or more", least);
        length = std::max(length, largest + 1);
    }
    const DeviceScope beside(places.device());
    const Variable none = zeros(Shape{length}, each.dtype());
    return scatter_add(none, {cast(places, Dtype::int64)}, each);
}

Histogram histogram(const Operand& x, const Operand& edges) {
    const LocationScope scope(x.location());
    const Variable all = flatten(x), &borders = edges;
    check_vector("histogram", "edges", borders);
    const int64_t bins = borders.size() - 1;
    if (bins < 1)
        fail<ValueError>("histogram: {} edges make no bin; give at least 2", borders.size());
    const Variable last = borders[bins];
    const Variable bin = where(all == last, bins - 1, searchsorted(borders, all, Side::right) - 1);
    const Variable inside = bin >= 0 && bin < bins;
    const DeviceScope beside(all.device());
    const Variable none = zeros(Shape{bins}, Dtype::int64);
    return {scatter_add(none, {where(inside, bin, 0)}, cast(inside, Dtype::int64)), borders};
}

Histogram histogram(const Operand& x, int64_t bins,
                    std::optional<std::pair<double, double>> range) {
    const LocationScope scope(x.location());
    if (bins < 1) fail<ValueError>("histogram: bins is {}, it should be 1 or more", bins);
    const Variable all = as_floats(x);
    const Dtype dtype = all.dtype();
    if (range && !(range->first <= range->second))
        fail<ValueError>("histogram: the range is {} to {}; its end should not be below its begin",
                         range->first, range->second);
    const DeviceScope beside(all.device());
    const Variable least = range ? Variable(full(Shape{}, range->first, dtype), false) : min(all),
                   most = range ? Variable(full(Shape{}, range->second, dtype), false) : max(all),
                   half = where(least == most, full(Shape{}, 0.5, dtype), 0.0);
    const Variable low = least - half, high = most + half,
                   part = linspace(0.0, 1.0, bins + 1, true, dtype);
    return histogram(all, low * (1 - part) + high * part);  // The ends are low and high themselves.
}

Variable interp(const Operand& x, const Operand& xp, const Operand& fp) {
    const LocationScope scope(x.location());
    const Variable at = as_floats(x), xs = as_floats(xp), ys = as_floats(fp);
    check_vector("interp", "xp", xs);
    if (ys.shape() != xs.shape() || xs.size() == 0)
        fail<ShapeError>("interp: xp and fp should be vectors of one length, they are {} and {}",
                         to_string(xs.shape()), to_string(ys.shape()));
    const int64_t n = xs.size();
    if (n == 1) return ys[0] + at * 0;
    const Variable right = maximum(minimum(searchsorted(xs, at, Side::right), n - 1), int64_t(1));
    const Variable x0 = take(xs, right - 1), x1 = take(xs, right);
    const Variable y0 = take(ys, right - 1), y1 = take(ys, right);
    const Variable part = maximum(minimum((at - x0) / (x1 - x0), 1.0), 0.0);
    return y0 + (y1 - y0) * part;
}

}  // namespace catena
