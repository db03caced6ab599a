#include "runtime/ops/math/linalg/matrix_rules.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"

namespace catena {

const OpDef& linear_algebra(OpDef op) {
    op.declared.add(host_only("LAPACK computes on the host"));
    return register_op(std::move(op));
}

Type matrices(const TypeCall& call, int input) {
    const Type& a = call.inputs[size_t(input)];
    if (a.dtype != Dtype::float32 && a.dtype != Dtype::float64)
        fail<DtypeError>("{}: a should be floating point, it is {}", call.op.name, to_string(a));
    if (a.shape.rank() < 2)
        fail<ShapeError>("{}: a should be matrices [...,m,n], it is {}", call.op.name,
                         to_string(a.shape));
    return a;
}

Type square_matrices(const TypeCall& call, int input) {
    const Type a = matrices(call, input);
    const int last = a.shape.rank() - 1;
    if (a.shape[last] != a.shape[last - 1])
        fail<ShapeError>("{}: a should be square matrices, it is {}", call.op.name,
                         to_string(a.shape));
    return a;
}

Shape batch_of(const Shape& shape) {
    Shape batch;
    for (int i = 0; i + 2 < shape.rank(); ++i) batch.push_back(shape[i]);
    return batch;
}

Variables in_working_precision(const OpDef& op, const Operand& a, const Attributes& attributes) {
    LocationScope scope(a.location());
    const Variable& given = a;
    check_float(op.name, "a", given.type());
    const Variable x = widened(given);
    const Variable* inputs[] = {&x};
    Variables results = apply(op, inputs, known_location(), attributes);
    for (Variable& y : results) y = cast(y, given.dtype());
    return results;
}

Variable transposed(const Variable& x) { return swapaxes(x, -1, -2); }

Variable triangles(const Variable& x, int64_t n, double below, double diagonal, double above) {
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) values.push_back(j < i ? below : j == i ? diagonal : above);
    return cast(constant(values, {n, n}, x), x.dtype());
}

}  // namespace catena
