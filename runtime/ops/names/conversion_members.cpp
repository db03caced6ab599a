// Members of Array and Variable that give parts of them, other dtypes and other devices.
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/copy_to_device.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/rearrange.h"
#include "runtime/ops/names/members.h"

namespace catena {

Array Array::operator[](std::initializer_list<Index> slices) const {
    return Variable(*this, false)[slices].array();
}
Array Array::operator[](const Index& index) const { return Variable(*this, false)[index].array(); }

Array Array::to(std::string_view device) const { return to(get_device(device)); }

Variable Variable::astype(Dtype dtype, Caller at) const { return cast(Operand(*this, at), dtype); }
Variable Variable::to(Device& device, Caller at) const {
    return catena::copy(Operand(*this, at), device);
}
Variable Variable::to(std::string_view device, Caller at) const {
    return catena::copy(Operand(*this, at), device);
}

Variable::operator Array() const {
    if (requires_grad())
        fail<ValueError>(
            "a Variable is used as an Array: it is {} with a gradient, which would be lost; write "
            "x.array() or x.detach() for its elements, or keep the Variable",
            to_string(type()));
    return array();
}

CATENA_MEMBER(copy(Caller at), copy(Operand(*this, at)))
CATENA_MEMBER(clone(Caller at), copy(Operand(*this, at)))

}  // namespace catena
