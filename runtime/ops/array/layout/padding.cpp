#include "runtime/ops/array/layout/padding.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

/// `count` elements to stand beside the border of `axis`, before it or after it.
Variable beyond_border(const Variable& x, int axis, int64_t count, bool before, PadMode mode) {
    const int64_t n = x.shape()[axis];
    if (mode == PadMode::edge) {
        if (n == 0)
            fail<ShapeError>("pad: axis {} of x {} is empty and has no edge", axis,
                             to_string(x.shape()));
        Shape shape = x.shape();
        shape[axis] = count;
        return broadcast_to(slice_axis(x, axis, before ? 0 : n - 1, 1), shape);
    }
    const int64_t skipped = mode == PadMode::reflect ? 1 : 0;
    if (count > n - skipped)
        fail<ShapeError>("pad: {} elements beside axis {} of x {}; a mirror gives at most {}",
                         count, axis, to_string(x.shape()), n - skipped);
    return slice_axis(x, axis, before ? count - 1 + skipped : n - 1 - skipped, count, -1);
}

}  // namespace

Variable pad(const Operand& x, const Dims& before, const Dims& after, PadMode mode) {
    LocationScope scope(x.location());
    Variable y = x;
    for (int axis = 0; axis < y.rank() && axis < before.rank() && axis < after.rank(); ++axis) {
        if (before[axis] == 0 && after[axis] == 0) continue;
        std::vector<Variable> parts;
        if (before[axis] > 0) parts.push_back(beyond_border(y, axis, before[axis], true, mode));
        parts.push_back(y);
        if (after[axis] > 0) parts.push_back(beyond_border(y, axis, after[axis], false, mode));
        y = concat(parts, axis);
    }
    return y;
}

namespace {

/// NumPy's pad_width: n, (before, after), or one such pair for each axis.
void read_pad_width(const FunctionArguments& a, int rank, Dims& before, Dims& after) {
    const auto list = a.value("pad_width").items();
    const bool nested = list && !list->empty() && list->front().items();
    if (!nested) {
        const Dims pair = a.pair("pad_width");
        before = Dims::filled(rank, pair[0]);
        after = Dims::filled(rank, pair[pair.rank() - 1]);
        return;
    }
    for (const LiteralValue& entry : *list) {
        const auto pair = entry.items();
        const int64_t* ends[2] = {};
        for (size_t i = 0; pair && pair->size() == 2 && i < 2; ++i)
            ends[i] = std::get_if<int64_t>(&(*pair)[i].value);
        if (!ends[0] || !ends[1])
            fail<ValueError>(
                "pad: entry {} of pad_width is not a pair (before, after) of integers; pad_width "
                "is "
                "an integer, one such pair or a list of them",
                before.rank());
        before.push_back(*ends[0]);
        after.push_back(*ends[1]);
    }
    if (before.rank() == 1 && rank != 1) {
        before = Dims::filled(rank, before[0]);
        after = Dims::filled(rank, after[0]);
    }
}

/// A number for each side of each axis: NumPy's constant_values ((before, after), ...); none where
/// it is one number.
std::vector<std::pair<double, double>> read_pad_values(const FunctionArguments& a, int rank) {
    std::vector<std::pair<double, double>> sides;
    const auto list = a.value("constant_values").items();
    const auto number = [](const LiteralValue& value) {
        if (const auto* integer = std::get_if<int64_t>(&value.value)) return double(*integer);
        if (const auto* real = std::get_if<double>(&value.value)) return *real;
        fail<ValueError>(
            "pad: constant_values is a number, (before, after) or a list of such pairs, one for "
            "each axis");
    };
    const auto add = [&](const LiteralValue::List& pair) {
        if (pair.empty() || pair.size() > 2)
            fail<ValueError>(
                "pad: constant_values has {} numbers for an axis; give two, (before, after)",
                pair.size());
        sides.emplace_back(number(pair.front()), number(pair.back()));
    };
    if (!list) return sides;
    const bool nested = !list->empty() && list->front().items();
    if (!nested)
        add(*list);
    else
        for (const LiteralValue& entry : *list)
            add(entry.items().value_or(LiteralValue::List{entry}));
    if (sides.size() == 1) sides.resize(size_t(rank), sides[0]);
    if (int(sides.size()) != rank)
        fail<ValueError>("pad: constant_values has {} pairs, x has {} axes", sides.size(), rank);
    return sides;
}

/// Axis after axis, so that the last one fills the corners, as in NumPy.
Variable pad_sides(Variable x, const Dims& before, const Dims& after,
                   const std::vector<std::pair<double, double>>& values) {
    for (int axis = 0; axis < std::min(before.rank(), after.rank()); ++axis) {
        const Dims none = Dims::filled(x.rank(), 0);
        Dims front = none, back = none;
        front[axis] = before[axis];
        back[axis] = after[axis];
        x = pad(pad(x, front, none, values[size_t(axis)].first), none, back,
                values[size_t(axis)].second);
    }
    return x;
}

PadMode parse_pad_mode(std::string_view name) {
    if (name == "edge") return PadMode::edge;
    if (name == "reflect") return PadMode::reflect;
    if (name == "symmetric") return PadMode::symmetric;
    fail<ValueError>("pad: mode '{}' is none of constant, edge, reflect, symmetric", name);
}

}  // namespace

/// x with elements put around it, as NumPy's pad. ShapeError where a mirrored border would exceed
/// the array.
/// - pad_width: How many: a number for all sides, (before, after) for all axes, or one such pair
///   for each axis.
/// - mode: "constant"; "edge" repeats the outermost element; "reflect" mirrors without it,
///   "symmetric" with it.
/// - constant_values: With "constant": a number, (before, after), or one such pair for each axis.
static const FunctionDef& f_pad =
    function("pad(x, pad_width, mode, constant_values=0)", {"x"}, [](const FunctionArguments& a) {
        const Variable x = a.array("x");
        Dims before, after;
        read_pad_width(a, x.rank(), before, after);
        if (a.text("mode") == "constant")
            if (const auto sides = read_pad_values(a, x.rank()); !sides.empty())
                return pad_sides(x, before, after, sides);
        return a.text("mode") == "constant" ? pad(x, before, after, a.scalar("constant_values"))
                                            : pad(x, before, after, parse_pad_mode(a.text("mode")));
    });

Variable pad_sequence(std::span<const Variable> xs, int64_t length, const Scalar& padding,
                      const std::source_location& at) {
    LocationScope scope(at);
    int64_t longest = 0;
    for (const Variable& x : xs) longest = std::max(longest, x.rank() ? x.shape()[0] : 0);
    if (length == 0) length = longest;
    std::vector<Variable> rows;
    for (const Variable& x : xs) {
        if (x.rank() == 0 || x.shape()[0] > length)
            fail<ShapeError>("pad_sequence: xs[{}] {} does not fit into length {}", rows.size(),
                             to_string(x.shape()), length);
        Dims after = Dims::filled(x.rank(), 0);
        after[0] = length - x.shape()[0];
        rows.push_back(pad(x, Dims::filled(x.rank(), 0), after, padding));
    }
    return stack(rows, 0, at);
}
static const FunctionDef& f_pad_sequence =
    function("pad_sequence(xs, length=None, padding=0)", {"*xs"}, [](const FunctionArguments& a) {
        return pad_sequence(a.list(), a.is_none("length") ? 0 : a.integer("length"),
                            a.scalar("padding"));
    });

}  // namespace catena
