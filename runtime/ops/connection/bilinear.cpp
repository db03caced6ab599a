#include "runtime/ops/connection/bilinear.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/linalg/contraction.h"

namespace catena {
namespace {

void check_shape(const char* name, const Variable& x, const Shape& shape) {
    if (x.shape() != shape)
        fail<ShapeError>("bilinear: {} should be {}, it is {}", name, to_string(shape),
                         to_string(x.shape()));
}

Variable rows_of(const char* name, const Variable& e) {
    if (!is_float(e.dtype()))
        fail<DtypeError>("bilinear: {} should be floating point, it is {}", name,
                         to_string(e.type()));
    if (e.rank() < 2)
        fail<ShapeError>("bilinear: {} should be [N,...], it is {}", name, to_string(e.shape()));
    int64_t features = 1;
    for (int i = 1; i < e.rank(); ++i) features *= e.shape()[i];
    return reshape(e, {e.shape()[0], features});
}

const FunctionDef& f_bilinear =
    function("bilinear(e1, e2, W, V1=None, V2=None, b=None)", {"e1", "e2", "W", "V1", "V2", "b"},
             [](const FunctionArguments& a) {
                 const Variable V1 = a.array("V1"), V2 = a.array("V2"), b = a.array("b");
                 const int given = V1.defined() + V2.defined() + b.defined();
                 if (given == 0) return bilinear(a.array("e1"), a.array("e2"), a.array("W"));
                 if (given < 3)
                     fail<ValueError>("bilinear: V1, V2 and b are given together or not at all");
                 return bilinear(a.array("e1"), a.array("e2"), a.array("W"), V1, V2, b);
             });

}  // namespace

Variable bilinear(const Operand& e1, const Operand& e2, const Operand& W) {
    LocationScope scope(e1.location());
    const Variable a = rows_of("e1", e1), b = rows_of("e2", e2), &weights = W;
    if (a.shape()[0] != b.shape()[0])
        fail<ShapeError>("bilinear: e1 {} and e2 {} should have one number of samples",
                         to_string(e1.variable().shape()), to_string(e2.variable().shape()));
    const int64_t J = a.shape()[1], K = b.shape()[1],
                  L = weights.rank() == 3 ? weights.shape()[2] : 0;
    check_shape("W", weights, {J, K, L});
    const Variable products = expand_dims(a, 2) * expand_dims(b, 1);
    return matmul(reshape(products, {a.shape()[0], J * K}), reshape(weights, {J * K, L}));
}

Variable bilinear(const Operand& e1, const Operand& e2, const Operand& W, const Operand& V1,
                  const Operand& V2, const Operand& b) {
    LocationScope scope(e1.location());
    const Variable y = bilinear(e1, e2, W), first = rows_of("e1", e1), second = rows_of("e2", e2);
    const int64_t L = y.shape()[1];
    check_shape("V1", V1, {first.shape()[1], L});
    check_shape("V2", V2, {second.shape()[1], L});
    check_shape("b", b, {L});
    return y + matmul(first, V1) + matmul(second, V2) + b;
}

}  // namespace catena
