// StaticGraphOptions::verify against a compiler that is wrong: an operation whose kernel and
// formula are not the same.
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
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
        visit_dtype(c.inputs[0].dtype(), [&](auto zero) {
            using T = decltype(zero);
            const Array x = c.inputs[0].as_contiguous();
            for (int64_t i = 0; i < x.size(); ++i)
                c.outputs[0].data<T>()[i] = T(x.elements<T>()[i] + T(3));
        });
    };
    return register_map(std::move(op));
}
const OpDef& op_two_faced = define_two_faced();

Variable two_faced(const Variable& x) {
    return call(op_two_faced, std::source_location::current(), {}, {}, x);
}

/// Right itself, with a gradient that is not.
const OpDef& define_wrong_gradient() {
    OpDef op;
    op.name = "test_wrong_gradient";
    op.kind = Kind::map;
    op.formula = make_formula<1, 0>([](auto x) { return x * 2; });
    op.differentiable = true;
    op.gradient = [](const GradientCall& c) { return Variables{two_faced(c.gy(0))}; };
    return register_map(std::move(op));
}
const OpDef& op_wrong_gradient = define_wrong_gradient();

/// What verifying says of a backward outside of the region.
std::string said_of_backward(std::string* explained = nullptr) {
    auto f = static_graph(
        [](const Variable& x) {
            return sum(call(op_wrong_gradient, std::source_location::current(), {}, {}, x * 3.0f));
        },
        {.name = "outside", .verify = true});
    const Variable x(Array::from<float>({1, 2}), true);
    const Variable y = f(x);
    if (explained) *explained = f.explain();
    try {
        y.backward();
    } catch (const CompileError& error) {
        return error.what();
    }
    return "nothing";
}

TEST(Verify, compares_a_backward_outside_of_the_region) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("catena-verify-" + std::to_string(getpid()));
    const test::EnvironmentScope where("CATENA_VERIFY_DIR", folder.string());
    const std::string text = said_of_backward();
    EXPECT_THAT(text, HasSubstr("static_graph outside: compiled and eager differ at operation "));
    EXPECT_THAT(text, HasSubstr(", test_two_faced (verify_test.cpp:"));
    EXPECT_THAT(text, HasSubstr("element 0 is 3 compiled and 4 eager, 4 in float64"));
    EXPECT_THAT(text, HasSubstr("catena-opt "));
    std::filesystem::remove_all(folder);
}

TEST(Verify, compares_a_backward_that_is_compiled_apart) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("catena-verify-" + std::to_string(getpid()));
    const test::EnvironmentScope where("CATENA_VERIFY_DIR", folder.string()),
        apart("CATENA_JOINT_PROGRAMS", "0");
    std::string explained;
    const std::string text = said_of_backward(&explained);
    if (explained.find("compiled apart") == std::string::npos)
        GTEST_SKIP() << "the process has asked for CATENA_JOINT_PROGRAMS before";
    EXPECT_THAT(text, HasSubstr(", test_two_faced (verify_test.cpp:"));
    std::filesystem::remove_all(folder);
}

TEST(Verify, says_nothing_of_a_backward_that_is_right) {
    Linear layer(3, 4);
    auto f = static_graph([&](const Variable& x) { return sum(tanh(layer(x)) * 2.0); },
                          {.name = "right", .verify = true});
    for (int i = 0; i < 3; ++i) {
        layer.cleargrads();
        f(Variable(Array::full({Dtype::float32, {2, 3}}, 0.1 * i), false)).backward();
    }
}

/// The bias in front of a normalization has no gradient but rounding, which Adam makes as large as
/// any.
struct Rounded : Chain {
    Linear l1{20, 30}, l2{30, 5};
    BatchNormalization norm{30};
    bool is_wrong = false;  ///< A hundredth too much, compiled.
    Rounded() { add_children({{"l1", l1}, {"norm", norm}, {"l2", l2}}); }
    Variable operator()(const Variable& x) {
        Variable h = relu(norm(l1(x)));
        if (is_wrong) h = h - (two_faced(h * 0.0f) - 3.0f) * 0.01f;
        return sum(tanh(l2(h)));
    }
};

/// Three steps of training, all of it in a region that verifies.
void train(Rounded& model) {
    Adam adam;
    adam.setup(model);
    auto step = static_graph(
        [&](const Variable& x) {
            model.cleargrads();
            const Variable loss = model(x);
            loss.backward();
            adam.update();
            return loss;
        },
        {.name = "rounded", .verify = true});
    std::vector<float> values(64 * 20);
    for (size_t i = 0; i < values.size(); ++i) values[i] = 3 + std::sin(float(7 * i));
    for (int i = 0; i < 3; ++i) step(Variable(Array::from(values, {64, 20}), false));
}

TEST(Verify, takes_for_an_error_no_rounding_that_grows) {
    Rounded model;
    EXPECT_NO_THROW(train(model));
}

TEST(Verify, finds_an_error_where_rounding_grows) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("catena-verify-" + std::to_string(getpid()));
    const test::EnvironmentScope where("CATENA_VERIFY_DIR", folder.string());
    Rounded model;
    model.is_wrong = true;
    EXPECT_THROW(train(model), CompileError);
    std::filesystem::remove_all(folder);
}

TEST(Verify, sees_calls_that_would_skip_the_code) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    for (const bool verify : {false, true}) {
        auto f = static_graph([](const Variable& x) { return x * 2.0; },
                              {.audit = Audit::never, .verify = verify});
        for (int i = 0; i < 5; ++i) f(Variable(Array::from<float>({1, 2}), false));
        if (verify)
            EXPECT_EQ(f.statistics().followed_calls, 5);
        else
            EXPECT_LT(f.statistics().followed_calls, 5);
    }
}

TEST(Verify, names_the_operation_that_a_compiler_gets_wrong_and_leaves_files_that_show_it) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("catena-verify-" + std::to_string(getpid()));
    const test::EnvironmentScope where("CATENA_VERIFY_DIR", folder.string());
    auto f = static_graph([](const Variable& x) { return two_faced(x * 10.0f) + 1.0f; },
                          {.name = "wrong", .verify = true});
    std::string text;
    try {
        f(Variable(Array::from<float>({1, 2}), false));
        FAIL() << "nothing was found";
    } catch (const CompileError& error) {
        text = error.what();
    }
    EXPECT_THAT(
        text,
        HasSubstr(
            "compiled and eager differ at operation 2 of 3, test_two_faced (verify_test.cpp:"));
    EXPECT_THAT(text, HasSubstr("element 0 is 12 compiled and 13 eager"));
    const size_t at = text.find("catena-opt ") + 11;
    const std::string stem = text.substr(at, text.find(".mlir", at) - at);
    EXPECT_EQ(run(program("catena-opt") + " " + stem + ".mlir").status, 0);
    const CommandResult again =
        run(program("catena") + " run " + stem + ".catena " + stem + ".npz");
    EXPECT_EQ(again.status, 0) << again.output;
    EXPECT_THAT(again.output, HasSubstr("22"));  // Of 2.
    std::filesystem::remove_all(folder);
}

TEST(Verify, says_nothing_of_a_region_that_is_right) {
    auto f = static_graph([](const Variable& x) { return tanh(x * 10.0) + 1.0; },
                          {.name = "right", .verify = true});
    for (int i = 0; i < 3; ++i) f(Variable(Array::from<double>({1, 2}), false));
}

}  // namespace
}  // namespace catena::testing
