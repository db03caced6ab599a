// Kernels of every layout at the sizes where they change: long and short rows, few and many
// columns, reductions in two launches, steps of several elements.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/emit_kernel.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/program/run/portable.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Arrays = std::vector<Array>;

Array waves(const Shape& shape, Dtype dtype = Dtype::float32) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(double(i) * 0.37) + 0.25;
    return Array::from(values, shape).astype(dtype);
}

/// The device's results against float64 on the host.
void expect_device_computes(const ArrayFunction& function, const Arrays& inputs,
                            double tolerance = 2e-6) {
    std::vector<Variable> narrow, wide;
    for (const Array& input : inputs) {
        narrow.emplace_back(input, false);
        wide.emplace_back(input.astype(Dtype::float64), false);
    }
    const Variables actual = call_on_device(EmulatedDevice::instance(), function, narrow),
                    truth = function(wide);
    for (size_t i = 0; i < truth.size(); ++i) {
        const std::vector<double> a = actual[i].array().to_vector<double>(),
                                  t = truth[i].array().to_vector<double>();
        ASSERT_EQ(a.size(), t.size());
        for (size_t k = 0; k < t.size(); ++k)
            ASSERT_NEAR(a[k], t[k], tolerance * (1 + std::abs(t[k]))) << "element " << k;
    }
}

ArrayFunction summed(Axes axes) {
    return [axes](const std::vector<Variable>& v) { return Variables{sum(v[0] * 0.5, axes)}; };
}

TEST(CudaKernel, rows_of_every_length) {
    for (int64_t length : {1, 2, 3, 7, 31, 32, 33, 100, 513, 2048, 2050, 5000, 20000})
        expect_device_computes(summed({1}), {waves({5, length})});
}

TEST(CudaKernel, columns_of_every_number) {
    for (int64_t columns : {1, 2, 3, 8, 33, 64, 300, 1024})
        for (int64_t rows : {2, 9, 300})
            expect_device_computes(summed({0}), {waves({rows, columns})});
    expect_device_computes(summed({0}), {waves({3, 40000})});
}

TEST(CudaKernel, reductions_in_two_launches) {
    expect_device_computes(summed({0, 1}), {waves({600, 701})});
    expect_device_computes(summed({0}), {waves({40000, 7})});
    expect_device_computes(summed({1}), {waves({2, 200000})});
    // What follows from the sum is computed over everything again.
    expect_device_computes(
        [](const std::vector<Variable>& v) {
            const Variable mean = sum(v[0], {0}, true) * (1.0 / 50000);
            return Variables{v[0] - mean, mean};
        },
        {waves({50000, 6})});
}

TEST(CudaKernel, reduced_axes_that_do_not_lie_together) {
    expect_device_computes(summed({0, 2}), {waves({6, 5, 33})});
    expect_device_computes(summed({0, 2}), {waves({40, 3, 64})});
    expect_device_computes(summed({1}), {waves({4, 50, 6})});
}

TEST(CudaKernel, several_stages) {
    for (const Shape& shape : {Shape{4, 10}, Shape{3, 3000}, Shape{300, 64}})
        expect_device_computes(
            [](const std::vector<Variable>& v) {
                return Variables{softmax(v[0]), log_softmax(v[0])};
            },
            {waves(shape)});
    expect_device_computes(
        [](const std::vector<Variable>& v) {
            const Variable shifted = v[0] - sum(v[0], {0}, true) * (1.0 / 70);
            return Variables{shifted / sqrt(sum(shifted * shifted, {0}, true) + 1e-3)};
        },
        {waves({70, 12})}, 1e-5);
}

TEST(CudaKernel, maps_of_any_alignment_and_dtype) {
    const ArrayFunction function = [](const std::vector<Variable>& v) {
        return Variables{tanh(v[0]) * v[1] + exp(v[1])};
    };
    for (const Shape& shape : {Shape{7}, Shape{8}, Shape{5, 12}, Shape{3, 5, 6}})
        for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16})
            expect_device_computes(function, {waves(shape, dtype), waves(shape, dtype)},
                                   dtype == Dtype::float32 ? 2e-6 : 2e-2);
    expect_device_computes(function, {waves({4, 1, 8}), waves({6, 1})});
    const Array transposed = waves({6, 8}).view({8, 6}, {1, 8}, 0);
    expect_device_computes(function, {transposed, waves({8, 6})});
}

