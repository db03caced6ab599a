// benchmarks/cuda/run.sh: its table is there whatever the machine lacks or fails at.
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// A build folder and a PATH of scripts in place of programs.
class GpuReport : public ::testing::Test {
protected:
    GpuReport() {
        std::string pattern = (fs::temp_directory_path() / "catena_report_XXXXXX").string();
        root = mkdtemp(pattern.data());
        for (const char* folder : {"path", "build/bin", "build/lib"})
            fs::create_directories(root / folder);
        std::ofstream(root / "build/lib/libcatena_compiler.so");
        make("path/python3", "exit 1");
        for (const char* program : {"catena", "test_gpu", "device_models"})
            make(std::string("build/bin/") + program,
                 std::string("echo ") + program + " ran with $*");
    }
    ~GpuReport() override { fs::remove_all(root); }

    void make(const std::string& file, const std::string& script) {
        std::ofstream(root / file) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(root / file, fs::perms::owner_all);
    }
    CommandResult report() {
        return run("PATH=" + (root / "path").string() +
                   ":$PATH bash " CATENA_SOURCE_DIR "/benchmarks/cuda/run.sh " +
                   (root / "build").string());
    }
    fs::path root;
};

TEST_F(GpuReport, without_a_gpu_says_of_every_part_why_it_was_not_run) {
    make("path/nvidia-smi", "exit 9");
    const CommandResult result = report();
    EXPECT_EQ(WEXITSTATUS(result.status), 77);
    for (const char* part : {"device", "tests of every operation", "small workloads",
                             "products and convolutions in PyTorch",
                             "ResNet-50 and a block of GPT-2", "programs from files"})
        EXPECT_THAT(result.output,
                    ContainsRegex(std::string("\n") + part +
                                  " +not run: no GPU here: nvidia-smi does not run\n"));
    EXPECT_THAT(result.output, Not(HasSubstr(" ran with ")));
}

TEST_F(GpuReport, goes_on_after_failures_and_ends_with_them) {
    make("path/nvidia-smi", "echo a double of a GPU");
    make("build/bin/test_gpu", "exit 3");
    fs::remove(root / "build/bin/device_models");
    const CommandResult result = report();
    EXPECT_EQ(WEXITSTATUS(result.status), 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("a double of a GPU"));
    EXPECT_THAT(result.output,
                ContainsRegex("\ntests of every operation +FAILED: status 3 after [0-9]+ s\n"));
    EXPECT_THAT(result.output, ContainsRegex("\nsmall workloads +ok, [0-9]+ s\n"));
    EXPECT_THAT(result.output, HasSubstr("catena ran with bench --device cuda:0 --seconds 2\n"));
    EXPECT_THAT(
        result.output,
        ContainsRegex("\nproducts and convolutions +not run: .*device_models is not built"));
    EXPECT_THAT(result.output, ContainsRegex("\nproducts and convolutions in PyTorch +not run: "
                                             "python3 has no torch that sees a GPU\n"));
    EXPECT_THAT(result.output,
                ContainsRegex("\nprograms from files +not run: no folder of them was named\n"));
}

TEST_F(GpuReport, in_which_all_succeeds_succeeds) {
    make("path/nvidia-smi", "echo a double of a GPU");
    const CommandResult result = report();
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output,
                HasSubstr("device_models ran with --device cuda:0 --seconds 2 models\n"));
    EXPECT_THAT(result.output, Not(HasSubstr("FAILED")));
}

}  // namespace
}  // namespace catena::testing
