#include "runtime/ops/array/blocks.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"

namespace catena {
namespace {

constexpr int64_t most_block = int64_t(1) << 20;  // Its square is far from the end of 64 bits.

void check_image(const char* op, const Shape& X, int64_t r) {
    if (r < 1) fail<ValueError>("{}: r is {} and should be positive", op, r);
    if (r > most_block) fail<ValueError>("{}: r is {}, at most {} is possible", op, r, most_block);
    if (X.rank() != 4) fail<ShapeError>("{}: X should be [N,C,H,W], it is {}", op, to_string(X));
}

/// Checks that sequences have one type and lengths that do not grow.
void check_sequences(std::span<const Variable> xs) {
    for (size_t i = 0; i < xs.size(); ++i) {
        if (xs[i].rank() == 0)
            fail<ShapeError>("transpose_sequence: xs[{}] is a scalar, a first axis is needed", i);
        if (i == 0) continue;
        if (xs[i].dtype() != xs[0].dtype())
            fail<DtypeError>("transpose_sequence: xs[0] is {}, xs[{}] is {}; dtypes must be equal",
                             name_of(xs[0].dtype()), i, name_of(xs[i].dtype()));
        Shape rest = xs[i].shape();
        if (rest.rank() == xs[0].rank()) rest[0] = xs[0].shape()[0];
        if (rest != xs[0].shape())
            fail<ShapeError>(
                "transpose_sequence: xs[0] {} and xs[{}] {} differ in more than their length",
                to_string(xs[0].shape()), i, to_string(xs[i].shape()));
        if (xs[i].shape()[0] > xs[i - 1].shape()[0])
            fail<ShapeError>(
                "transpose_sequence: xs[{}] {} is longer than xs[{}] {}; sort them by decreasing "
                "length",
                i, to_string(xs[i].shape()), i - 1, to_string(xs[i - 1].shape()));
    }
}

const FunctionDef& f_depth2space =
    function("depth2space(X, r)", {"X"},
             [](const FunctionArguments& a) { return depth2space(a.array("X"), a.integer("r")); });
const FunctionDef& f_space2depth =
    function("space2depth(X, r)", {"X"},
             [](const FunctionArguments& a) { return space2depth(a.array("X"), a.integer("r")); });
const FunctionDef& f_diagonal =
    function("diagonal(x, offset=0, axis1=0, axis2=1)", {"x"}, [](const FunctionArguments& a) {
        return diagonal(a.array("x"), a.integer("offset"), a.integer("axis1"), a.integer("axis2"));
    });
const FunctionDef& f_transpose_sequence =
    function("transpose_sequence(xs)", {"*xs"},
             [](const FunctionArguments& a) { return transpose_sequence(a.list()); });

}  // namespace

Variable depth2space(const Operand& X, int64_t r, BlockOrder order) {
    LocationScope scope(X.location());
    const Shape& x = X.variable().shape();
    check_image("depth2space", x, r);
    if (x[1] % (r * r) != 0)
        fail<ShapeError>("depth2space: X {} has {} channels, which {} x {} does not divide",
                         to_string(x), x[1], r, r);
    const int64_t channels = x[1] / (r * r);
    const bool blocks_first = order == BlockOrder::blocks_first;
    const Shape apart = blocks_first ? Shape{x[0], r, r, channels, x[2], x[3]}
                                     : Shape{x[0], channels, r, r, x[2], x[3]};
    const Axes together = blocks_first ? Axes{0, 3, 4, 1, 5, 2} : Axes{0, 1, 4, 2, 5, 3};
    return reshape(transpose(reshape(X, apart), together), {x[0], channels, x[2] * r, x[3] * r});
}

Variable space2depth(const Operand& X, int64_t r, BlockOrder order) {
    LocationScope scope(X.location());
    const Shape& x = X.variable().shape();
    check_image("space2depth", x, r);
    if (x[2] % r != 0 || x[3] % r != 0)
        fail<ShapeError>("space2depth: r {} does not divide the height and width of X {}", r,
                         to_string(x));
    const Variable apart = reshape(X, {x[0], x[1], x[2] / r, r, x[3] / r, r});
    const bool blocks_first = order == BlockOrder::blocks_first;
    const Axes together = blocks_first ? Axes{0, 3, 5, 1, 2, 4} : Axes{0, 1, 3, 5, 2, 4};
    return reshape(transpose(apart, together), {x[0], x[1] * r * r, x[2] / r, x[3] / r});
}

Variable diagonal(const Operand& x, int64_t offset, int64_t axis1, int64_t axis2) {
    LocationScope scope(x.location());
    const int rank = x.variable().rank();
    const int row = normalize_axis("diagonal", axis1, rank),
              column = normalize_axis("diagonal", axis2, rank);
    if (row == column)
        fail<ShapeError>("diagonal: axis1 {} and axis2 {} are the same axis of x {}; give two axes",
                         axis1, axis2, to_string(x.variable().shape()));
    const Variable last = moveaxis(x, Axes{row, column}, Axes{rank - 2, rank - 1});
    Shape shape = last.shape();
    const int64_t rows = shape[rank - 2], columns = shape[rank - 1];
    const int64_t count = std::max<int64_t>(
        offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns), 0);
    shape.erase(rank - 1);
    shape[rank - 2] = rows * columns;
    const int64_t begin = count == 0 ? 0 : offset >= 0 ? offset : -offset * columns;
    return slice_axis(reshape(last, shape), rank - 2, begin, count, columns + 1);
}

Variables transpose_sequence(std::span<const Variable> xs, const std::source_location& at) {
    LocationScope scope(at);
    check_sequences(xs);
    if (xs.empty() || xs[0].shape()[0] == 0) return {};
    // All rows in the order of positions, in one gather.
    std::vector<int64_t> order, cuts;
    for (int64_t t = 0; t < xs[0].shape()[0]; ++t) {
        if (t > 0) cuts.push_back(int64_t(order.size()));
        int64_t first = 0;
        for (const Variable& x : xs) {
            if (x.shape()[0] <= t) break;
            order.push_back(first + t);
            first += x.shape()[0];
        }
    }
    const Variable rows = concat(xs, 0, at);
    const Shape count{int64_t(order.size())};
    return split_axis(take(rows, constant(order, count, rows), 0), cuts, 0);
}

}  // namespace catena
