// Code for devices on disk.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "codegen/cuda/kernel_cache.h"

namespace catena::codegen::cuda {
namespace {

TEST(CudaDiskCache, keeps_code_by_text_architecture_and_flags) {
    if (nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    std::string folder = (std::filesystem::temp_directory_path() / "catena_cubins_XXXXXX").string();
    ASSERT_TRUE(mkdtemp(folder.data()));
    const std::string text =
        "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }";
    DiskCache disk(folder + "/kernels", 1 << 20);
    const std::string code = machine_code(disk, text, {.architecture = "sm_80"});
    EXPECT_EQ(machine_code(disk, text, {.architecture = "sm_80"}), code);
    EXPECT_EQ(disk.counts().found, 1);
    EXPECT_NE(machine_code(disk, text, {.architecture = "sm_90"}), code);
    machine_code(disk, text, {.architecture = "sm_80", .fast_math = true});
    machine_code(disk, text + " // another", {.architecture = "sm_80"});
    EXPECT_EQ(disk.counts().found, 1);
    EXPECT_EQ(disk.counts().stored, 4);
    std::filesystem::remove_all(folder);
}

TEST(CudaDiskCache, names_of_kernels_are_those_of_other_processes) {
    CodeKernel a, b;
    a.text.body = b.text.body = "(const __grid_constant__ Arguments<1, 1> a) {}";
    b.text.body += " // another";
    CodeKernel* const first[] = {&a, &b};
    const std::vector<TranslationUnit> units = translation_units(first, false);
    ASSERT_EQ(units.size(), 1u);
    EXPECT_EQ(units[0].names, (std::vector<std::string>{a.name, b.name}));
    EXPECT_NE(a.name, b.name);
    const std::string before = a.name;
    translation_units(first, true);
    EXPECT_EQ(a.name, before + "_fast");
    translation_units(first, false);
    EXPECT_EQ(a.name, before);
}

}  // namespace
}  // namespace catena::codegen::cuda
