// A package for real architectures: compiled by NVRTC, loaded and launched by the double of the
// driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/schedule_code.h"
#include "frontend/catena.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/program.h"
#include "tests/cuda/recording_driver.h"
#include "tests/export/saved_step.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CompiledCudaPackageInOwnProcess : public ::testing::Test {
protected:
    void SetUp() override {
        if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    }
    static void save(const std::vector<std::string>& architectures) {
        auto f = static_graph([](const Variable& x) { return sort(softmax(x), 1); }, {.name = "f"});
        f(batch(0, 8));
        f.save(temporary("x.catena"), {.cuda_architectures = architectures, .stages = false});
    }
    template <class F>
    static std::string message_of(F f) {
        try {
            f();
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing was thrown";
    }
};

TEST_F(CompiledCudaPackageInOwnProcess, has_code_and_ptx_with_the_kernels_that_its_schedule_names) {
    save({"sm_80", "sm_90", "compute_90"});
    nlohmann::json manifest;
    const program::Package package = program::read_package(temporary("x.catena"), manifest);
    EXPECT_FALSE(package.texts.contains("schedule.json")) << "only devices were named";
    int images = 0;
    for (const auto& image : manifest["cuda"]["images"]) {
        const std::string entry = image["entry"], architecture = image["architecture"];
        const std::string& code = package.texts.at(entry);
        SCOPED_TRACE(entry);
        if (architecture == "compute_90") {
            EXPECT_THAT(entry, ::testing::EndsWith(".ptx"));
            EXPECT_THAT(code, HasSubstr(".target sm_90"));
        } else {
            EXPECT_THAT(entry, ::testing::EndsWith(".cubin"));
            EXPECT_EQ(code.substr(0, 4),
                      "\x7f"
                      "ELF");
            EXPECT_EQ(uint8_t(code[18]), 190) << "a machine that is no NVIDIA GPU";
        }
        for (const std::string kernel : image["kernels"]) EXPECT_THAT(code, HasSubstr(kernel));
        ++images;
    }
    EXPECT_EQ(images, 6) << "groups and the others for three architectures";
    EXPECT_NE(package.texts.at("cuda/sm_80.0.cubin"), package.texts.at("cuda/sm_90.0.cubin"));
}

TEST_F(CompiledCudaPackageInOwnProcess, is_loaded_and_launched_by_the_driver) {
    save({"sm_80", "sm_90"});
    RecordingDriver driver;
    cuda::CudaDevice device(0);
    Program program = Program::load(temporary("x.catena"), device);
    EXPECT_EQ(program.code_level(), "sm_90");
    EXPECT_THAT(program.targets(), ElementsAre("sm_80", "sm_90"));
    EXPECT_EQ(driver.count("cuModuleLoadData"), 2);
    EXPECT_GT(driver.count("cuModuleGetFunction copy_3_4"), 0);
    program.run({batch(0, 8).array().to(device)});
    EXPECT_GE(driver.count("cuLaunchKernel"), 2);
    driver.calls.clear();
    Program::load(temporary("x.catena"), device);
    EXPECT_EQ(driver.count("cuModuleLoadData"), 0) << "the device has this code";
}

TEST_F(CompiledCudaPackageInOwnProcess, of_a_region_on_the_device_is_for_it_and_later_ones) {
    RecordingDriver driver;
    const cuda::CudaDevice device(0);
    EXPECT_THAT(codegen::cuda::portable_architectures(device), ElementsAre("sm_90", "compute_90"));
}

TEST_F(CompiledCudaPackageInOwnProcess, of_a_device_here_is_code_that_its_driver_loads) {
    RecordingDriver driver;
    cuda::CudaDevice device(0);
    auto f = static_graph([](const Variable& x) { return softmax(x); }, {.name = "f"});
    f(Variable(batch(0, 8).array().to(device), false));
    driver.set_version(6050);
    EXPECT_THAT(message_of([&] { f.save(temporary("x.catena")); }),
                HasSubstr("it is a driver for CUDA 6.5"));
}

TEST_F(CompiledCudaPackageInOwnProcess, of_other_architectures_is_refused_by_their_names) {
    save({"sm_80", "compute_100"});
    RecordingDriver driver;
    cuda::CudaDevice device(0);
    EXPECT_THAT(message_of([&] { Program::load(temporary("x.catena"), device); }),
                HasSubstr("x.catena: has code for sm_80, compute_100; cuda:0 is sm_90"));
    EXPECT_THAT(message_of([&] { save({"sm_42"}); }),
                HasSubstr("makes no code for sm_42; it does for sm_75, "));
}

}  // namespace
}  // namespace catena::testing
