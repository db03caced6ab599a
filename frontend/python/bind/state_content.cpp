#include "frontend/python/bind/state_content.h"

#include "runtime/graph/call/held_state.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/variable/variable_body.h"
#include "runtime/ops/array/rearrange.h"

namespace catena::python {

Array content_for_state(const Variable& given) {
    const Array& array = given.array();
    if (!array.defined()) return array;
    if (array.body()->owner) {
        const auto no_graph = no_backprop_mode();
        return copy(Variable(array, false)).array();
    }
    const bool is_pending = array.body()->pending;
    if (is_pending || !is_held(array)) return array;
    return array.view(array.shape(), array.strides(), array.body()->offset);
}

}  // namespace catena::python
