// Programs whose models, optimizers and regions are at file scope: they end well, however they end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

class FileScope : public ::testing::TestWithParam<const char*> {};

TEST_P(FileScope, outlives_what_it_needs) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const CommandResult result = run(program("at_file_scope") + " " + GetParam());
    EXPECT_EQ(result.status, 0) << result.output;
    if (GetParam() == std::string("reading")) {
        EXPECT_THAT(result.output, ::testing::HasSubstr("read at the end: 1"));
    }
}

INSTANTIATE_TEST_SUITE_P(ends, FileScope,
                         ::testing::Values("return", "exit", "exit_of_a_thread",
                                           "steps_of_a_thread", "hooks", "reading"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace catena::testing
