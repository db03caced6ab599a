#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(Info, tells_what_is_there) {
    const auto result = run(program("catena") + " info");
    EXPECT_EQ(result.status, 0) << result.output;
    for (const char* row :
         {"catena ", "cpu ", "threads ", "devices ", "cuda ", "compiler ", "memory "})
        EXPECT_THAT(result.output, HasSubstr(row));
    EXPECT_THAT(result.output, HasSubstr(compiler_available() ? "LLVM" : "none"));
}

TEST(Info, threads_of_openmp_sleep_soon_unless_the_environment_says_otherwise) {
    // What OpenMP read when it was loaded, which the library of ours has to come before.
    const std::string info = "OMP_DISPLAY_ENV=verbose " + program("catena") + " info";
    const std::string output = run("env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT " + info).output;
    EXPECT_THAT(output, HasSubstr("looks 2000 times for work"));
    if (output.find("GOMP_SPINCOUNT = ") == std::string::npos) GTEST_SKIP() << "not GNU's OpenMP";
    EXPECT_THAT(output, HasSubstr("GOMP_SPINCOUNT = '2000'"));
    EXPECT_THAT(run("env -u OMP_WAIT_POLICY GOMP_SPINCOUNT=77 " + info).output,
                HasSubstr("GOMP_SPINCOUNT = '77'"));
    EXPECT_THAT(run("env -u GOMP_SPINCOUNT OMP_WAIT_POLICY=passive " + info).output,
                HasSubstr("GOMP_SPINCOUNT = '0'"));
}

TEST(Info, says_where_the_cuda_plug_in_should_be_or_why_it_cannot_work) {
    const auto absent =
        run("LD_LIBRARY_PATH= CATENA_CUDA_DRIVER=/nowhere/libcuda.so CATENA_PLUGIN_PATH=/nowhere " +
            program("catena") + " info");
    EXPECT_THAT(absent.output, ::testing::AnyOf(HasSubstr("no CUDA plug-in found in /nowhere"),
                                                HasSubstr("no driver: /nowhere/libcuda.so")));
}

TEST(Info, without_a_subcommand_there_is_help_and_no_success) {
    const auto result = run(program("catena"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("subcommand"));
}

TEST(Info, lists_the_environment_variables_and_what_is_set) {
    const auto result = run("CATENA_NUM_THREADS=2 " + program("catena") + " info --env");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("CATENA_NUM_THREADS = 2\n"));
    EXPECT_THAT(result.output, HasSubstr("CATENA_PRINT_IR\n"));
}

TEST(Info, says_nothing_of_an_unknown_variable_where_the_log_is_quiet) {
    for (const std::string level : {"quiet", "error"})
        EXPECT_THAT(
            run("CATENA_LOG=" + level + " CATENA_NUM_THREDS=2 " + program("catena") + " info 2>&1")
                .output,
            ::testing::Not(HasSubstr("CATENA_NUM_THREDS")));
    EXPECT_THAT(
        run("CATENA_LOG=warning CATENA_NUM_THREDS=2 " + program("catena") + " info 2>&1").output,
        HasSubstr("CATENA_NUM_THREDS is set in the environment"));
}

TEST(Info, says_which_levels_the_log_has) {
    EXPECT_THAT(run("CATENA_LOG=loud " + program("catena") + " info 2>&1").output,
                HasSubstr("catena: CATENA_LOG is 'loud' in the environment and should be one of "
                          "quiet, error, warning, info\n"));
}

TEST(Info, warns_of_an_unknown_variable_with_the_nearest) {
    const auto result = run("CATENA_NUM_THREDS=2 " + program("catena") + " info 2>&1");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("CATENA_NUM_THREDS is set in the environment"));
    EXPECT_THAT(result.output, HasSubstr("the nearest is CATENA_NUM_THREADS"));
}

TEST(Info, a_value_that_is_not_understood_is_an_error_that_names_the_variable) {
    for (const char* setting :
         {"CATENA_NUM_THREADS=abc", "CATENA_USE_STATIC_GRAPH=maybe", "CATENA_DTYPE=float"}) {
        const auto result = run(setting + std::string(" ") + program("catena") + " info 2>&1");
        EXPECT_NE(result.status, 0) << result.output;
        const std::string text = setting;
        EXPECT_THAT(result.output, HasSubstr(text.substr(0, text.find('=')) + " is '"));
    }
}

TEST(Info, an_unknown_subcommand_is_named_with_the_nearest) {
    const auto result = run(program("catena") + " inof 2>&1");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("there is no subcommand 'inof'; the nearest is info\n"));
    EXPECT_THAT(run(program("catena") + " helpp 2>&1").output, HasSubstr("the nearest is help\n"));
}

TEST(Info, help_is_a_word_as_well_as_an_option) {
    for (const char* words : {"help", "--help"}) {
        const auto result = testing::run(program("catena") + " " + words);
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_THAT(result.output, HasSubstr("compiles a model"));
    }
    const auto of_one = testing::run(program("catena") + " help run");
    EXPECT_EQ(of_one.status, 0) << of_one.output;
    EXPECT_THAT(of_one.output, HasSubstr("--repeat"));
    EXPECT_THAT(testing::run(program("catena") + " help relu").output,
                HasSubstr("there is no subcommand 'relu'"));
}

TEST(Info, the_beginning_of_a_name_is_near_to_it) {
    const auto result = testing::run(program("catena") + " call conv");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("the nearest are convolution_1d"));
}

TEST(Info, a_negative_number_of_threads_is_refused) {
    const auto result = run(program("catena") + " bench --threads -3 2>&1");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("--threads"));
}

}  // namespace
}  // namespace catena::testing
