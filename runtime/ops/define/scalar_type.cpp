#include "runtime/ops/define/scalar_type.h"

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

bool lifts(const Variable& x, const Scalar& s) {
    return x.defined() && x.array().defined() && lifted(x.dtype(), s) != x.dtype();
}

}  // namespace

Dtype lifted(Dtype dtype, const Scalar& s) {
    if (is_float(dtype) || s.kind() == Scalar::Kind::boolean) return dtype;
    if (s.kind() == Scalar::Kind::floating) return config().dtype;
    return dtype == Dtype::bool_ ? Dtype::int32 : dtype;
}

Variable lifted(const Operand& x, const Scalar& s) {
    return lifts(x, s) ? cast(x, lifted(x.variable().dtype(), s)) : x.variable();
}

bool are_whole(const Variable& a, const Variable& b) {
    const auto is_whole = [](const Variable& x) {
        return x.defined() && x.array().defined() && !is_float(x.dtype());
    };
    return is_whole(a) && is_whole(b);
}

Variable as_floats(const Operand& x) {
    return are_whole(x, x) ? cast(x, config().dtype) : x.variable();
}

Variable call_of_floats(const OpDef& op, const Operand& x) {
    if (are_whole(x, x)) return call(op, x.location(), {}, {}, as_floats(x));
    return call(op, x.location(), {}, {}, x);
}

Variable call_lifted(const OpDef& op, const Operand& x, std::initializer_list<Scalar> scalars) {
    for (const Scalar& s : scalars) {
        if (!lifts(x, s)) continue;
        Dtype dtype = x.variable().dtype();
        for (const Scalar& each : scalars) dtype = lifted(dtype, each);
        return call(op, x.location(), {}, scalars, cast(x, dtype));
    }
    return call(op, x.location(), {}, scalars, x);
}

}  // namespace catena
