#include "codegen/uses.h"

namespace catena::codegen {

void add_kernel(Uses& uses, const program::KernelLaunch& kernel) {
    const size_t inputs = kernel.geometry.inputs.size();
    for (size_t o = 0; o < kernel.operands.size(); ++o)
        (o < inputs ? uses.reads : uses.writes).push_back(kernel.operands[o].buffer);
}

Uses uses_of(const program::Schedule& schedule, const program::Launch& launch) {
    Uses uses;
    for (int k : launch.kernels) add_kernel(uses, schedule.kernels[size_t(k)]);
    if (launch.library_call >= 0) {
        const program::LibraryCall& call = schedule.library_calls[size_t(launch.library_call)];
        for (const program::View& view : call.inputs) uses.reads.push_back(view.buffer);
        for (const program::View& view : call.outputs) uses.writes.push_back(view.buffer);
    }
    return uses;
}

}  // namespace catena::codegen
