#include "runtime/ops/define/register_map.h"

#include <utility>

#include "runtime/cpu/blocks/map_kernel.h"

namespace catena {

const OpDef& register_map(OpDef op) {
    if (!op.kernel) op.kernel = run_map;
    return register_op(std::move(op));
}

}  // namespace catena
