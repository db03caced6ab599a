// Every row of the op table as a program for CUDA, its kernels executed by an emulation of CUDA's
// threads and compiled by NVRTC.
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "runtime/ops/element_text.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/emulated_device.h"
#include "tests/cuda/nvrtc_check.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"

namespace catena::testing {
namespace {

TEST(CudaOpTable, emulated_kernels_compute_what_every_row_says) {
    const EmulatedDevice& device = EmulatedDevice::instance();
    DeviceCalls calls(EmulatedDevice::instance());
    check_rows(calls);
    calls.begin_second_round();
    check_rows(calls);
    EXPECT_GT(device.launches(), 1000);
    EXPECT_EQ(kernel_provider().host_calls(), 0) << "a row left the device";
    std::printf("%d kernels, %d launches\n", device.kernel_count(), device.launches());
}

TEST(CudaOpTable, every_op_runs_on_devices_or_says_why_not) {
    for (const OpDef* op : all_ops()) {
        if (!op->kernel && !op->body) continue;  // Stands in graphs only.
        const bool fused = op->kind == Kind::map || op->kind == Kind::reduce || op->body || op->view;
        const bool there = fused || has_element_plan(*op) || runs_anywhere(*op);
        EXPECT_TRUE(there != !host_only_reason(*op).empty()) << op->name;
    }
}

TEST(CudaOpTable, every_kernel_compiles_for_two_architectures) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    DeviceCalls calls(EmulatedDevice::instance());
    check_rows(calls);
    expect_nvrtc_takes(EmulatedDevice::instance().texts());
}

}  // namespace
}  // namespace catena::testing
