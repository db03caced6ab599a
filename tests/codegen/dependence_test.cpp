// What values of a kernel depend on, on kernels made by hand.
#include "codegen/kernel/dependence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catena::codegen {
namespace {

using Kind = KernelValue::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// exp(x) divided by its sum over each row: x and y are [4, 8], rows are reduced.
struct Softmax {
    Kernel kernel;
    int x, e, sum, y;

    Softmax() {
        kernel.domain = {4, 8};
        kernel.reduced = 2;
        kernel.inputs = {{Dtype::float32, {8, 1}}};
        x = kernel.load(0, Register::f32);
        e = kernel.add({.kind = Kind::instruction, .args = {x}, .instruction = Instruction::exp});
        sum = kernel.add({.kind = Kind::reduction, .args = {e}});
        y = kernel.add(
            {.kind = Kind::instruction, .args = {e, sum}, .instruction = Instruction::divf});
        kernel.add_output(y, {Dtype::float32, {8, 1}});
    }
};

TEST(dependence, a_stage_counts_the_reductions_before) {
    const Softmax s;
    const Dependence dependence(s.kernel);
    EXPECT_EQ(dependence.stage(s.e), 0);
    EXPECT_EQ(dependence.stage(s.sum), 1);
    EXPECT_EQ(dependence.stage(s.y), 1);
    EXPECT_EQ(dependence.last_stage(), 1);
    EXPECT_THAT(dependence.reductions_of(0), ElementsAre(s.sum));
    EXPECT_THAT(dependence.reductions_of(1), IsEmpty());
    EXPECT_THAT(dependence.full_outputs_of(0), IsEmpty());
    EXPECT_THAT(dependence.full_outputs_of(1), ElementsAre(0));
}

TEST(dependence, a_reduction_varies_along_the_kept_dimensions) {
    const Softmax s;
    const Dependence dependence(s.kernel);
    EXPECT_EQ(dependence.dims(s.e), 3u);
    EXPECT_EQ(dependence.dims(s.sum), 1u);
    EXPECT_TRUE(dependence.varying(s.y));
    EXPECT_FALSE(dependence.varying(s.sum));
}

TEST(dependence, a_stage_needs_what_is_not_known) {
    const Softmax s;
    const Dependence dependence(s.kernel);
    std::vector<bool> known(s.kernel.values.size(), false);
    EXPECT_THAT(dependence.needed_by(0, known), ElementsAre(true, true, false, false));
    EXPECT_THAT(dependence.needed_by(1, known), ElementsAre(true, true, true, true));
    known[size_t(s.e)] = true;
    EXPECT_THAT(dependence.needed_by(1, known), ElementsAre(false, true, true, true));
}

TEST(dependence, one_sweep_computes_no_full_output_after_a_reduction) {
    Softmax s;
    EXPECT_FALSE(sweeps_once(s.kernel));
    s.kernel.stores[0].value = s.e;
    EXPECT_TRUE(sweeps_once(s.kernel));
    const int twice = s.kernel.add({.kind = Kind::reduction, .args = {s.y}});
    s.kernel.add_output(twice, {Dtype::float32, {1, 0}});
    EXPECT_FALSE(sweeps_once(s.kernel)) << "a reduction of what follows from one";
}

TEST(dependence, what_follows_from_a_column_reduction_is_after_columns) {
    Softmax s;
    s.kernel.values[size_t(s.sum)].columns = true;
    const Dependence dependence(s.kernel);
    EXPECT_FALSE(dependence.after_columns(s.e));
    EXPECT_TRUE(dependence.after_columns(s.sum));
    EXPECT_TRUE(dependence.after_columns(s.y));
}

}  // namespace
}  // namespace catena::codegen
