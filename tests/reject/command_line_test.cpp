// What `catena call` and its siblings answer to wrong names and values: the reason on one line,
// exit status 1.
#include <gmock/gmock.h>

#include <filesystem>

#include "runtime/file/npy.h"
#include "tests/reject/rejection.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RejectedCommand : public ::testing::Test {
protected:
    RejectedCommand() { save_npy(x_, Array::zeros({Dtype::float32, {2, 3}})); }
    ~RejectedCommand() override { std::filesystem::remove(x_); }

    /// The one line that the command fails with.
    static std::string refused(const std::string& arguments) {
        const CommandResult result = run(program("catena") + " " + arguments);
        EXPECT_TRUE(WIFEXITED(result.status)) << "it crashed:\n" << result.output;
        EXPECT_EQ(WEXITSTATUS(result.status), 1) << result.output;
        EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
        return result.output;
    }
    std::string call(const std::string& function, const std::string& rest = "") const {
        return refused("call " + function + " " + x_ + " " + rest);
    }
    const std::string x_ = ::testing::TempDir() + "catena_reject_" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".npy";
};

TEST_F(RejectedCommand, a_function_that_does_not_exist) {
    EXPECT_EQ(call("sofmax"),
              "catena: there is no function \"sofmax\"; the nearest are softmax, argmax, max\n");
}

TEST_F(RejectedCommand, an_argument_that_does_not_exist) {
    EXPECT_EQ(call("softmax", "--set axes=1"),
              "catena: softmax: there is no argument axes; it is called as softmax(x, axis=1)\n");
}

TEST_F(RejectedCommand, values_of_the_wrong_kind) {
    EXPECT_EQ(call("softmax", "--set axis=true"),
              "catena: softmax: axis takes an integer, not True\n");
    EXPECT_EQ(call("leaky_relu", "--set 'slope=\"steep\"'"),
              "catena: leaky_relu: slope takes a number, not 'steep'\n");
    EXPECT_THAT(call("softmax", "--set axis=one"), HasSubstr("a text wants its quotes"));
    EXPECT_THAT(call("softmax", "--set axis"),
                HasSubstr("--set axis: write NAME=JSON, as in --set axis=1"));
    EXPECT_THAT(call("softmax", "--set '=1'"), HasSubstr("write NAME=JSON"));
}

TEST_F(RejectedCommand, too_many_or_too_few_arrays) {
    EXPECT_THAT(call("relu", x_),
                StartsWith("catena: relu: 2 arrays given, relu(x) takes at most 1"));
    EXPECT_THAT(call("select_item"), StartsWith("catena: select_item: array t is missing"));
}

TEST_F(RejectedCommand, files_that_are_no_arrays) {
    EXPECT_THAT(refused("call relu x.txt"),
                HasSubstr("x.txt is no input: give .npy files, or one .npz file"));
    EXPECT_THAT(refused("call relu /no/such.npy"), HasSubstr("/no/such.npy: cannot be opened"));
}

TEST_F(RejectedCommand, an_error_of_the_operation_itself) {
    EXPECT_THAT(call("matmul", x_),
                StartsWith("catena: matmul: a has 3 columns, b has 2 rows (a [2,3], b [2,3])"));
}

TEST_F(RejectedCommand, an_output_that_cannot_be_written) {
    const CommandResult result =
        run(program("catena") + " call relu " + x_ + " -o /no/such/folder/y.npz");
    EXPECT_TRUE(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 1) << result.output;
    EXPECT_THAT(
        result.output,
        HasSubstr("catena: /no/such/folder/y.npz: cannot be written: No such file or directory\n"));
}

TEST_F(RejectedCommand, a_wrong_subcommand_or_flag_gets_the_usage) {
    for (const char* arguments : {"cal relu", "call relu --sett a=1", "bench --seconds many", ""}) {
        const CommandResult result = run(program("catena") + " " + arguments);
        EXPECT_TRUE(WIFEXITED(result.status) && WEXITSTATUS(result.status) > 1) << arguments << "\n"
                                                                                << result.output;
        EXPECT_THAT(result.output, HasSubstr("Run with --help")) << arguments;
    }
}

TEST_F(RejectedCommand, what_there_is_no_memory_for) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the address sanitizer's shadow does not fit into so little memory";
#endif
    const std::string column = x_ + ".column.npy", row = x_ + ".row.npy";
    save_npy(column, Array::zeros({Dtype::float32, {300'000, 1}}));
    save_npy(row, Array::zeros({Dtype::float32, {1, 300'000}}));
    // With little, in kilobytes.
    const CommandResult result =
        run("ulimit -v 1000000 && " + program("catena") + " call matmul " + column + " " + row);
    EXPECT_TRUE(WIFEXITED(result.status)) << "it crashed:\n" << result.output;
    EXPECT_EQ(WEXITSTATUS(result.status), 1);
    EXPECT_THAT(result.output,
                StartsWith("catena: matmul: its result float32[300000,300000] on cpu: out of "
                           "memory: the system refused 360000000000 bytes"));
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
    for (const std::string& file : {column, row}) std::filesystem::remove(file);
}

}  // namespace
}  // namespace catena::testing
