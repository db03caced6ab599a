// The benchmark's workloads at small sizes on an emulated device, eager and compiled, against the
// host.
#include <gtest/gtest.h>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "codegen/cuda/nvrtc.h"
#include "frontend/catena.h"
#include "tests/cuda/emulated_device.h"
#include "tests/cuda/nvrtc_check.h"
#include "tests/cuda/workload_results.h"

namespace catena::testing {
namespace {

using tool::Variant;
using tool::Workload;

constexpr int64_t divisor = 64;
constexpr Variant variants[] = {Variant::eager, Variant::step};

/// Makes all kernels, and computes nothing.
void collect(EmulatedDevice& device) {
    device.set_collecting(true);
    for (const Workload& workload : tool::workloads())
        for (Variant variant : variants) workload_results(device, workload, variant, divisor);
    device.set_collecting(false);
}

TEST(CudaWorkloads, eager_and_compiled_equal_the_host) {
    collect(EmulatedDevice::instance());  // They are compiled together.
    const int64_t before = kernel_provider().host_calls();
    for (const Workload& workload : tool::workloads()) {
        for (Variant variant : variants) {
            SCOPED_TRACE(workload.name + " " + name_of(variant));
            expect_workload_of_host(EmulatedDevice::instance(), workload, variant, divisor);
        }
    }
    EXPECT_EQ(kernel_provider().host_calls(), before) << "a workload left the device";
    std::printf("%d kernels, %d launches\n", EmulatedDevice::instance().kernel_count(),
                EmulatedDevice::instance().launches());
}

TEST(CudaWorkloads, every_kernel_compiles_for_two_architectures) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    EmulatedDevice& device = *new EmulatedDevice("of_workloads");
    collect(device);
    expect_nvrtc_takes(device.texts());
}

}  // namespace
}  // namespace catena::testing
