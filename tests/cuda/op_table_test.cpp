// Every row of the op table as a program for CUDA, its kernels executed by an emulation of CUDA's
// threads and compiled by NVRTC.
#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/scalar_text.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/emulated_device.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"

namespace catena::testing {
namespace {

/// The compiled forms of all rows; see DeviceCalls.
void check_rows(DeviceCalls& calls) {
    compiled() = [&calls](const auto& run, const auto& inputs) { return calls(run, inputs); };
    for (const Row& row : all_rows()) {
        SCOPED_TRACE(row.function + " " + row.op + " " + row.note);
        try {
            check_compiled(row);
            check_compiled_gradient(row);
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    compiled() = nullptr;
}

TEST(CudaOpTable, emulated_kernels_compute_what_every_row_says) {
    const EmulatedDevice& device = EmulatedDevice::instance();
    DeviceCalls calls(EmulatedDevice::instance());
    check_rows(calls);
    calls.begin_second_round();
    check_rows(calls);
    EXPECT_GT(device.launches(), 1000);
    std::printf("%d kernels, %d launches\n", device.kernel_count(), device.launches());
}

/// All kernels that were loaded, in few translation units.
std::vector<std::string> merged_texts(const std::vector<std::string>& texts) {
    constexpr size_t bytes_at_once = 200'000;
    std::set<std::string> math;
    for (const char* name : {"math.exp", "math.expm1", "math.log", "math.log1p", "math.tanh",
                             "math.erf", "math.sin", "math.cos"})
        math.insert(name);
    const std::string preamble = codegen::cuda::preamble_text(math);
    std::vector<std::string> merged;
    for (const std::string& text : texts) {
        if (merged.empty() || merged.back().size() > bytes_at_once) merged.push_back(preamble);
        merged.back() += text.substr(text.find("extern \"C\""));
    }
    return merged;
}

TEST(CudaOpTable, every_kernel_compiles_for_two_architectures) {
    if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    DeviceCalls calls(EmulatedDevice::instance());
    check_rows(calls);
    const std::vector<std::string> texts = merged_texts(EmulatedDevice::instance().texts());
    ASSERT_FALSE(texts.empty());
    std::string complaints[2];
    auto compile = [&](const char* architecture, std::string& complaint) {
        try {
            for (const std::string& text : texts)
                EXPECT_FALSE(
                    codegen::cuda::nvrtc_compile(text, {.architecture = architecture}).empty());
        } catch (const CompileError& error) {
            complaint = error.what();
        }
    };
    std::thread other([&] { compile("sm_80", complaints[0]); });
    compile("sm_100", complaints[1]);
    other.join();
    for (const std::string& complaint : complaints) EXPECT_EQ(complaint, "");
    std::printf("%d kernels in %zu units\n", EmulatedDevice::instance().kernel_count(),
                texts.size());
}

}  // namespace
}  // namespace catena::testing
