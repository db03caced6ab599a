#include "frontend/optimizer/by_device.h"

#include "runtime/graph/call/recorder.h"
#include "runtime/ops/array/copy_to_device.h"

namespace catena {

Variable beside(const Variable& x, Device& device) {
    return are_apart(x.device(), device) ? copy(x, device) : x;
}

void move_beside(const State& state, Device& device) {
    if (device.is_meta() || &state.device() == &device) return;
    const RecorderScope paused(nullptr);
    state.set_array(state.array().to(device));
}

}  // namespace catena
