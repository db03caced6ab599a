// Calls and their gradients in 16 bits: eager and compiled code may round at other places, but
// neither may lose more than the other by much. The truth is float64's for the same rounded
// arguments.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "tests/fuzz/function_program_run.h"
#include "tests/ops/row_runner.h"

namespace catena::fuzz {
namespace {

FunctionProgram program_of(const testing::Row& row, Dtype dtype) {
    FunctionProgram::Call call{
        .row = &row, .set = row.set, .run = dtype, .arguments = {}, .seed = 3};
    for (const testing::Input& input : row.inputs) call.arguments.push_back({.input = input});
    return {.seed = 3, .dtype = dtype, .calls = {call}};
}

/// The largest distance from the truth, in units of the dtype's rounding of the largest element;
/// infinite where an element is no number and should be one.
double error_of(const Array& y, const Array& truth, double unit) {
    const std::vector<double> a = y.to_vector<double>(), t = truth.to_vector<double>();
    double most = 0, largest = 0;
    for (size_t i = 0; i < t.size(); ++i) {
        if (!std::isfinite(t[i])) continue;
        most = std::max(most, std::isfinite(a[i]) ? std::abs(a[i] - t[i]) : INFINITY);
        largest = std::max(largest, std::abs(t[i]));
    }
    return largest > 0 ? most / (unit * largest) : most > 0 ? INFINITY : 0;
}

struct Found {
    int compared = 0;
    std::string text;
};

void compare(const std::string& what, Dtype dtype, const Outcome& eager, const Outcome& compiled,
             const Outcome& truth, Found& found) {
    const bool same = eager.error.empty() && compiled.error.empty() && truth.error.empty();
    if (!same || eager.arrays.size() != compiled.arrays.size() ||
        truth.arrays.size() != eager.arrays.size()) {
        if (eager.error != compiled.error && eager.error.empty() != compiled.error.empty())
            found.text +=
                fmt::format("{}: eager {}, compiled {}\n", what, eager.error, compiled.error);
        return;
    }
    for (size_t i = 0; i < eager.arrays.size(); ++i) {
        if (eager.arrays[i].dtype() != dtype) continue;
        const double unit = dtype == Dtype::bfloat16 ? 0x1p-8 : 0x1p-11;
        const double e = error_of(eager.arrays[i], truth.arrays[i], unit),
                     c = error_of(compiled.arrays[i], truth.arrays[i], unit);
        ++found.compared;
        // What eager code rounds to infinity on the way, a fused kernel may not.
        if (c > 4 * e + 4 || (std::isfinite(e) && e > 4 * c + 4))
            found.text += fmt::format(
                "{} in {}, result {}: {:.1f} units from the truth eager, {:.1f} compiled\n", what,
                name_of(dtype), i, e, c);
    }
}

void check(const testing::Row& row, Dtype dtype, Found& found) {
    const FunctionProgram p = program_of(row, dtype);
    if (p.is_random() || !testing::runs_in(row, dtype) || !testing::runs_in(row, Dtype::float64))
        return;
    const Step step = step_of(p, false), wide = step_of(p, true);
    const auto body = [&](const Values& xs) { return backward(p, step, xs, false, false); };
    const Outcome eager = outcome(p, [&] { return body(step.arguments); });
    const Outcome truth =
        outcome(p, [&] { return backward(p, wide, wide.arguments, true, false); });
    auto region = static_graph(body, "narrow");
    compare(row.function, dtype, eager, outcome(p, [&] { return region(step.arguments); }), truth,
            found);
}

TEST(SixteenBits, compiled_gradients_are_as_near_to_the_truth_as_eager_ones) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Found found;
    for (const testing::Row& row : testing::all_rows())
        for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16}) try {
                if (testing::has_run_dtype(row)) check(row, dtype, found);
            } catch (const Error&) {  // A row that does not take it.
            }
    EXPECT_GT(found.compared, 300);
    EXPECT_EQ(found.text, "");
}

}  // namespace
}  // namespace catena::fuzz
