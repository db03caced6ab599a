// Members of Array and Variable that are mathematics of their elements, and products.
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/vectors.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/names/members.h"
#include "runtime/ops/names/pytorch.h"

namespace catena {

Array Array::dot(const Array& other, Caller at) const {
    return catena::dot(Operand(*this, at), other).array();
}
Variable Variable::dot(const Variable& other, Caller at) const {
    return catena::dot(Operand(*this, at), other);
}
Array Array::matmul(const Array& other, Caller at) const {
    return catena::matmul(Operand(*this, at), other).array();
}
Variable Variable::matmul(const Variable& other, Caller at) const {
    return catena::matmul(Operand(*this, at), other);
}
Array Array::mm(const Array& other, Caller at) const {
    return catena::mm(Operand(*this, at), other).array();
}
Variable Variable::mm(const Variable& other, Caller at) const {
    return catena::mm(Operand(*this, at), other);
}

CATENA_MEMBER(clip(const std::optional<Scalar>& x_min, const std::optional<Scalar>& x_max,
                   Caller at),
              clip(Operand(*this, at), x_min, x_max))
CATENA_MEMBER(clamp(const std::optional<Scalar>& min, const std::optional<Scalar>& max, Caller at),
              clip(Operand(*this, at), min, max))
CATENA_MEMBER(round(int decimals, Caller at), round(Operand(*this, at), decimals))
CATENA_MEMBER(abs(Caller at), absolute(Operand(*this, at)))
CATENA_MEMBER(pow(const Scalar& exponent, Caller at), pow(Operand(*this, at), exponent))
CATENA_MEMBER(sqrt(Caller at), sqrt(Operand(*this, at)))
CATENA_MEMBER(exp(Caller at), exp(Operand(*this, at)))
CATENA_MEMBER(log(Caller at), log(Operand(*this, at)))
CATENA_MEMBER(tanh(Caller at), tanh(Operand(*this, at)))
CATENA_MEMBER(sigmoid(Caller at), sigmoid(Operand(*this, at)))
CATENA_MEMBER(relu(Caller at), relu(Operand(*this, at)))
CATENA_MEMBER(softmax(int64_t axis, Caller at), softmax(Operand(*this, at), axis))
CATENA_MEMBER(log_softmax(int64_t axis, Caller at), log_softmax(Operand(*this, at), axis))

}  // namespace catena
