// explain(): numbers with their words, and each reason once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/capture/report/costs.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int times_in(const std::string& text, const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

TEST(Explain, says_one_call_and_not_one_calls) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    auto f = static_graph([](const Variable& x) { return tanh(x) * 2.0; }, "once");
    f(ones({4}));
    const std::string text = f.explain();
    EXPECT_THAT(text, HasSubstr("\n  1 call: 1 compiled"));
    EXPECT_THAT(text, HasSubstr("; 1 program\n"));
    EXPECT_THAT(text,
                HasSubstr("2 recorded ops -> 1 launch (1 kernel, 0 library calls), 2 ops fused"));
    EXPECT_THAT(text, Not(::testing::ContainsRegex(
                          "[^0-9]1 [a-z ]*(calls|launches|kernels|programs|ops)[,:;)\n]")));
    f(ones({4}));
    EXPECT_THAT(f.explain(), HasSubstr("\n  2 calls: 2 compiled"));
}

TEST(Explain, reasons_that_differ_in_shapes_alone_are_one_line_with_their_number) {
    const std::string text = capture::folded(
        {"exp (a.cpp:1) is not fused with sum (a.cpp:2): their shapes differ: a scalar and [4,8]",
         "exp (a.cpp:1) is not fused with sum (a.cpp:2): their shapes differ: [3] and [16]",
         "exp (a.cpp:1) is not fused with sum (a.cpp:3): their shapes differ: [3] and [16]",
         "it is computed later", "it is computed later"},
        "  ");
    EXPECT_EQ(text,
              "  exp (a.cpp:1) is not fused with sum (a.cpp:2): their shapes differ: a scalar and "
              "[4,8] (2 times, with this and other shapes)\n"
              "  exp (a.cpp:1) is not fused with sum (a.cpp:3): their shapes differ: [3] and [16]\n"
              "  it is computed later (2 times)\n");
}

TEST(Explain, a_reason_told_of_one_launch_is_not_told_again_of_the_next) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    // One line, so one name, for operations of several launches and shapes.
    const auto layer = [](const Variable& x, const Variable& W) {
        return exp(matmul(exp(x), W)) + sum(x);
    };
    auto f = static_graph([&](const Variable& x, const Variable& V,
                              const Variable& W) { return layer(layer(x, V), W); },
                          "twice");
    f(zeros({8, 16}), zeros({16, 24}), zeros({24, 32}));
    const std::string text = f.explain(), costs = text.substr(0, text.find("  1 call: "));
    EXPECT_THAT(costs, HasSubstr(" given above\n"));
    EXPECT_EQ(times_in(costs, "they reduce different dimensions") +
                  times_in(costs, "their shapes differ"),
              1)
        << costs;
}

}  // namespace
}  // namespace catena
