// What a kernel reads is seen to be read while it takes long: another thread may then give the
// variable another array, or update it in place.
#include <gtest/gtest.h>

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/define.h"

namespace catena {
namespace {

/// How many references to its input a kernel has found.
uint32_t references_seen = 0;

const OpDef& counting() {
    static const OpDef& op = register_op(
        {.name = "counts_references_of_its_input",
         .type = [](const TypeCall& c) -> Types { return {c.inputs[0]}; },
         .kernel = [](const KernelCall& c) { references_seen = c.inputs[0].body()->use_count(); }});
    return op;
}

uint32_t references_while_run(int64_t size) {
    const Variable x(Array::zeros({Dtype::float32, {size}}), false);
    const uint32_t before = x.array().body()->use_count();
    call(counting(), SourceLoc(), {}, {}, x);
    return references_seen - before;
}

TEST(InputsWhileRun, of_a_long_kernel_count_as_read) {
    EXPECT_EQ(references_while_run(1 << 14), 1u);
    EXPECT_EQ(references_while_run(1 << 20), 1u);
}

TEST(InputsWhileRun, of_a_short_kernel_are_kept_by_the_variable) {
    EXPECT_EQ(references_while_run(8), 0u);
}

}  // namespace
}  // namespace catena
