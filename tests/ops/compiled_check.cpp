#include "tests/ops/compiled_check.h"

#include <gtest/gtest.h>

#include "tests/ops/row_runner.h"

namespace catena::testing {

void check_compiled(const Row& row) {
    if (!compiled()) return;
    SCOPED_TRACE("compiled");
    // One dtype of each width class: every other one takes the same way through the compiler.
    for (Dtype dtype :
         {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::int32, Dtype::bool_}) {
        if (has_run_dtype(row) ? !runs_in(row, dtype) : dtype != Dtype::float32) continue;
        SCOPED_TRACE("dtype " + std::string(name_of(dtype)));
        Generator generator = generator_for(row);
        const Arrays inputs = draw(row.inputs, dtype, generator);
        const auto run = [&](const std::vector<Variable>& arrays) { return call_row(row, arrays); };
        expect_truth(row, inputs, compiled()(run, as_variables(inputs)), dtype);
        if (dtype != Dtype::float32 || !compiled_with_a_break()) continue;
        SCOPED_TRACE("with a host read in the region");
        expect_truth(row, inputs, compiled_with_a_break()(run, as_variables(inputs)), dtype);
    }
}

}  // namespace catena::testing
