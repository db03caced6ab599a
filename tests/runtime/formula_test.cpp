#include <gtest/gtest.h>

#include "runtime/ops/define/symbolic.h"
#include "runtime/scalar/formula.h"

namespace catena {
namespace {

TEST(Formula, reads_as_it_was_written) {
    const Formula relu = make_formula<1, 0>([](auto x) { return select(x > 0, x, 0); });
    EXPECT_EQ(relu.to_string(), "select(gt(x0, 0), x0, 0)");
    const Formula scaled =
        make_formula<2, 1>([](auto x, auto y, auto s) { return (x - y) * s + 1.5; });
    EXPECT_EQ(scaled.to_string(), "add(mul(sub(x0, x1), s0), 1.5)");
}

TEST(Formula, equal_values_stand_once) {
    const Formula f = make_formula<1, 0>([](auto x) { return exp(x) / (1 + exp(x)); });
    EXPECT_EQ(f.nodes.size(), 5u);  // x0, exp, 1, add, div
}

TEST(Formula, zero_and_minus_zero_are_two_values) {
    const Formula f = make_formula<1, 0>([](auto x) { return (x * 0.0) + (x * -0.0); });
    EXPECT_EQ(f.to_string(), "add(mul(x0, 0), mul(x0, -0))");
}

TEST(Formula, truth_and_number_convert_into_each_other) {
    const Formula number = make_formula<1, 0>([](auto x) { return (x > 0) + x; });
    EXPECT_EQ(number.to_string(), "add(as_number(gt(x0, 0)), x0)");
    const Formula truth = make_formula<2, 0>([](auto x, auto y) { return x && (y < 1); });
    EXPECT_EQ(truth.to_string(), "logical_and(ne(x0, 0), lt(x1, 1))");
    EXPECT_TRUE(truth.nodes[size_t(truth.outputs[0])].is_bool);
    const Formula chosen = make_formula<2, 0>([](auto x, auto y) { return select(x, y, x > y); });
    EXPECT_EQ(chosen.to_string(), "select(ne(x0, 0), x1, as_number(gt(x0, x1)))");
    EXPECT_FALSE(chosen.nodes[size_t(chosen.outputs[0])].is_bool);
    const Formula same = make_formula<1, 0>([](auto x) { return as_number(x); });
    EXPECT_EQ(same.to_string(), "x0");
}

TEST(Formula, knows_which_inputs_it_reads) {
    const Formula f =
        make_formula<3, 0>([](auto x, auto y, auto z) { return x * select(z > 0, 1, 2); });
    EXPECT_TRUE(f.reads_input(0));
    EXPECT_FALSE(f.reads_input(1));
    EXPECT_TRUE(f.reads_input(2));
}

TEST(Formula, may_have_several_outputs) {
    const Formula f = make_formula<2, 0>([](auto x, auto y) { return std::tuple(x + y, x - y); });
    EXPECT_EQ(f.to_string(), "add(x0, x1); sub(x0, x1)");
}

TEST(Intrinsic, every_row_of_the_table_is_known) {
    EXPECT_EQ(info_of(Intrinsic::add).name, "add");
    EXPECT_EQ(info_of(Intrinsic::select).arity, 3);
    EXPECT_TRUE(info_of(Intrinsic::lt).gives_bool);
    EXPECT_FALSE(info_of(Intrinsic::as_number).gives_bool);
    EXPECT_EQ(info_of(Intrinsic(intrinsic_count - 1)).name, "as_number");
}

}  // namespace
}  // namespace catena
