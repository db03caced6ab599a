#include "runtime/ops/array/searching.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/argsort_first.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"

namespace catena {
namespace {

void check_has_elements(const char* function, const Variable& x) {
    if (x.device().is_meta())
        fail<DeviceError>(
            "{}: the shape of the result depends on elements, which x {} on meta does not have",
            function, to_string(x.type()));
}

std::vector<int64_t> places_of_nonzero(const char* function, const Variable& x) {
    check_has_elements(function, x);
    const std::vector<uint8_t> is_set = (x != 0).array().to_vector<uint8_t>();
    std::vector<int64_t> places;
    for (size_t i = 0; i < is_set.size(); ++i)
        if (is_set[i]) places.push_back(int64_t(i));
    return places;
}

Variable listed(const std::vector<int64_t>& values, const Variable& like) {
    return constant(values, Shape{int64_t(values.size())}, like);
}

/// Groups of equal slices, by the number of the first of each.
struct Groups {
    std::vector<int64_t> first, group_of, counts;
};

/// Elements as keys that compare as numbers; integers stay exact.
template <class T>
Groups grouped(const std::vector<T>& elements, int64_t count) {
    const size_t width = count ? elements.size() / size_t(count) : 0;
    const auto slice_less = [&](int64_t a, int64_t b) {
        const T *p = elements.data() + size_t(a) * width, *q = elements.data() + size_t(b) * width;
        return std::lexicographical_compare(p, p + width, q, q + width,
                                            [](T x, T y) { return x < y || (y != y && x == x); });
    };
    const auto has_nan = [&](int64_t a) {
        const T* p = elements.data() + size_t(a) * width;
        return std::any_of(p, p + width, [](T x) { return x != x; });
    };
    std::vector<int64_t> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), slice_less);
    Groups groups{{}, std::vector<int64_t>(size_t(count)), {}};
    for (size_t i = 0; i < order.size(); ++i) {
        const bool is_new = i == 0 || slice_less(order[i - 1], order[i]) || has_nan(order[i]);
        if (is_new) {
            groups.first.push_back(order[i]);
            groups.counts.push_back(0);
        }
        ++groups.counts.back();
        groups.group_of[size_t(order[i])] = int64_t(groups.first.size()) - 1;
    }
    return groups;
}

/// The groups in the order of their first elements.
Groups by_occurrence(const Groups& sorted) {
    std::vector<int64_t> order(sorted.first.size()), rank(order.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return sorted.first[size_t(a)] < sorted.first[size_t(b)];
    });
    Groups groups = sorted;
    for (size_t i = 0; i < order.size(); ++i) {
        rank[size_t(order[i])] = int64_t(i);
        groups.first[i] = sorted.first[size_t(order[i])];
        groups.counts[i] = sorted.counts[size_t(order[i])];
    }
    for (int64_t& group : groups.group_of) group = rank[size_t(group)];
    return groups;
}

const FunctionDef& f_topk =
    function("topk(x, k, axis=-1, largest=True)", {"x"}, [](const FunctionArguments& a) {
        TopK found = topk(a.array("x"), a.integer("k"), a.integer("axis"), a.flag("largest"));
        return Variables{found.values, found.indices};
    });

}  // namespace

Variable flatnonzero(const Operand& x) {
    LocationScope scope(x.location());
    return listed(places_of_nonzero("flatnonzero", x), x);
}

Variables nonzero(const Operand& x) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    if (shape.rank() == 0)
        fail<ShapeError>("nonzero: x is a scalar, which has no axes; reshape it to [1] first");
    std::vector<int64_t> rest = places_of_nonzero("nonzero", x);
    Variables places(size_t(shape.rank()));
    for (int axis = shape.rank(); axis-- > 0;) {
        std::vector<int64_t> along;
        for (int64_t& place : rest) {
            along.push_back(place % shape[axis]);
            place /= shape[axis];
        }
        places[size_t(axis)] = listed(along, x);
    }
    return places;
}

Variable argwhere(const Operand& x) {
    LocationScope scope(x.location());
    const Variables places = nonzero(x);
    return stack(std::span<const Variable>(places.begin(), places.size()), 1);
}

Unique unique_with_places(const Operand& x, const UniqueOptions& options) {
    LocationScope scope(x.location());
    check_has_elements("unique", x);
    const Variable v = options.axis ? Variable(x) : flatten(x);
    const int axis = normalize_axis("unique", options.axis.value_or(0), v.rank());
    const int64_t count = v.shape()[axis];
    const Array slices = moveaxis(v, axis, 0).array();
    Groups groups = is_float(v.dtype()) ? grouped(slices.to_vector<double>(), count)
                                        : grouped(slices.to_vector<int64_t>(), count);
    if (!options.sorted) groups = by_occurrence(groups);
    const Variable first = listed(groups.first, v);
    return {take(v, first, axis), first, listed(groups.group_of, v), listed(groups.counts, v)};
}
Variable unique(const Operand& x, const UniqueOptions& options) {
    return unique_with_places(x, options).values;
}

TopK topk(const Operand& x, int64_t k, int64_t axis, bool largest) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const int along = normalize_axis("topk", axis, v.rank());
    const int64_t size = v.shape()[along];
    if (k < 0 || k > size)
        fail<ValueError>("topk: k is {}; it should be 0 to the size of axis {} of x {}, {}", k,
                         axis, to_string(v.shape()), size);
    const Variable order = argsort_first(v, k, along, largest);
    return {take_along_axis(v, order, along), order};
}

}  // namespace catena
