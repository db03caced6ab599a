#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(Info, tells_what_is_there) {
    const auto result = run(program("catena") + " info");
    EXPECT_EQ(result.status, 0) << result.output;
    for (const char* row : {"catena ", "cpu ", "threads ", "devices ", "cuda ", "compiler ", "memory "})
        EXPECT_THAT(result.output, HasSubstr(row));
    EXPECT_THAT(result.output, HasSubstr(CATENA_HAS_COMPILER ? "LLVM" : "none"));
}

TEST(Info, says_where_the_cuda_plug_in_should_be_or_why_it_cannot_work) {
    const auto absent = run("LD_LIBRARY_PATH= CATENA_CUDA_DRIVER=/nowhere/libcuda.so CATENA_PLUGIN_PATH=/nowhere " +
                            program("catena") + " info");
    EXPECT_THAT(absent.output, ::testing::AnyOf(HasSubstr("no CUDA plug-in found in /nowhere"),
                                                HasSubstr("no driver: /nowhere/libcuda.so")));
}

TEST(Info, without_a_subcommand_there_is_help_and_no_success) {
    const auto result = run(program("catena"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("subcommand"));
}

}  // namespace
}  // namespace catena::testing
