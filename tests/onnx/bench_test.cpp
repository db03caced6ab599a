// `catena bench MODEL.onnx`: rows of models from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/onnx/export.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

/// A model that takes words [batch, 3], batch open, and numbers [2, 4].
std::string write_model() {
    const std::string path = ::testing::TempDir() + "two_inputs.onnx";
    EmbedID embed(5, 4);
    Linear linear(4, 6);
    const auto model = [&](const Variable& words, const Variable& x) {
        return std::vector<Variable>{sum(embed(words), {1}), relu(linear(x))};
    };
    const std::vector<Variable> inputs = {Variable(Array::zeros({Dtype::int64, {2, 3}}), false),
                                          Variable(Array::zeros({Dtype::float32, {2, 4}}), false)};
    onnx::export_model(model, inputs, path, {.open_sizes = {{0, 0, "batch"}}});
    return path;
}

TEST(OnnxBench, times_a_model_under_the_name_of_its_file) {
    const auto result = run(program("catena") + " bench --json --seconds 0.01 " + write_model());
    EXPECT_EQ(result.status, 0) << result.output;
    for (const char* variant : {"eager", "compiled", "step", "trusted"}) {
        if (!compiler_available() && std::string(variant) != "eager") continue;
        EXPECT_THAT(result.output, HasSubstr(std::string("{\"peer\":\"catena-") + variant +
                                             "\",\"workload\":\"two_inputs_onnx\",\"ms\":"));
    }
}

TEST(OnnxBench, saves_a_model_as_a_program) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::string folder = ::testing::TempDir() + "catena_bench_onnx",
                      stem = folder + "/two_inputs_onnx";
    const auto saved = run(program("catena") + " bench --save " + folder + " " + write_model());
    ASSERT_EQ(saved.status, 0) << saved.output;
    EXPECT_THAT(saved.output, HasSubstr("catena run " + stem + ".catena " + stem + ".npz"));
    const auto result =
        run(program("catena") + " run " + stem + ".catena " + stem + ".npz --repeat 2");
    EXPECT_EQ(result.status, 0) << result.output;
}

TEST(OnnxBench, a_file_that_is_no_model_is_refused) {
    const auto result = run(program("catena") + " bench /nowhere/model.onnx");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("/nowhere/model.onnx"));
}

}  // namespace
}  // namespace catena::testing
