// Every row of the op table that has an operation with a kernel of its own, as a program in C:
// against what the package gives.
#include <gtest/gtest.h>

#include <cmath>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/ops/declare/device_form.h"
#include "tests/export/exported_rows.h"
#include "tests/export/saved_step.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"
#include "tests/ops/host_only.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {
namespace {

void expect_same(const Exported& e, const Array& actual, const Array& expected) {
    const std::vector<double> a = actual.to_vector<double>(), x = expected.to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(a[i]) && std::isnan(x[i])) continue;
        const double most = e.near ? 4 * tolerance_of(expected.dtype()) * (1 + std::abs(x[i])) : 0;
        ASSERT_LE(std::abs(a[i] - x[i]), most)
            << "element " << i << " is " << a[i] << ", in the package " << x[i];
    }
}

Array waves(const Shape& shape) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(double(i));
    return Array::from(values, shape).astype(Dtype::float32);
}

TEST(CRows, exported_programs_compute_what_every_row_of_the_op_table_does) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    ExportedRows rows(temporary("rows"));
    compiled() = [&](const RowFunction& run, const std::vector<Variable>& inputs) {
        return rows.add(run, inputs);
    };
    for (const Row& row : all_rows()) {
        rows.row = row.op + " " + row.function + " " + row.note;
        SCOPED_TRACE(rows.row);
        try {
            check_compiled(row);
            check_compiled_gradient(row);
        } catch (const std::exception& error) {
            if (!tells_of_host_only(error.what())) ADD_FAILURE() << error.what();
        }
    }
    compiled() = nullptr;
    // What only a gradient of a gradient calls.
    rows.row = "gradient of max_pooling_2d's gradient";
    rows.add(
        [](const std::vector<Variable>& v) {
            const std::vector<Variable> x = {Variable(v[0].array(), true)},
                                        gy = {Variable(v[1].array(), true)};
            const std::vector<Variable> y = {max_pooling_2d(x[0], {2, 2})};
            const Variables gx = grad(y, x, gy, {.enable_double_backprop = true});
            return grad(gx, gy, x);
        },
        {Variable(waves({2, 2, 5, 4}), false), Variable(waves({2, 2, 3, 2}), false)});
    // What only a pass calls: the embedding's gradient is added onto that of the product with the
    // same weights.
    rows.row = "gradient of tied weights";
    rows.add(
        [](const std::vector<Variable>& v) {
            return grad({sum(square(linear(tanh(embed_id(v[1], v[0])), v[0])))}, {v[0]});
        },
        {Variable(waves({20, 6}), true), Variable(Array::from<int32_t>({3, 19, 3, 0}), false)});
    EXPECT_TRUE(rows.library);
    for (const OpDef* op : all_ops())
        if (is_called(*op) && host_only_reason(*op).empty()) {
            const bool is_seen = std::any_of(rows.seen.begin(), rows.seen.end(),
                                             [&](const auto& c) { return c.first == op; });
            EXPECT_TRUE(is_seen || rows.exported.contains(op)) << op->name;
        }

    const std::vector<std::vector<Array>> results = rows.run_c();
    for (size_t i = 0; i < rows.all().size(); ++i) {
        SCOPED_TRACE("r" + std::to_string(i) + ", row " + rows.all()[i].row);
        for (size_t k = 0; k < results[i].size(); ++k)
            expect_same(rows.all()[i], results[i][k], rows.all()[i].outputs[k]);
    }
    std::printf("%zu programs\n", rows.all().size());
}

TEST(CRows, long_lines_are_sorted_summed_and_scattered_to_the_same_bits) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    ExportedRows rows(temporary("lines"));
    for (int64_t size : {16, 17, 300, 1025, 3001}) {
        std::vector<int64_t> places(static_cast<size_t>(size));
        for (size_t i = 0; i < places.size(); ++i) places[i] = int64_t(i * 7919 % 41) - 1;
        rows.row = "lines of " + std::to_string(size);
        rows.add(
            [](const std::vector<Variable>& v) {
                const Variable few = floor(v[0] * 20.0);  // With ties.
                return Variables{argsort(few, 1), sort(v[0], 1), argmax(few, 1), argmin(v[0], 1),
                                 cumsum(v[0], 1)};
            },
            {Variable(waves({2, size, 3}), false)});
        rows.row = "gradient of an embedding of " + std::to_string(size);
        rows.add(
            [](const std::vector<Variable>& v) {
                const std::vector<Variable> W = {Variable(v[0].array(), true)}, gy = {v[2]};
                return grad(std::vector<Variable>{embed_id(v[1], W[0], -1)}, W, gy);
            },
            {Variable(waves({40, 3}), false), Variable(Array::from(places, {size}), false),
             Variable(waves({size, 3}), false)});
    }
    const std::vector<std::vector<Array>> results = rows.run_c();
    ASSERT_GE(rows.all().size(), 10u);
    for (size_t i = 0; i < rows.all().size(); ++i) {
        SCOPED_TRACE(rows.all()[i].row);
        for (size_t k = 0; k < results[i].size(); ++k)
            expect_same(rows.all()[i], results[i][k], rows.all()[i].outputs[k]);
    }
}

}  // namespace
}  // namespace catena::testing
