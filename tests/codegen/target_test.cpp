#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena::test {

namespace {

using testing::CommandResult;

CommandResult run_tests(const std::string& environment, const std::string& filter) {
    return catena::testing::run(environment + " " + catena::testing::program("test_codegen") +
                                " --gtest_filter=" + filter);
}

/// The listings that compiling a softmax with `environment` leaves.
std::string listing(const std::string& environment) {
    std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) /
        ("catena_listing." +
         std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder);
    run_tests(environment + " CATENA_DUMP_DIR=" + folder.string(),
              "reduction.softmax_is_one_kernel");
    std::stringstream text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".s") text << std::ifstream(entry.path()).rdbuf();
    return text.str();
}

bool cpu_has(const std::string& flag) {
    std::stringstream text;
    text << std::ifstream("/proc/cpuinfo").rdbuf();
    return text.str().find(flag) != std::string::npos;
}

}  // namespace

TEST(target, avx512_code_works_on_512_bits) {
    if (!cpu_has("avx512dq")) GTEST_SKIP() << "this processor has no AVX-512";
    std::string code = listing("CATENA_CPU=avx512");
    EXPECT_NE(code.find("vfmadd"), std::string::npos);
    EXPECT_NE(code.find("%zmm"), std::string::npos);
    EXPECT_EQ(code.find("expf"), std::string::npos);
}

TEST(target, avx2_code_works_on_256_bits) {
    if (!cpu_has("avx2")) GTEST_SKIP() << "this processor has no AVX2";
    std::string code = listing("CATENA_CPU=avx2");
    EXPECT_NE(code.find("%ymm"), std::string::npos);
    EXPECT_EQ(code.find("%zmm"), std::string::npos);
    EXPECT_EQ(code.find("expf"), std::string::npos);
}

TEST(target, the_lesser_targets_give_right_results) {
    for (const char* cpu : {"avx2", "scalar"}) {
        if (cpu == std::string("avx2") && !cpu_has("avx2")) continue;
        CommandResult result =
            run_tests(std::string("CATENA_CPU=") + cpu, "elementwise.*:math.*:reduction.*:step.*");
        EXPECT_EQ(result.status, 0) << cpu << ":\n" << result.output;
    }
}

TEST(target, an_unknown_cpu_is_an_error_that_lists_the_known) {
    CommandResult result = run_tests("CATENA_CPU=mmx", "elementwise.a_chain_is_one_kernel");
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.output.find("CATENA_CPU is 'mmx'"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("avx512, avx2, scalar"), std::string::npos) << result.output;
}

}  // namespace catena::test
