// No operation asks for the line of another language's program: to ask takes longer than most
// operations.
#include <gtest/gtest.h>

#include "runtime/graph/walk/backward.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {
namespace {

int questions = 0;

SourceLoc count_question() noexcept {
    ++questions;
    return {};
}

void go_back(const Variables& outputs) {
    for (const Variable& y : outputs) {
        if (!y.defined() || !y.requires_grad()) continue;
        y.set_grad(Array::full(y.type(), 1));
        y.backward();
    }
}

TEST(AskedLocations, no_operation_and_no_gradient_asks) {
    for (const Row& row : all_rows()) {
        const Dtype dtype = runs_in(row, Dtype::float32) ? Dtype::float32
                            : row.dtypes.empty()         ? Dtype::float32
                                                         : row.dtypes[0];
        Generator generator = generator_for(row);
        const std::vector<Variable> inputs =
            as_variables(draw(row.inputs, dtype, generator), row.gradient);
        questions = 0;
        {
            const LocationScope scope(count_question);
            go_back(call_row(row, inputs));
        }
        EXPECT_EQ(questions, 0) << row.op << " " << row.function << " " << row.note;
    }
}

}  // namespace
}  // namespace catena::testing
