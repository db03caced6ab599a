// Every row of the op table as a program for CUDA, its kernels executed by an emulation of CUDA's
// threads and compiled by NVRTC.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "codegen/cuda/nvrtc.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/program/file/schedule_json.h"
#include "runtime/program/run/portable.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/emulated_device.h"
#include "tests/cuda/nvrtc_check.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"
#include "tests/ops/host_only.h"

namespace catena::testing {
namespace {

/// The programs of all rows, made once in a process.
DeviceCalls& programs_of_rows() {
    static DeviceCalls& made = *[] {
        auto* calls = new DeviceCalls(EmulatedDevice::instance());
        check_rows(*calls);
        return calls;
    }();
    return made;
}

TEST(CudaOpTable, emulated_kernels_compute_what_every_row_says) {
    const EmulatedDevice& device = EmulatedDevice::instance();
    DeviceCalls calls = programs_of_rows();
    calls.begin_second_round();
    check_rows(calls);
    EXPECT_GT(device.launches(), 1000);
    std::printf("%d kernels, %d launches\n", device.kernel_count(), device.launches());
}

/// As a document for a file: it can be read again, and what guards against hostile ones lets it
/// pass.
TEST(CudaOpTable, every_row_is_a_program_for_a_file) {
    int documents = 0;
    const auto write_and_read = [&documents](const ArrayFunction& run,
                                             const std::vector<Variable>& inputs) {
        const RecordedCall call = record_call(run, inputs);
        const Trace* const runs[] = {&call.trace};
        const DevicePortableProgram made = compiler().compile_portable_for_device(runs, {});
        const nlohmann::json document = program::to_json(made.schedules[0]);
        EXPECT_EQ(program::to_json(program::schedule_from(document)), document);
        ++documents;
        return call.results;
    };
    compiled() = write_and_read;
    for (const Row& row : all_rows()) {
        SCOPED_TRACE(row.function + " " + row.op + " " + row.note);
        try {
            check_compiled(row);
            check_compiled_gradient(row);
        } catch (const std::exception& error) {
            if (!tells_of_host_only(error.what())) ADD_FAILURE() << error.what();
        }
    }
    compiled() = nullptr;
    EXPECT_GT(documents, 400);
}

TEST(CudaOpTable, every_op_runs_on_devices_or_says_why_not) {
    for (const OpDef* op : all_ops()) {
        if (!op->kernel && !op->body) continue;  // Stands in graphs only.
        const bool fused =
            op->kind == Kind::map || op->kind == Kind::reduce || op->body || op->view;
        const bool there = fused || has_element_plan(*op) || runs_anywhere(*op);
        EXPECT_TRUE(there != !host_only_reason(*op).empty()) << op->name;
    }
}

TEST(CudaOpTable, every_kernel_compiles) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    programs_of_rows();
    expect_nvrtc_takes_quickly(EmulatedDevice::instance().texts());
}

}  // namespace
}  // namespace catena::testing
