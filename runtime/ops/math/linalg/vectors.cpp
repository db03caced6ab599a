#include "runtime/ops/math/linalg/vectors.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/array/triangles.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/einsum.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/norm.h"

namespace catena {

Variable dot(const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    if (x.rank() == 0 || y.rank() == 0) return x * y;
    if (x.rank() <= 2 && y.rank() <= 2) return matmul(x, y);
    const Axes last{int64_t(x.rank() - 1)}, of_b{int64_t(std::max(y.rank() - 2, 0))};
    return tensordot(as_floats(x), as_floats(y), last, of_b);
}

Variable outer(const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    return reshape(x, {x.size(), 1}) * reshape(y, {1, y.size()});
}

Variable kron(const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    const int rank = std::max(x.rank(), y.rank());
    Shape wide_x, wide_y, result;
    for (int i = 0; i < rank; ++i) {
        const auto size = [&](const Variable& v) {
            const int axis = i - (rank - v.rank());
            return axis < 0 ? 1 : v.shape()[axis];
        };
        wide_x.push_back(size(x));
        wide_x.push_back(1);
        wide_y.push_back(1);
        wide_y.push_back(size(y));
        result.push_back(size(x) * size(y));
    }
    return reshape(reshape(x, wide_x) * reshape(y, wide_y), result);
}

Variable cross(const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    for (const Variable& v : {a.variable(), b.variable()})
        if (v.rank() == 0 || v.shape()[v.rank() - 1] != 3)
            fail<ShapeError>("cross: the last axis should have three elements, it is {}",
                             to_string(v.shape()));
    const auto part = [](const Variable& v, int64_t i) { return slice_axis(v, -1, i, 1); };
    Variables parts;
    for (int64_t i = 0; i < 3; ++i) {
        const int64_t next = (i + 1) % 3, after = (i + 2) % 3;
        parts.push_back(part(a, next) * part(b, after) - part(a, after) * part(b, next));
    }
    return concat(parts, -1);
}

Variable trace(const Operand& x, int64_t k) {
    const LocationScope scope(x.location());
    if (x.variable().rank() != 2)
        fail<ShapeError>("trace: x should be a matrix, it is {}", to_string(x.variable().shape()));
    return sum(diag(x, k));
}

Variable norm(const Operand& x, double ord, const ReductionAxes& axis, bool keepdims) {
    const LocationScope scope(x.location());
    if (ord == 2) return length_of(sum(square(as_floats(x)), axis, keepdims));
    const Variable size = absolute(as_floats(x));
    if (std::isinf(ord)) return ord > 0 ? max(size, axis, keepdims) : min(size, axis, keepdims);
    if (ord == 0) return sum(cast(size != 0, size.dtype()), axis, keepdims);
    if (ord == 1) return sum(size, axis, keepdims);
    return pow(sum(pow(size, ord), axis, keepdims), 1 / ord);
}

}  // namespace catena
