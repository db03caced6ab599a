// Sums of many columns go row after row, with the sums in memory, where that is faster
// (codegen/kernel/plan_launches.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/parallel/parallel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/program/run/scheduled_executable.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

using Results = std::vector<Variable>;
using Given = const std::vector<Variable>&;

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

/// How many kernels of a program go row after row.
int64_t in_order(const Region& region) {
    const auto& executable = dynamic_cast<program::ScheduledExecutable&>(region.executable());
    return std::ranges::count_if(executable.schedule().kernels,
                                 [](const auto& kernel) { return kernel.geometry.serial > 0; });
}

/// As in the gradient of a normalization: sums of columns, what they are made of, and what follows
/// from them.
Results sums(Given v) {
    const Variable g = relu(v[0]) + v[1], centred = v[0] - v[2];
    const Variable s = sum(g, 0, true);
    return {g, s * 0.5 + v[2], sum(g * centred, Axes{0}), max(g, Axes{0})};
}
std::vector<Array> arguments(int64_t rows, int64_t columns, Dtype dtype = Dtype::float32) {
    return {random_array({dtype, {rows, columns}}, 1), random_array({dtype, {rows, columns}}, 2),
            random_array({dtype, {1, columns}}, 3)};
}

}  // namespace

TEST(rows_in_order, sums_of_many_columns) {
    const auto of_one = [](Given v) -> Results { return {sum(v[0], Axes{0})}; };
    EXPECT_EQ(in_order(Region(of_one, {f32({1000, 512})})), 1);
    EXPECT_EQ(in_order(Region(of_one, {f32({2000, 300})})), 0)
        << "a single operand of so few columns";
    EXPECT_EQ(in_order(Region(of_one, {f32({100, 512})})), 0) << "so few elements are not divided";
    EXPECT_EQ(in_order(Region(sums, arguments(1000, 600))), 1);
    const auto heavy = [](Given v) -> Results {
        return {sum(v[0] * exp(broadcast_to(v[1], v[0].shape())), Axes{0})};
    };
    EXPECT_EQ(in_order(Region(heavy, {f32({1000, 512}), f32({1, 512}, 2)})), 0)
        << "each row would compute the exponentials again";
}

TEST(rows_in_order, of_every_size) {
    for (auto [rows, columns] :
         {std::pair{1000, 600}, {4097, 512}, {513, 515}, {400, 1031}, {130, 2049}}) {
        SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
        ASSERT_EQ(in_order(Region(sums, arguments(rows, columns))), 1);
        expect_as_near_as_eager(sums, arguments(rows, columns), 64);
    }
}

TEST(rows_in_order, of_other_dtypes) {
    for (Dtype dtype : {Dtype::float64, Dtype::float16})
        expect_as_near_as_eager(sums, arguments(700, 520, dtype), 64);
    const auto whole = [](Given v) -> Results {
        return {sum(v[0], Axes{0}), max(v[0], Axes{0}), min(v[0], Axes{0})};
    };
    const std::vector<Array> numbers{random_array({Dtype::int32, {700, 520}}, 1, -1000, 1000)};
    EXPECT_EQ(in_order(Region(whole, numbers)), 1);
    expect_as_near_as_eager(whole, numbers);
}

TEST(rows_in_order, of_broadcast_operands) {
    const auto f = [](Given v) -> Results {
        return {sum(v[0] * v[1] + v[2], Axes{0}), sum(v[0] * 0.0 + v[2], Axes{0}),
                sum(v[0] * 0.0 + v[1], Axes{0})};
    };
    expect_as_near_as_eager(f, {f32({900, 530}), f32({900, 1}, 2), f32({1, 530}, 3)}, 64);
}

TEST(rows_in_order, nan_spoils_its_column_alone) {
    std::vector<Array> given = arguments(1000, 600);
    given[1].to_fill<float>()[777 * 600 + 123] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> spoilt = Region(sums, given).run()[1].to_vector<float>();
    for (size_t c = 0; c < spoilt.size(); ++c) EXPECT_EQ(std::isnan(spoilt[c]), c == 123) << c;
}

TEST(rows_in_order, bits_do_not_depend_on_the_thread_count) {
    const Region region(sums, arguments(3000, 514));
    const int threads = thread_count();
    std::vector<std::vector<float>> bits;
    for (int count : {1, 2, 3}) {
        set_thread_count(count);
        std::vector<float>& all = bits.emplace_back();
        for (const Array& result : region.run())
            for (float value : result.to_vector<float>()) all.push_back(value);
    }
    set_thread_count(threads);
    EXPECT_EQ(bits[0], bits[1]);
    EXPECT_EQ(bits[0], bits[2]);
}

}  // namespace catena::test
