// Members of Array and Variable that change shapes, move axes and pick elements.
#include "runtime/core/system/error.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/rearrange.h"
#include "runtime/ops/names/members.h"
#include "runtime/ops/names/pytorch.h"

namespace catena {
namespace {

/// NumPy's transpose by two numbers, without what PyTorch's users mean by something else.
Variable transpose_by_two(const Operand& x, int64_t first, int64_t second) {
    const LocationScope scope(x.location());
    const int rank = x.variable().rank();
    if (rank == 2 && normalize_axis("transpose", first, rank) == 0 &&
        normalize_axis("transpose", second, rank) == 1)
        fail<ValueError>(
            "transpose: ({}, {}) leaves x {} as it is in NumPy and exchanges its axes in PyTorch; "
            "write swapaxes({}, {}) or T() to exchange them, transpose({{{}, {}}}) for NumPy's",
            first, second, to_string(x.variable().shape()), first, second, first, second);
    return catena::transpose(x, {first, second});
}

/// PyTorch's t.
Variable transposed_matrix(const Operand& x) {
    const LocationScope scope(x.location());
    const Variable& v = x;
    if (v.rank() > 2)
        fail<ShapeError>(
            "t: x {} has {} axes, at most two are exchanged; see swapaxes and transpose",
            to_string(v.shape()), v.rank());
    return catena::transpose(v);
}

}  // namespace

CATENA_MEMBER(reshape(const Shape& shape, Caller at), reshape(Operand(*this, at), shape))
CATENA_MEMBER(view(const Shape& shape, Caller at), reshape(Operand(*this, at), shape))
CATENA_MEMBER(transpose(const Axes& axes, Caller at), transpose(Operand(*this, at), axes))
CATENA_MEMBER(transpose(int64_t first, int64_t second, Caller at),
              transpose_by_two(Operand(*this, at), first, second))
CATENA_MEMBER(permute(const Axes& axes, Caller at), transpose(Operand(*this, at), axes))
CATENA_MEMBER(T(Caller at), transpose(Operand(*this, at)))
CATENA_MEMBER(t(Caller at), transposed_matrix(Operand(*this, at)))
CATENA_MEMBER(swapaxes(int64_t axis1, int64_t axis2, Caller at),
              swapaxes(Operand(*this, at), axis1, axis2))
CATENA_MEMBER(flatten(int64_t start_axis, int64_t end_axis, Caller at),
              flatten(Operand(*this, at), start_axis, end_axis))
CATENA_MEMBER(ravel(Caller at), ravel(Operand(*this, at)))
CATENA_MEMBER(squeeze(const Axes& axes, Caller at), squeeze(Operand(*this, at), axes))
CATENA_MEMBER(squeeze(int64_t axis, Caller at), squeeze(Operand(*this, at), axis))
CATENA_MEMBER(unsqueeze(int64_t axis, Caller at), expand_dims(Operand(*this, at), axis))
CATENA_MEMBER(expand(const Shape& shape, Caller at), expand(Operand(*this, at), shape))
CATENA_MEMBER(gather(int64_t axis, const Array& indices, Caller at),
              take_along_axis(Operand(*this, at), indices, axis))

}  // namespace catena
