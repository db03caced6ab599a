#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/testing/gradient_check.h"

namespace catena::checks {

// Parts of check_function and check_link: the forms in which inputs are given, and comparisons of
// results.

/// Copies of the arrays, in which floats are converted to `dtype`.
std::vector<Array> in_dtype(std::span<const Array> xs, Dtype dtype);
std::vector<Array> copies_of(const std::vector<Array>& xs);
/// Arrays with the same elements that lie in every second element of a larger array.
std::vector<Array> with_gaps(const std::vector<Array>& xs);
/// The tolerance for results of a dtype: how near they are to the truth.
double resolution(Dtype dtype);

/// Checks that the arrays have the same elements, bit for bit except for NaN; otherwise a
/// CheckError that begins with `what`.
void same_elements(const std::string& what, const std::vector<Array>& xs,
                   const std::vector<Array>& ys);
void near(const std::string& what, const std::vector<Array>& xs, const std::vector<Array>& ys,
          double atol, double rtol);
/// Adds " (context)" to a CheckError of check().
void in_context(const std::string& context, const std::function<void()>& check);

/// Calls the function eagerly and twice as a static region, and checks that results and, with
/// `backward`, gradients of the float inputs and of `params` are close.
void check_compiled(const std::string& name, const TestedFunction& function,
                    const std::vector<Array>& xs, const std::vector<Variable>& params,
                    bool backward);

}  // namespace catena::checks
