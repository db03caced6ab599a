#include "tests/ops/thread_check.h"

#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/walk/gradient.h"
#include "tests/ops/row_runner.h"
#include "tests/support/threads.h"

namespace catena::testing {
namespace {

/// Elements of the largest input after the enlargement, at most.
constexpr int64_t most_elements = 150'000;

Shape times(const Shape& shape, int64_t factor) {
    Shape larger = shape;
    for (int i = 0; i < shape.rank(); ++i)
        if (shape[i] > 1) larger[i] = shape[i] * factor;
    return larger;
}

std::vector<Input> enlarged(const Row& row, int64_t factor) {
    std::vector<Input> inputs = row.inputs;
    for (Input& input : inputs) {
        input.shape = times(input.shape, factor);
        const size_t given = input.values.size();
        if (given) {
            input.values.resize(size_t(element_count(input.shape)));
            for (size_t i = given; i < input.values.size(); ++i)
                input.values[i] = input.values[i % given];
        }
    }
    return inputs;
}

/// As a double: the number of elements of a shape of many axes may be more than an integer holds.
double size_of_shape(const Shape& shape) {
    double size = 1;
    for (int64_t n : shape) size *= double(n);
    return size;
}

/// Elements of all results, found without computing them; 0 when the sizes are refused or depend on
/// values.
double result_elements(const Row& row, int64_t factor, Dtype run) {
    std::vector<Variable> arguments;
    for (const Input& input : row.inputs)
        arguments.push_back(input.absent ? Variable()
                                         : Variable(Array::empty({input.dtype.value_or(run),
                                                                  times(input.shape, factor)},
                                                                 meta_device()),
                                                    false));
    double elements = 0;
    try {
        for (const Variable& y : call_row(row, arguments))
            if (y.defined()) elements += size_of_shape(y.shape());
    } catch (const Error&) {
        return 0;
    }
    return elements;
}

int64_t largest_factor(const Row& row, Dtype run) {
    for (int64_t factor = 4096; factor > 1; factor = factor * 3 / 4) {
        double most = 0;
        for (const Input& input : row.inputs)
            if (!input.absent) most = std::max(most, size_of_shape(times(input.shape, factor)));
        if (most <= double(most_elements) &&
            result_elements(row, factor, run) <= 4.0 * double(most_elements))
            return factor;
    }
    return 1;
}

/// All results and gradients, as bytes.
std::vector<Array> results(const Row& row, const Arrays& inputs, Dtype run) {
    std::vector<Variable> arguments = as_variables(inputs);
    std::vector<Variable> outputs, wanted;
    if (row.gradient && is_float(run))
        for (size_t i : differentiable_inputs(row)) {
            arguments[i] = Variable(arguments[i].array(), true);
            wanted.push_back(arguments[i]);
        }
    std::vector<Array> all;
    for (const Variable& y : call_row(row, arguments)) {
        if (!y.defined()) continue;
        all.push_back(y.array());
        if (y.requires_grad()) outputs.push_back(y);
    }
    if (outputs.empty()) return all;
    for (const Variable& gx : grad(outputs, wanted))
        if (gx.defined()) all.push_back(gx.array());
    return all;
}

bool same_bytes(const Array& a, const Array& b) {
    const Array x = a.as_contiguous(), y = b.as_contiguous();
    return x.type() == y.type() &&
           (x.size() == 0 ||
            std::memcmp(x.raw_data(), y.raw_data(), size_t(x.size()) * size_of(x.dtype())) == 0);
}

std::optional<std::vector<Array>> try_results(const Row& row, const Arrays& inputs, Dtype run) {
    try {
        return results(row, inputs, run);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

bool check_thread_counts(const Row& row) {
    const Dtype run =
        runs_in(row, Dtype::float32) || !has_run_dtype(row) ? Dtype::float32 : row.dtypes[0];
    const int64_t factor = largest_factor(row, run);
    Generator generator = generator_for(row);
    const Arrays inputs = draw(enlarged(row, factor), run, generator);
    Threads one(1);
    const std::optional<std::vector<Array>> expected = try_results(row, inputs, run);
    if (!expected || factor == 1) return false;
    for (int count : {2, 3, 5}) {
        Threads several(count);
        const std::vector<Array> got = results(row, inputs, run);
        EXPECT_EQ(got.size(), expected->size());
        for (size_t i = 0; i < std::min(got.size(), expected->size()); ++i)
            EXPECT_TRUE(same_bytes(got[i], (*expected)[i]))
                << fmt::format("result {} of {}, {} threads against 1, sizes times {}: other bits",
                               i, got.size(), count, factor);
    }
    return true;
}

}  // namespace catena::testing
