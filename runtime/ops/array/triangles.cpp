#include "runtime/ops/array/triangles.h"

#include <cstdlib>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/blocks.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

/// x's place in its last two axes is at or below the k-th diagonal.
Array lower_places(const char* op, const Variable& x, int64_t k) {
    const int rank = x.rank();
    if (rank < 2)
        fail<ShapeError>("{}: x {} is no matrix, at least two axes are needed", op,
                         to_string(x.shape()));
    const DeviceScope beside(x.device());
    return tri(x.shape()[rank - 2], x.shape()[rank - 1], k, Dtype::bool_);
}

/// `v` along `axis` of `shape`.
Variable spread(const Variable& v, int axis, const Shape& shape) {
    Shape line = Shape::filled(shape.rank(), 1);
    line[axis] = v.shape()[0];
    return broadcast_to(reshape(v, line), shape);
}

const FunctionDef& f_tril = function("tril(x, k=0)", {"x"}, [](const FunctionArguments& a) {
    return tril(a.array("x"), a.integer("k"));
});
const FunctionDef& f_triu = function("triu(x, k=0)", {"x"}, [](const FunctionArguments& a) {
    return triu(a.array("x"), a.integer("k"));
});
const FunctionDef& f_diag = function("diag(v, k=0)", {"v"}, [](const FunctionArguments& a) {
    return diag(a.array("v"), a.integer("k"));
});
const FunctionDef& f_diagflat = function("diagflat(v, k=0)", {"v"}, [](const FunctionArguments& a) {
    return diagflat(a.array("v"), a.integer("k"));
});
const FunctionDef& f_meshgrid =
    function("meshgrid(*xs, indexing='xy')", {"*xs"}, [](const FunctionArguments& a) {
        const std::string indexing = a.text("indexing");
        if (indexing != "xy" && indexing != "ij")
            fail<ValueError>("meshgrid: indexing is '{}'; 'xy' and 'ij' are right", indexing);
        return meshgrid(a.list(), indexing == "xy" ? MeshgridIndexing::xy : MeshgridIndexing::ij);
    });

}  // namespace

// A false beside x, and not a 0, keeps x's dtype where that is bool.
Variable tril(const Operand& x, int64_t k) {
    LocationScope scope(x.location());
    return where(lower_places("tril", x, k), x, false);
}
Variable triu(const Operand& x, int64_t k) {
    LocationScope scope(x.location());
    return where(lower_places("triu", x, k - 1), false, x);
}

Variable diag(const Operand& v, int64_t k) {
    LocationScope scope(v.location());
    const Variable& x = v;
    if (x.rank() == 2) return diagonal(x, k);
    if (x.rank() != 1)
        fail<ShapeError>("diag: v {} should be a vector or a matrix", to_string(x.shape()));
    const int64_t size = x.shape()[0] + std::abs(k);
    const DeviceScope beside(x.device());
    const Array places = eye(size, {}, k, Dtype::bool_);
    const Variable column = pad(x, {k < 0 ? -k : 0}, {k > 0 ? k : 0}, false);
    return where(places, broadcast_to(reshape(column, {size, 1}), {size, size}), false);
}
Variable diagflat(const Operand& v, int64_t k) {
    LocationScope scope(v.location());
    return diag(flatten(v), k);
}

Variables meshgrid(std::span<const Variable> xs, MeshgridIndexing indexing,
                   const std::source_location& at) {
    LocationScope scope(at);
    Shape shape;
    for (const Variable& x : xs) {
        if (x.rank() != 1)
            fail<ShapeError>("meshgrid: an array has the shape {}; all should be vectors",
                             to_string(x.shape()));
        shape.push_back(x.shape()[0]);
    }
    const bool swaps = indexing == MeshgridIndexing::xy && xs.size() > 1;
    if (swaps) std::swap(shape[0], shape[1]);
    Variables grids;
    for (size_t i = 0; i < xs.size(); ++i)
        grids.push_back(spread(xs[i], swaps && i < 2 ? 1 - int(i) : int(i), shape));
    return grids;
}
Variables meshgrid(std::initializer_list<Variable> xs, MeshgridIndexing indexing,
                   const std::source_location& at) {
    return meshgrid(std::span<const Variable>(xs.begin(), xs.size()), indexing, at);
}

}  // namespace catena
