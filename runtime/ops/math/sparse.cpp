#include "runtime/ops/math/sparse.h"

#include <vector>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/constant.h"

namespace catena {
namespace {

void check_sparse(const CooMatrix& a) {
    check_float("sparse_matmul", "data", a.data.type());
    if (!is_integer(a.row.dtype()) || !is_integer(a.col.dtype()))
        fail<DtypeError>("sparse_matmul: row and col should be integer, they are {} and {}",
                         to_string(a.row.type()), to_string(a.col.type()));
    if (a.data.rank() < 1 || a.data.rank() > 2 || a.row.shape() != a.data.shape() ||
        a.col.shape() != a.data.shape())
        fail<ShapeError>(
            "sparse_matmul: data, row and col should be of one shape [entries] or [B,entries], "
            "they are {}, {} and {}",
            to_string(a.data.shape()), to_string(a.row.shape()), to_string(a.col.shape()));
}

/// The elements as one list, with the places of all matrices of the batch below each other.
struct Entries {
    Variable data;  ///< [count,1]; 0 where the entry does not count.
    Variable row, col;
};
Entries entries_of(const CooMatrix& a) {
    const Variable counts = a.row >= 0 && a.col >= 0;
    Variable row = cast(where(counts, a.row, 0), Dtype::int64),
             col = cast(where(counts, a.col, 0), Dtype::int64);
    if (a.data.rank() == 2) {
        const Variable matrix = counting(0, a.data.shape()[0], a.data, 2);
        row = row + matrix * a.rows;
        col = col + matrix * a.columns;
    }
    return {expand_dims(flatten(where(counts, a.data, 0)), -1), flatten(row), flatten(col)};
}

Variable product(const CooMatrix& a, const Variable& b) {
    check_sparse(a);
    const bool batch = a.data.rank() == 2;
    if (b.rank() != a.data.rank() + 1 || b.shape()[b.rank() - 2] != a.columns ||
        (batch && b.shape()[0] != a.data.shape()[0]))
        fail<ShapeError>("sparse_matmul: a sparse matrix {} x {}{} cannot be multiplied with {}",
                         a.rows, a.columns,
                         batch ? fmt::format(" (a batch of {})", a.data.shape()[0]) : "",
                         to_string(b.shape()));
    const int64_t matrices = batch ? b.shape()[0] : 1, width = b.shape()[b.rank() - 1];
    const Entries e = entries_of(a);
    const Dtype dtype = promote(a.data.dtype(), b.dtype());
    const Variable read = take(reshape(b, {matrices * a.columns, width}), e.col);
    const Variable none = fill({.dtype = dtype, .shape = {matrices * a.rows, width}}, 0);
    const Variable y = scatter_add(none, {Index(e.row)}, cast(e.data * read, dtype));
    return batch ? reshape(y, {matrices, a.rows, width}) : y;
}

CooMatrix matrix_of(const FunctionArguments& a) {
    const Dims shape = a.pair("shape");
    return {a.array("data"), a.array("row"), a.array("col"), shape[0], shape[1]};
}
const FunctionDef& f_sparse_matmul = function(
    "sparse_matmul(data, row, col, b, shape, transa=False, transb=False)",
    {"data", "row", "col", "b"}, [](const FunctionArguments& a) {
        return sparse_matmul(matrix_of(a), a.array("b"), a.flag("transa"), a.flag("transb"));
    });

}  // namespace

Variable CooMatrix::to_dense() const {
    check_sparse(*this);
    const bool batch = data.rank() == 2;
    const int64_t matrices = batch ? data.shape()[0] : 1;
    const Entries e = entries_of(*this);
    const Variable none = fill({.dtype = data.dtype(), .shape = {matrices * rows * columns}}, 0);
    // entries_of moves columns on by matrices as well, and rows count for `columns` places each.
    const Variable within = batch ? flatten(where(row >= 0 && col >= 0, col, 0)) : e.col;
    const Variable y =
        scatter_add(none, {Index(e.row * columns + cast(within, Dtype::int64))}, flatten(e.data));
    return batch ? reshape(y, {matrices, rows, columns}) : reshape(y, {rows, columns});
}

CooMatrix to_coo(const Operand& x, std::optional<int64_t> entries, bool requires_grad) {
    LocationScope scope(x.location());
    const Array given = x.variable().array();
    if (given.rank() != 2 && given.rank() != 3)
        fail<ShapeError>("to_coo: x should be [m,n] or [B,m,n], it is {}",
                         to_string(given.shape()));
    const int64_t matrices = given.rank() == 3 ? given.dim(0) : 1,
                  rows = given.dim(given.rank() - 2), columns = given.dim(given.rank() - 1);
    const std::vector<double> values = given.to_vector<double>();
    std::vector<std::vector<int64_t>> places(static_cast<size_t>(matrices));
    int64_t longest = 0;
    for (int64_t b = 0; b < matrices; ++b) {
        for (int64_t i = 0; i < rows * columns; ++i)
            if (values[size_t(b * rows * columns + i)] != 0) places[size_t(b)].push_back(i);
        longest = std::max(longest, int64_t(places[size_t(b)].size()));
    }
    const int64_t length = entries.value_or(longest);
    if (length < longest)
        fail<ValueError>("to_coo: {} entries are too few, a matrix has {} elements that are not 0",
                         length, longest);
    std::vector<double> data(size_t(matrices * length), 0);
    std::vector<int32_t> row(data.size(), -1), col(data.size(), -1);
    for (int64_t b = 0; b < matrices; ++b)
        for (size_t i = 0; i < places[size_t(b)].size(); ++i) {
            const size_t at = size_t(b * length) + i;
            const int64_t place = places[size_t(b)][i];
            data[at] = values[size_t(b * rows * columns + place)];
            row[at] = int32_t(place / columns);
            col[at] = int32_t(place % columns);
        }
    const Shape shape = given.rank() == 3 ? Shape{matrices, length} : Shape{length};
    return {Variable(Array::from(data, shape).astype(given.dtype()), requires_grad),
            Variable(Array::from(row, shape), false), Variable(Array::from(col, shape), false),
            rows, columns};
}

Variable sparse_matmul(const CooMatrix& a, const Operand& b, bool transa, bool transb) {
    LocationScope scope(b.location());
    const Variable& dense = b;
    if (dense.rank() < 2)
        fail<ShapeError>("sparse_matmul: the dense factor should be a matrix, it is {}",
                         to_string(dense.shape()));
    return product(transa ? a.transposed() : a, transb ? swapaxes(dense, -1, -2) : dense);
}

// (a b)^T = b^T a^T.
Variable sparse_matmul(const Operand& a, const CooMatrix& b, bool transa, bool transb) {
    return swapaxes(sparse_matmul(transb ? b : b.transposed(), a, false, !transa), -1, -2);
}

}  // namespace catena
