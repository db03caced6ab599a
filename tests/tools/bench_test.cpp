// `catena bench`: its lines are read by scripts that know the keys of other frameworks' lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(Bench, json_lines_have_the_keys_of_the_other_frameworks) {
    const auto result = run(program("catena") + " bench --json --seconds 0.01 --variant eager one_op mushroom");
    EXPECT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_THAT(line, ::testing::MatchesRegex(
                              "\\{\"peer\":\"catena-eager\",\"workload\":\"[a-z_]+\",\"ms\":[-0-9.e]+,\"min_ms\":"
                              "[-0-9.e]+,\"first_s\":[-0-9.e]+,\"n\":[0-9]+,\"rss_mb\":[0-9]+\\}"));
    EXPECT_EQ(count, 2);
}

TEST(Bench, has_every_row) {
    const auto result = run(program("catena") + " bench --help");
    for (const std::string name :
         {"mushroom", "mlp", "lenet", "resnet20", "resnet50", "resnet50_infer", "ptb_lstm_unrolled", "transformer",
          "dcgan", "vgg16_cifar", "unet", "gpt2_small", "gpt_decode", "char_rnn", "gelu_chain", "layer_norm",
          "softmax_xent", "small_ops", "one_op"})
        EXPECT_THAT(result.output, ::testing::ContainsRegex("\n *" + name + " "));
}

TEST(Bench, a_row_of_two_names_has_two_lines) {
    const auto result = run(program("catena") + " bench --json --seconds 0 --variant eager ptb_lstm_unrolled");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("\"workload\":\"ptb_lstm_unrolled\""));
    EXPECT_THAT(result.output, HasSubstr("\"workload\":\"ptb_lstm\""));
}

TEST(Bench, compiled_variants_run_small_ops) {
    if (!CATENA_HAS_COMPILER) GTEST_SKIP() << "built without the compiler";
    const auto result = run(program("catena") + " bench --json --seconds 0.01 --variant compiled,step,trusted small_ops");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("\"peer\":\"catena-compiled\""));
    EXPECT_THAT(result.output, HasSubstr("\"peer\":\"catena-step\""));
    EXPECT_THAT(result.output, HasSubstr("\"peer\":\"catena-trusted\""));
}

TEST(Bench, saved_workloads_run_as_programs) {
    if (!CATENA_HAS_COMPILER) GTEST_SKIP() << "built without the compiler";
    const std::string folder = ::testing::TempDir() + "catena_bench_programs";
    const auto saved = run(program("catena") + " bench --save " + folder + " --cuda text mushroom small_ops");
    ASSERT_EQ(saved.status, 0) << saved.output;
    for (const std::string name : {"mushroom", "small_ops"}) {
        const std::string file = folder + "/" + name + ".catena";
        EXPECT_THAT(saved.output, HasSubstr("catena run " + file + " " + folder + "/" + name + ".npz"));
        EXPECT_THAT(run(program("catena") + " show " + file).output, HasSubstr("code     text\n"));
        const auto result = run(program("catena") + " run " + file + " " + folder + "/" + name + ".npz --repeat 3");
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_THAT(result.output, HasSubstr("the other 2 take"));
    }
}

TEST(Bench, wrong_names_are_told_what_there_is) {
    const auto workload = run(program("catena") + " bench mplp");
    EXPECT_NE(workload.status, 0);
    EXPECT_THAT(workload.output, HasSubstr("mlp"));
    const auto variant = run(program("catena") + " bench --variant fast mlp");
    EXPECT_NE(variant.status, 0);
    EXPECT_THAT(variant.output, HasSubstr("compiled"));
}

}  // namespace
}  // namespace catena::testing
