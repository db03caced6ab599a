// Members of Array and Variable that reduce, search and add up.
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/math/linalg/vectors.h"
#include "runtime/ops/math/reduction/logic.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/statistics/descriptive.h"
#include "runtime/ops/names/members.h"

namespace catena {

CATENA_MEMBER(sum(const ReductionAxes& axis, bool keepdims, Caller at),
              sum(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(prod(const ReductionAxes& axis, bool keepdims, Caller at),
              prod(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(mean(const ReductionAxes& axis, bool keepdims, Caller at),
              mean(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(max(const ReductionAxes& axis, bool keepdims, Caller at),
              max(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(min(const ReductionAxes& axis, bool keepdims, Caller at),
              min(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(std(const ReductionAxes& axis, bool keepdims, int64_t ddof, Caller at),
              standard_deviation(Operand(*this, at), axis, keepdims, ddof))
CATENA_MEMBER(var(const ReductionAxes& axis, bool keepdims, int64_t ddof, Caller at),
              variance(Operand(*this, at), axis, keepdims, ddof))
CATENA_MEMBER(norm(double ord, const ReductionAxes& axis, bool keepdims, Caller at),
              norm(Operand(*this, at), ord, axis, keepdims))
CATENA_MEMBER(all(const ReductionAxes& axis, bool keepdims, Caller at),
              all(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(any(const ReductionAxes& axis, bool keepdims, Caller at),
              any(Operand(*this, at), axis, keepdims))
CATENA_MEMBER(argmax(std::optional<int64_t> axis, Caller at), argmax(Operand(*this, at), axis))
CATENA_MEMBER(argmin(std::optional<int64_t> axis, Caller at), argmin(Operand(*this, at), axis))
CATENA_MEMBER(argsort(int64_t axis, Caller at), argsort(Operand(*this, at), axis))
CATENA_MEMBER(cumsum(std::optional<int64_t> axis, Caller at), cumsum(Operand(*this, at), axis))
CATENA_MEMBER(cumprod(std::optional<int64_t> axis, Caller at), cumprod(Operand(*this, at), axis))

}  // namespace catena
