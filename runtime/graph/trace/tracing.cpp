#include "runtime/graph/trace/tracing.h"

#include "runtime/core/array/device.h"

namespace catena {

Variables Tracing::perform(const OpCall& call) {
    Variables outputs;
    if (call.op.body && !takes_whole(call.op)) {
        check_composite(call);
        outputs = run_body(call);
    } else {
        outputs = compute(call);
        saw(call, outputs);
    }
    connect(call, outputs);
    return outputs;
}

/// One operation for whoever listens, also where it has a body instead of a kernel.
Variables Tracing::compute(const OpCall& call) {
    if (call.op.body && !call.op.kernel) {
        check_composite(call);
        const RecorderScope unseen(nullptr);
        return run_body(call);
    }
    return run_kernel(call, shape_only() ? meta_device() : call_device(call));
}

}  // namespace catena
