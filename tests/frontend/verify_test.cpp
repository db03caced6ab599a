// StaticGraphOptions::verify against a compiler that is wrong: an operation whose kernel and formula are not the same.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/compiler.h"
#include "frontend/catena.h"
#include "runtime/ops/define/composite.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/register_map.h"
#include "tests/support/command.h"
#include "tests/support/environment.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

/// Compiled it is x + 2, eagerly x + 3.
const OpDef& define_two_faced() {
    OpDef op;
    op.name = "test_two_faced";
    op.kind = Kind::map;
    op.formula = make_formula<1, 0>([](auto x) { return x + 2; });
    op.kernel = [](const KernelCall& c) {
        const float* x = static_cast<const float*>(c.inputs[0].elements());
        for (int64_t i = 0; i < c.outputs[0].size(); ++i) c.outputs[0].data<float>()[i] = x[i] + 3;
    };
    return register_map(std::move(op));
}
const OpDef& op_two_faced = define_two_faced();

Variable two_faced(const Variable& x) { return call(op_two_faced, std::source_location::current(), {}, {}, x); }

TEST(Verify, names_the_operation_that_a_compiler_gets_wrong_and_leaves_files_that_show_it) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("catena-verify-" + std::to_string(getpid()));
    const test::EnvironmentScope where("CATENA_VERIFY_DIR", folder.string());
    auto f = static_graph([](const Variable& x) { return two_faced(x * 10.0f) + 1.0f; }, {.name = "wrong", .verify = true});
    std::string text;
    try {
        f(Variable(Array::from<float>({1, 2}), false));
        FAIL() << "nothing was found";
    } catch (const CompileError& error) {
        text = error.what();
    }
    EXPECT_THAT(text, HasSubstr("compiled and eager differ at operation 2 of 3, test_two_faced (verify_test.cpp:"));
    EXPECT_THAT(text, HasSubstr("element 0 is 12 compiled and 13 eager"));
    const size_t at = text.find("catena-opt ") + 11;
    const std::string stem = text.substr(at, text.find(".mlir", at) - at);
    EXPECT_EQ(run(program("catena-opt") + " " + stem + ".mlir").status, 0);
    const CommandResult again = run(program("catena") + " run " + stem + ".catena " + stem + ".npz");
    EXPECT_EQ(again.status, 0) << again.output;
    EXPECT_THAT(again.output, HasSubstr("22"));  // Of 2.
    std::filesystem::remove_all(folder);
}

TEST(Verify, says_nothing_of_a_region_that_is_right) {
    auto f = static_graph([](const Variable& x) { return tanh(x * 10.0) + 1.0; }, {.name = "right", .verify = true});
    for (int i = 0; i < 3; ++i) f(Variable(Array::from<double>({1, 2}), false));
}

}  // namespace
}  // namespace catena::testing
