// The benchmark's workloads at small sizes, eager and compiled, in both precisions against eager
// float64. Products and convolutions of float64 are other kernels than those of float32.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"

namespace catena::testing {
namespace {

using tool::Variant;
using tool::Workload;

/// The losses of five iterations; of what is not trained, the results of one.
std::vector<std::vector<double>> run(const Workload& workload, Variant variant, Dtype dtype) {
    const auto scope = using_config(&Config::dtype, dtype);
    set_seed(11);
    const tool::Iteration iteration = workload.prepare(variant, 16);
    std::vector<std::vector<double>> seen;
    if (iteration.loss)
        for (int i = 0; i < 5; ++i) {
            iteration.run();
            seen.push_back({iteration.loss().astype(Dtype::float64).item<double>()});
        }
    if (iteration.loss || !iteration.results) return seen;
    iteration.run();
    for (const Array& array : iteration.results()) seen.push_back(array.to_vector<double>());
    return seen;
}

double largest(const std::vector<double>& values) {
    double found = 0;
    for (double value : values) found = std::max(found, std::abs(value));
    return found;
}

class Workloads : public ::testing::TestWithParam<std::string> {};

void expect_near(const std::vector<std::vector<double>>& actual,
                 const std::vector<std::vector<double>>& expected, size_t count, double tolerance) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < std::min(count, actual.size()); ++i) {
        ASSERT_EQ(actual[i].size(), expected[i].size());
        const double scale = std::max(largest(expected[i]), 1e-3);
        for (size_t k = 0; k < actual[i].size(); ++k)
            ASSERT_NEAR(actual[i][k], expected[i][k], tolerance * scale)
                << "iteration or result " << i;
    }
}

TEST_P(Workloads, compute_the_same_compiled_and_in_both_precisions) {
    const Workload workload = tool::find_workload(GetParam());
    const auto expected = run(workload, Variant::eager, Dtype::float64);
    const bool trains = bool(workload.prepare(Variant::eager, 16).loss);
    for (Variant variant : {Variant::eager, Variant::compiled, Variant::step, Variant::trusted}) {
        SCOPED_TRACE(name_of(variant));
        if (variant == Variant::compiled || variant == Variant::step) {
            SCOPED_TRACE("float64");
            expect_near(run(workload, variant, Dtype::float64), expected, SIZE_MAX, 1e-7);
        }
        SCOPED_TRACE("float32");
        const auto actual = run(workload, variant, Dtype::float32);
        // An activation within rounding of 0 has a gradient or none, and large learning rates
        // multiply what follows: the losses before and after one update are held.
        expect_near(actual, expected, 1, 2e-5);
        if (trains) expect_near(actual, expected, 2, 1e-3);
        for (const auto& values : actual)
            for (double value : values) EXPECT_TRUE(std::isfinite(value));
    }
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Workload& workload : tool::workloads()) all.push_back(workload.name);
    return all;
}
INSTANTIATE_TEST_SUITE_P(All, Workloads, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace catena::testing
