#pragma once

#include <random>
#include <vector>

#include "tests/ops/op_table.h"

namespace catena::testing {

using Arrays = std::vector<Array>;
using Generator = std::mt19937;

bool runs_in(const Row& row, Dtype dtype);
/// Whether some input is of the run's dtype.
bool has_run_dtype(const Row& row);

/// Fixed numbers for a row, whatever the order of tests.
Generator generator_for(const Row& row);

/// Arrays for the inputs; absent ones are undefined. `run` is the dtype of all that have none of
/// their own.
Arrays draw(const std::vector<Input>& inputs, Dtype run, Generator& generator);
/// Values of N(0, 1).
Array draw_like(const Type& type, Generator& generator);

Array to_array(const Reference& reference, Dtype dtype);
Reference to_reference(const Array& array);
References to_references(const Arrays& arrays);  ///< Without undefined ones.
/// Equal elements in a strided view: transposed, every other element, the first axis backwards.
Array strided_copy(const Array& array);

/// Calls the row's function; float arrays that are `differentiable` require gradients.
Variables call_row(const Row& row, const std::vector<Variable>& inputs, const Settings& more = {});
std::vector<Variable> as_variables(const Arrays& arrays, bool requires_grad = false);
/// Inputs of the row that gradients are checked towards.
std::vector<size_t> differentiable_inputs(const Row& row);

double tolerance_of(Dtype dtype);
/// The truth is computed of the values that the arrays hold, after rounding to the dtype of the
/// run.
void expect_truth(const Row& row, const Arrays& inputs, const Variables& outputs, Dtype run);
/// Fails unless y has the truth's shape and its values as y's dtype can hold them. The tolerance is
/// relative to 1 + |truth|, or to |truth| alone.
void expect_near(const Array& y, const Reference& truth, double tolerance,
                 bool every_digit = false);

}  // namespace catena::testing