/// y = sum of x over the last of two dimensions.
codegen::Kernel row_sums(int64_t rows, int64_t length, int64_t offset_of_row) {
    codegen::Kernel kernel;
    kernel.domain = {rows, length};
    kernel.reduced = 2;
    kernel.inputs.push_back({Dtype::float32, {offset_of_row, 1}});
    const int y = kernel.add({.kind = codegen::KernelValue::Kind::reduction,
                              .type = codegen::Register::f32,
                              .args = {kernel.load(0, codegen::Register::f32)}});
    kernel.add_output(y, {Dtype::float32, {1, 0}});
    return kernel;
}

TEST(CudaLayout, takes_sixteen_bytes_where_everything_is_aligned) {
    using codegen::cuda::layout_of;
    EXPECT_EQ(layout_of(row_sums(8, 1024, 1024)).vector, 4);
    EXPECT_EQ(layout_of(row_sums(8, 1024, 1026)).vector, 2);
    EXPECT_EQ(layout_of(row_sums(8, 1023, 1023)).vector, 1);
    EXPECT_EQ(layout_of(row_sums(8, 1024, 1024), {4, 16}).vector, 1);
}

TEST(CudaLayout, shares_a_row_among_as_many_threads_as_it_needs) {
    using codegen::cuda::layout_of;
    EXPECT_EQ(layout_of(row_sums(10000, 12, 12)).reduce_threads, 4);
    EXPECT_EQ(layout_of(row_sums(10000, 1024, 1024)).reduce_threads, 32);
    EXPECT_EQ(layout_of(row_sums(10000, 4096, 4096)).reduce_threads, 256);
    EXPECT_EQ(layout_of(row_sums(3, 1024, 1024)).reduce_threads, 256) << "few rows";
}

TEST(CudaLayout, indices_are_wide_only_where_they_must_be) {
    using codegen::cuda::layout_of;
    const codegen::Kernel small = row_sums(1024, 1024, 1024), large = row_sums(1 << 20, 4096, 4096);
    EXPECT_FALSE(layout_of(small).wide_index);
    EXPECT_TRUE(layout_of(large).wide_index);
    EXPECT_THAT(codegen::cuda::emit_kernel(small, layout_of(small)).body,
                HasSubstr("typedef int index;"));
    EXPECT_THAT(codegen::cuda::emit_kernel(large, layout_of(large)).body,
                HasSubstr("typedef i64 index;"));
}

Trace softmax_of(const Shape& shape) {
    return record_call([](const std::vector<Variable>& v) { return Variables{softmax(v[0])}; },
                       {Variable(waves(shape), false)})
        .trace;
}

TEST(CudaSchedule, contains_no_costs_of_the_host) {
    const Trace trace = softmax_of({4, 64});
    const std::vector<const Trace*> runs{&trace};
    const auto host = compiler().compile_portable(trace, {}).schedule.kernels,
               device = compiler().compile_portable_for_device(runs, {}).schedules[0].kernels;
    ASSERT_EQ(host.size(), 1u);
    ASSERT_EQ(device.size(), 1u);
    EXPECT_GT(host[0].row_scratch_rows, 0);
    EXPECT_GT(host[0].element_nanoseconds, 0);
    EXPECT_EQ(device[0].row_scratch_rows, 0);
    EXPECT_EQ(device[0].element_nanoseconds, 0);
}

TEST(CudaSchedule, is_one_program_where_the_host_would_need_two) {
    // Rows of the first size fit into the scratch memory of a processor, those of the second do
    // not.
    const Trace small = softmax_of({4, 60000}), large = softmax_of({4, 70000});
    const std::vector<const Trace*> runs{&small, &large};
    const DevicePortableProgram program = compiler().compile_portable_for_device(runs, {});
    ASSERT_EQ(program.schedules.size(), 2u);
    EXPECT_EQ(program.schedules[0].kernels[0].symbol, program.schedules[1].kernels[0].symbol);
    EXPECT_NE(compiler().compile_portable(small, {}).schedule.kernels[0].row_scratch_rows,
              compiler().compile_portable(large, {}).schedule.kernels[0].row_scratch_rows);
}

TEST(CudaText, knows_no_sizes) {
    const codegen::Kernel a = row_sums(10000, 1024, 1024), b = row_sums(20000, 1536, 1536);
    using namespace codegen::cuda;
    EXPECT_EQ(emit_kernel(a, layout_of(a)).body, emit_kernel(b, layout_of(b)).body);
    EXPECT_THAT(emit_kernel(a, layout_of(a)).body, Not(HasSubstr("1024")));
    EXPECT_THAT(emit_kernel(a, layout_of(a)).body, Not(HasSubstr("atomic")));
}

}  // namespace
}  // namespace catena::testing
