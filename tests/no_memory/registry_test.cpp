// Operations that were made while memory ended are there, or can be made again.
#include <string>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/optimizer/sweep.h"
#include "runtime/graph/op/op.h"
#include "runtime/ops/define/define.h"
#include "tests/no_memory/failing_allocations.h"
#include "tests/no_memory/failures_before.h"

namespace catena::testing {
namespace {

/// How many operations have a name that begins so; each is found by its name.
int count_of_ops(const std::string& beginning) {
    int count = 0;
    for (const OpDef* op : all_ops())
        if (op->name.starts_with(beginning)) {
            ++count;
            EXPECT_EQ(find_op(op->name), op) << op->name;
        }
    return count;
}

class RegistryWithoutMemory : public ::testing::Test {
protected:
    void SetUp() override {
        if (!allocations_can_fail()) GTEST_SKIP() << "a sanitizer has malloc";
    }
};

TEST_F(RegistryWithoutMemory, an_operation_is_registered_or_not) {
    EXPECT_GT(failures_before([] { register_op({.name = "an_operation_with_a_long_name"}); }), 1);
    EXPECT_EQ(count_of_ops("an_operation_with_a_long_name"), 1);
}

TEST_F(RegistryWithoutMemory, what_an_optimizer_runs_can_be_made_again) {
    const auto make = [] {
        const Sweep sweep(
            "sweep_without_memory",
            {.values = 2,
             .targets = {0},
             .scalars = {"lr"},
             .formula = make_formula<2, 1>([](auto p, auto g, auto lr) { return p - lr * g; })});
    };
    EXPECT_GT(failures_before(make), 5);
    EXPECT_EQ(count_of_ops("sweep_without_memory"), 2);  // And "_all".
}

TEST_F(RegistryWithoutMemory, a_new_elementwise_operation_can_be_made_again) {
    const auto make = [] {
        elementwise<2>("product_without_memory")
            .forward([](auto x, auto y) { return x * y; })
            .gradient([](auto, auto y, auto, auto gy) { return gy * y; })
            .gradient<1>([](auto x, auto, auto, auto gy) { return gy * x; })
            .define();
    };
    EXPECT_GT(failures_before(make), 5);
    EXPECT_EQ(count_of_ops("product_without_memory"), 3);  // With ".gx0" and ".gx1".
}

}  // namespace
}  // namespace catena::testing
