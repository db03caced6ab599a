// Regions whose calls never repeat run as eager code, and are compiled when they do repeat.
#include <vector>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Two free lengths: a loop of `turns` over an array of `size` numbers.
Variable loop(const Variable& x, int turns) {
    Variable y = x;
    for (int k = 0; k < turns; ++k) y = k % 3 == 0 ? tanh(y * 1.5) : k % 3 == 1 ? y + x : sin(y);
    return sum(square(y));
}

TEST(Repetition, calls_that_are_all_new_run_as_eager_code_after_a_while) {
    auto region =
        static_graph(loop, {.name = "never_the_same", .compile_mode = CompileMode::later});
    int number = 0;
    for (int turns = 1; turns <= 24; ++turns) {
        for (const int64_t size : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233}) {
            const Variable x(Array::full({Dtype::float32, {size}}, 0.1 * turns)),
                expected_x(x.array());
            const Variable y = region(x, turns), expected = loop(expected_x, turns);
            y.backward();
            expected.backward();
            EXPECT_NEAR(y.item<float>(), expected.item<float>(), 1e-5 * double(size)) << ++number;
            EXPECT_NEAR(x.grad().to_vector<float>()[0], expected_x.grad().to_vector<float>()[0],
                        1e-4);
        }
    }
    EXPECT_GT(region.statistics().eager_calls, 100);
    EXPECT_NE(region.explain().find("it runs as eager code for the next 64 calls"),
              std::string::npos)
        << region.explain();
}

TEST(Repetition, calls_that_repeat_after_many_new_ones_are_compiled) {
    auto region =
        static_graph(loop, {.name = "new_and_then_the_same", .compile_mode = CompileMode::later});
    const auto call = [&](int64_t size, int turns) {
        region(Variable(Array::full({Dtype::float32, {size}}, 0.5)), turns);
    };
    for (int64_t size = 1; size <= 120; ++size) call(size, int(size) % 7 + 1);
    ASSERT_GT(region.statistics().eager_calls, 0);
    for (int i = 0; i < 200; ++i) call(500, 3);
    const int64_t before = region.statistics().compiled_calls;
    for (int i = 0; i < 20; ++i) call(500, 3);
    EXPECT_EQ(region.statistics().compiled_calls - before, compiler_installed() ? 20 : 0);
}

TEST(Repetition, many_sizes_that_come_again_do_not_rest) {
    auto region = static_graph(loop, {.name = "in_turn", .compile_mode = CompileMode::later});
    for (int epoch = 0; epoch < 6; ++epoch)
        for (int64_t size = 1; size <= 40; ++size)
            region(Variable(Array::full({Dtype::float32, {size}}, 0.5)), 2);
    EXPECT_EQ(region.statistics().eager_calls, 0);
}

}  // namespace
}  // namespace catena::testing
