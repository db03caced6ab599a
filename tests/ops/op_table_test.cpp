#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracing.h"
#include "runtime/ops/declare/block.h"
#include "runtime/ops/declare/measured.h"
#include "runtime/ops/declare/onto.h"
#include "runtime/ops/declare/tail.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/empty_check.h"
#include "tests/ops/gradient_check.h"
#include "tests/ops/row_runner.h"
#include "tests/ops/thread_check.h"

namespace catena::testing {

namespace {

/// Listens and does nothing: composites then run their bodies.
class SilentRecorder : public Tracing {
public:
    void assigned(const Variable&, const Variable&) override {}
    void changing(VariableBody&, Change) override {}
    void same(const Array&, const Array&) override {}
    void host_read(ArrayBody&) override {}
};

std::vector<Dtype> dtypes_to_run(const Row& row) {
    return has_run_dtype(row) ? row.dtypes : std::vector<Dtype>{Dtype::float32};
}

/// For checks that need one dtype.
Dtype main_dtype(const Row& row) {
    return runs_in(row, Dtype::float64) ? Dtype::float64 : dtypes_to_run(row)[0];
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void check_dtypes(const Row& row) {
    for (Dtype dtype : dtypes_to_run(row)) {
        SCOPED_TRACE("dtype " + std::string(name_of(dtype)));
        Generator generator = generator_for(row);
        const Arrays inputs = draw(row.inputs, dtype, generator);
        const References before = to_references(inputs);
        expect_truth(row, inputs, call_row(row, as_variables(inputs)), dtype);
        const References after = to_references(inputs);
        for (size_t i = 0; i < before.size(); ++i)
            EXPECT_TRUE(same_bits(before[i].values, after[i].values))
                << "input " << i << " was written";
    }
}

/// A dtype that no row of the function runs in must be refused.
void check_refused_dtypes(const Row& row) {
    if (!has_run_dtype(row)) return;
    for (Dtype dtype : all_dtypes()) {
        const auto takes = [&](const Row& other) {
            return other.function == row.function && runs_in(other, dtype);
        };
        if (std::any_of(all_rows().begin(), all_rows().end(), takes)) continue;
        SCOPED_TRACE("dtype " + std::string(name_of(dtype)));
        Generator generator = generator_for(row);
        const std::vector<Variable> inputs = as_variables(draw(row.inputs, dtype, generator));
        if (!row.takes_whole || is_float(dtype)) {
            EXPECT_THROW(call_row(row, inputs), DtypeError);
            continue;
        }
        std::vector<Variable> floats;
        for (const Variable& x : inputs)
            floats.push_back(x.defined() ? x.astype(config().dtype) : Variable());
        const Variables given = call_row(row, inputs), wanted = call_row(row, floats);
        for (size_t i = 0; i < wanted.size(); ++i)
            EXPECT_TRUE(same_bits(given[i].array().to_vector<double>(),
                                  wanted[i].array().to_vector<double>()));
    }
}

void check_strided(const Row& row) {
    SCOPED_TRACE("strided inputs");
    const Dtype run = main_dtype(row);
    Generator generator = generator_for(row);
    Arrays inputs = draw(row.inputs, run, generator);
    for (Array& input : inputs)
        if (input.defined()) input = strided_copy(input);
    expect_truth(row, inputs, call_row(row, as_variables(inputs)), run);
}

void check_meta(const Row& row) {
    SCOPED_TRACE("meta device");
    const Dtype run = main_dtype(row);
    Generator generator = generator_for(row);
    Arrays inputs = draw(row.inputs, run, generator);
    const Variables expected = call_row(row, as_variables(inputs));
    for (Array& input : inputs)
        if (input.defined()) input = Array::empty(input.type(), meta_device());
    const Variables outputs = call_row(row, as_variables(inputs));
    ASSERT_EQ(outputs.size(), expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(to_string(outputs[i].type()), to_string(expected[i].type()));
        EXPECT_TRUE(inputs.empty() || outputs[i].device().is_meta());
    }
}

void check_body(const Row& row) {
    const OpDef* op = find_op(row.op);
    if (!op || !op->body || !op->kernel) return;
    SCOPED_TRACE("body against kernel");
    for (Dtype dtype : dtypes_to_run(row)) {
        Generator generator = generator_for(row);
        const std::vector<Variable> inputs = as_variables(draw(row.inputs, dtype, generator));
        const Variables fused = call_row(row, inputs);
        SilentRecorder recorder;
        RecorderScope scope(&recorder);
        const Variables composed = call_row(row, inputs);
        ASSERT_EQ(fused.size(), composed.size());
        for (size_t i = 0; i < fused.size(); ++i)
            expect_near(fused[i].array(), to_reference(composed[i].array()),
                        row.tolerance * tolerance_of(dtype));
    }
}

// Shapes and values that only truths of any shape can follow.

std::vector<std::vector<Shape>> shape_variants(size_t count) {
    std::vector<std::vector<Shape>> variants = {
        {{}, {}, {}}, {{1, 1}, {1}, {}}, {{0, 3}, {0, 1}, {3}}, {{2, 1031}, {2, 1031}, {2, 1031}}};
    if (count > 1) {
        variants.push_back({{2, 3, 4}, {3, 1}, {4}});
        variants.push_back({{4}, {2, 3, 1}, {2, 1, 1}});
        variants.push_back({{7, 1}, {1, 300}, {1}});
    }
    return variants;
}

void check_shapes(const Row& row) {
    for (const std::vector<Shape>& shapes : shape_variants(row.inputs.size())) {
        std::vector<Input> variant = row.inputs;
        std::string trace = "shapes";
        for (size_t i = 0; i < variant.size(); ++i) {
            variant[i].shape = shapes[i];
            variant[i].values.clear();
            trace += " " + to_string(shapes[i]);
        }
        SCOPED_TRACE(trace);
        for (Dtype dtype : dtypes_to_run(row)) {
            Generator generator = generator_for(row);
            const Arrays inputs = draw(variant, dtype, generator);
            expect_truth(row, inputs, call_row(row, as_variables(inputs)), dtype);
        }
    }
}

void check_specials(const Row& row) {
    SCOPED_TRACE("NaN and inf");
    const double infinity = INFINITY;
    const std::vector<double> specials = {NAN, infinity, -infinity, 0.0, 1.0, -1.0, 0.5};
    size_t count = 1;
    for (size_t i = 0; i < row.inputs.size(); ++i) count *= specials.size();
    std::vector<Input> variant = row.inputs;
    size_t period = 1;
    for (Input& input : variant) {
        if (input.dtype) return;
        input.shape = {int64_t(count)};
        input.values.clear();
        for (size_t k = 0; k < count; ++k)
            input.values.push_back(specials[k / period % specials.size()]);
        period *= specials.size();
    }
    for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
        SCOPED_TRACE("dtype " + std::string(name_of(dtype)));
        Generator generator = generator_for(row);
        const Arrays inputs = draw(variant, dtype, generator);
        expect_truth(row, inputs, call_row(row, as_variables(inputs)), dtype);
    }
}

void check_rejects(const Row& row) {
    for (const Reject& reject : row.rejects) {
        SCOPED_TRACE("rejects: " + reject.message);
        Generator generator = generator_for(row);
        const std::vector<Variable> inputs = as_variables(
            draw(reject.inputs.empty() ? row.inputs : reject.inputs, reject.run, generator));
        try {
            call_row(row, inputs, reject.set);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(reject.message), std::string::npos)
                << "the text is: " << error.what();
        }
    }
}

class OpTable : public ::testing::TestWithParam<size_t> {};

TEST_P(OpTable, holds) {
    const Row& row = all_rows()[GetParam()];
    ASSERT_NO_FATAL_FAILURE(check_dtypes(row));
    check_refused_dtypes(row);
    check_strided(row);
    check_meta(row);
    check_body(row);
    check_empty(row);
    if (row.truth.elementwise) check_shapes(row);
    if (row.truth.elementwise && row.specials && runs_in(row, Dtype::float64)) check_specials(row);
    check_gradient(row);
    if (row.gradient && row.double_gradient && runs_in(row, Dtype::float64))
        check_double_gradient(row);
    check_rejects(row);
    check_compiled(row);
    check_compiled_gradient(row);
}

std::vector<size_t> row_numbers() {
    std::vector<size_t> numbers(all_rows().size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    return numbers;
}

std::string row_name(const ::testing::TestParamInfo<size_t>& info) {
    const auto name_of_row = [](const Row& row) {
        std::string name = row.function +
                           (row.op == row.function || row.op.empty() ? "" : "_" + row.op) +
                           (row.note.empty() ? "" : "_" + row.note);
        for (char& c : name)
            if (!std::isalnum(uint8_t(c))) c = '_';
        return name;
    };
    const std::string name = name_of_row(all_rows()[info.param]);
    size_t same = 0;
    for (size_t i = 0; i < info.param; ++i) same += name_of_row(all_rows()[i]) == name;
    return same ? name + "_" + std::to_string(same + 1) : name;
}

INSTANTIATE_TEST_SUITE_P(rows, OpTable, ::testing::ValuesIn(row_numbers()), row_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpTable);

/// Gradients of maps are covered through their map; an op that cannot run only marks nodes;
/// messages between processes are tested in tests/distributed, forms that passes call with the
/// programs that have them (tests/frontend/convolution_tails_test.cpp,
/// tests/frontend/convolution_statistics_test.cpp, tests/frontend/tied_embedding_test.cpp).
bool is_derived(const OpDef& op) {
    if (op.name.starts_with("comm_") || is_tailed_form(op) || is_onto_form(op) ||
        is_block_form(op) || is_measured_form(op))
        return true;
    const bool runs = op.kind == Kind::map || op.kernel || op.body || op.view;
    return !runs || op.name.find(".gx") != std::string::npos;
}

TEST(OpTableThreads, results_have_the_same_bits_on_any_number_of_threads) {
    std::set<std::string> functions, checked;
    for (const Row& row : all_rows()) {
        SCOPED_TRACE(row.function + " " + row.note);
        functions.insert(row.function);
        if (check_thread_counts(row)) checked.insert(row.function);
    }
    // Some functions take no larger inputs: their arguments hold sizes.
    EXPECT_GT(checked.size(), functions.size() * 8 / 10);
}

TEST(OpTableCoverage, every_op_has_a_row) {
    std::set<std::string> covered, missing;
    for (const Row& row : all_rows()) covered.insert(row.op);
    for (const OpDef* op : all_ops())
        if (!is_derived(*op) && !covered.contains(op->name)) missing.insert(op->name);
    EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(OpTableCoverage, every_function_has_a_row) {
    std::set<std::string> covered, missing;
    for (const Row& row : all_rows()) covered.insert(row.function);
    for (const FunctionDef* function : all_functions())
        if (!covered.contains(function->name)) missing.insert(function->name);
    EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(OpTableCoverage, rows_name_ops_that_exist) {
    for (const Row& row : all_rows())
        EXPECT_TRUE(row.op.empty() || find_op(row.op)) << "there is no op " << row.op;
}

}  // namespace

}  // namespace catena::testing
