// pure_nccl with the fake NCCL, over the emulated device: each process represents a GPU.
// CATENA_TEST_COMMUNICATOR=tcp: the same checks over a communicator that knows the host alone.
#include "tests/distributed_ranks/world.h"

#include <cstdlib>

#include <nccl.h>

#include "runtime/comm/create.h"
#include "tests/cuda/emulated_device.h"
#include "tests/nccl_double/nccl_double.h"

namespace catena {

using testing::EmulatedDevice;

std::string usual_world() {
    const char* name = std::getenv("CATENA_TEST_COMMUNICATOR");
    return name ? name : "pure_nccl";
}

std::shared_ptr<Communicator> make_world(const std::string& name) {
    nccl_double_expect_memory(
        [](const void* p, size_t bytes) { return EmulatedDevice::instance().owns(p, bytes); });
    const bool on_device = name == "pure_nccl";
    return create_communicator(name, {.device = on_device ? &EmulatedDevice::instance() : nullptr});
}

/// Rank 1 gets into trouble while the ranks add: NCCL refuses, never ends, or the process is
/// killed.
bool run_mode(const std::string& mode) {
    if (mode != "refused" && mode != "hangs" && mode != "killed") return false;
    Array x = Array::full({Dtype::float32, {100}}, 1);
    world->allreduce(x);
    if (world->rank() == 1)
        nccl_double_fail("ncclAllReduce",
                         mode == "killed"  ? nccl_double_kills
                         : mode == "hangs" ? nccl_double_hangs
                                           : ncclUnhandledCudaError,
                         "Cuda failure 'out of memory'");
    world->allreduce(x);
    return true;
}

}  // namespace catena
