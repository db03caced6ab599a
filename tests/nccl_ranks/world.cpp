// pure_nccl with the fake NCCL, over the emulated device: each process represents a GPU.
// CATENA_TEST_COMMUNICATOR=tcp: the same checks over a communicator that knows the host alone.
#include "tests/distributed_ranks/world.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

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

namespace {

/// A call, and the function of NCCL that it needs.
struct CallOfNccl {
    const char* function;
    std::function<void(const Array&)> make;
};

/// One call of each kind with arrays of 100 floats.
const std::map<std::string, CallOfNccl>& calls_of_nccl() {
    static const std::map<std::string, CallOfNccl> all{
        {"allreduce", {"ncclAllReduce", [](const Array& x) { world->allreduce(x); }}},
        {"bcast", {"ncclBroadcast", [](const Array& x) { world->bcast(x, 0); }}},
        {"gather", {"ncclGroupEnd", [](const Array& x) { world->gather(x, 0); }}},
        {"allgather", {"ncclAllGather", [](const Array& x) { world->allgather(x); }}},
        {"alltoall",
         {"ncclRecv",
          [](const Array& x) { world->alltoall(std::vector<Array>(size_t(world->size()), x)); }}},
        {"scatter",
         {"ncclGroupEnd",
          [](const Array& x) { world->scatter(std::vector<Array>(size_t(world->size()), x), 0); }}},
        {"reduce_scatter",
         {"ncclReduceScatter",
          [](const Array& x) {
              world->reduce_scatter(std::vector<Array>(size_t(world->size()), x));
          }}},
        {"background",
         {"ncclAllReduce",
          [](const Array& x) {
              std::vector<int64_t> tickets;
              for (int i = 0; i < 3; ++i) {
                  const Array bucket = x.to(cpu_device()).to(x.device());
                  tickets.push_back(world->start_allreduce(bucket, Reduction::sum));
              }
              for (const int64_t ticket : tickets) world->wait_started(ticket);
          }}},
    };
    return all;
}

}  // namespace

/// "refused:bcast": rank 1 gets into trouble in the second call: NCCL refuses, never ends, or the
/// process is killed.
bool run_mode(const std::string& mode) {
    const size_t colon = mode.find(':');
    if (colon == mode.npos) return false;
    const std::string trouble = mode.substr(0, colon);
    const CallOfNccl& call = calls_of_nccl().at(mode.substr(colon + 1));
    const Array x = Array::full({Dtype::float32, {100}}, 1).to(EmulatedDevice::instance());
    call.make(x);
    if (world->rank() == 1)
        nccl_double_fail(call.function,
                         trouble == "killed"  ? nccl_double_kills
                         : trouble == "hangs" ? nccl_double_hangs
                                              : ncclUnhandledCudaError,
                         "Cuda failure 'out of memory'");
    call.make(x);
    return true;
}

}  // namespace catena
