// Members of Array and Variable that are operations.
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/copy_to_device.h"
#include "runtime/ops/array/indexing/indexing.h"

namespace catena {

Array Array::operator[](std::initializer_list<Index> slices) const {
    return Variable(*this, false)[slices].array();
}
Array Array::operator[](const Index& index) const { return Variable(*this, false)[index].array(); }

Variable Variable::astype(Dtype dtype, Caller at) const { return cast(Operand(*this, at), dtype); }
Variable Variable::to(Device& device, Caller at) const { return copy(Operand(*this, at), device); }

Variable::operator Array() const {
    if (requires_grad())
        fail<ValueError>(
            "a Variable is used as an Array: it is {} with a gradient, which would be lost; write "
            "x.array() or x.detach() for its elements, or keep the Variable",
            to_string(type()));
    return array();
}

}  // namespace catena
