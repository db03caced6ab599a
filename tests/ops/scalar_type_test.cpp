// A number beside an array of integers or booleans: its C++ type says what the result is.
#include <cmath>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

using testing::ElementsAre;

Array sevens() { return Array::from<int32_t>({7, -7, 0}); }

void expect(const Variable& y, Dtype dtype, std::vector<double> values) {
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.array().to_vector<double>(), values);
}

TEST(ScalarType, a_float_lifts_integers_in_arithmetic) {
    const Array x = sevens();
    expect(x * 0.5, Dtype::float32, {3.5, -3.5, 0});
    expect(0.5 * x, Dtype::float32, {3.5, -3.5, 0});
    expect(x + 0.5, Dtype::float32, {7.5, -6.5, 0.5});
    expect(x - 0.5f, Dtype::float32, {6.5, -7.5, -0.5});
    expect(0.5 - x, Dtype::float32, {-6.5, 7.5, 0.5});
    expect(x / 2.0, Dtype::float32, {3.5, -3.5, 0});
    expect(pow(x, 2.0), Dtype::float32, {49, 49, 0});
    expect(maximum(x, 0.5), Dtype::float32, {7, 0.5, 0.5});
    expect(minimum(x, -0.5), Dtype::float32, {-0.5, -7, -0.5});
}

TEST(ScalarType, a_float_is_compared_as_it_is) {
    const Array x = sevens();
    expect(x < 7.5, Dtype::bool_, {1, 1, 1});
    expect(x == 7.5, Dtype::bool_, {0, 0, 0});
    expect(7.5 > x, Dtype::bool_, {1, 1, 1});
    expect(x >= 6.5, Dtype::bool_, {1, 0, 0});
    expect(x != 0.5, Dtype::bool_, {1, 1, 1});
}

TEST(ScalarType, a_float_lifts_integers_in_clip_where_and_pad) {
    const Array x = sevens();
    expect(clip(x, 0.5, 6.5), Dtype::float32, {6.5, 0.5, 0.5});
    expect(clip(x, 0.5, std::nullopt), Dtype::float32, {7, 0.5, 0.5});
    expect(clip(x, 1, 6.5), Dtype::float32, {6.5, 1, 1});
    expect(where(x > 0, x, 0.25), Dtype::float32, {7, 0.25, 0.25});
    expect(where(x > 0, 0.25, x), Dtype::float32, {0.25, -7, 0});
    expect(pad(x, {1}, {0}, 0.5), Dtype::float32, {0.5, 7, -7, 0});
}

TEST(ScalarType, a_picture_of_bytes_becomes_one_of_floats) {
    const Variable y = Array::from<uint8_t>({0, 51, 255}) * (1.0 / 255);
    EXPECT_EQ(y.dtype(), Dtype::float32);
    EXPECT_THAT(y.array().to_vector<float>(),
                testing::Pointwise(testing::FloatNear(1e-6f), {0.f, 0.2f, 1.f}));
}

TEST(ScalarType, an_integer_keeps_integers) {
    const Array x = sevens();
    expect(x * 2, Dtype::int32, {14, -14, 0});
    expect(x + int64_t(1), Dtype::int32, {8, -6, 1});
    expect(clip(x, 0, 5), Dtype::int32, {5, 0, 0});
    expect(where(x > 0, x, 1), Dtype::int32, {7, 1, 1});
    expect(Array::from<uint8_t>({3}) * 2, Dtype::uint8, {6});
    expect(Array::from<float>({3}) * 2, Dtype::float32, {6});
}

TEST(ScalarType, numbers_lift_booleans) {
    const Array yes = Array::from<bool>({true, false});
    expect(yes * 0.5, Dtype::float32, {0.5, 0});
    expect(yes + 1, Dtype::int32, {2, 1});
    expect(where(yes, yes, false), Dtype::bool_, {1, 0});
}

TEST(ScalarType, a_cell_is_a_float) {
    const Cell half(0.5);
    expect(sevens() * half, Dtype::float32, {3.5, -3.5, 0});
}

TEST(ScalarType, the_float_is_the_default_one) {
    const auto wide = using_config(&Config::dtype, Dtype::float64);
    EXPECT_EQ((sevens() * 0.5).dtype(), Dtype::float64);
    EXPECT_EQ((Array::from<float>({1}) * 0.5).dtype(), Dtype::float32);
}

TEST(ScalarType, a_function_called_by_name_reads_it_from_how_the_number_is_written) {
    const auto times = [](LiteralValue value) {
        return call_function("multiply_scalar", {Variable(sevens(), false)}, {{"value", value}})[0];
    };
    expect(times({int64_t(2)}), Dtype::int32, {14, -14, 0});
    expect(times({0.5}), Dtype::float32, {3.5, -3.5, 0});
}

TEST(ScalarType, a_number_in_an_arrays_place_is_an_integer_beside_integers) {
    const auto largest = [](const Array& x, LiteralValue value) {
        return call_function("maximum", {Variable(x, false)}, {{"x2", std::move(value)}})[0];
    };
    expect(largest(sevens(), {int64_t(2)}), Dtype::int32, {7, 2, 2});
    expect(largest(sevens(), {0.5}), Dtype::float32, {7, 0.5, 0.5});
    expect(largest(Array::from<float>({1, 3}), {int64_t(2)}), Dtype::float32, {2, 3});
    const int64_t large = (int64_t(1) << 53) + 1;
    EXPECT_EQ(largest(Array::from<int64_t>({1}), {large}).array().to_vector<int64_t>()[0], large);
    EXPECT_THROW(largest(Array::from<uint8_t>({1}), {int64_t(300)}), ValueError);
}

TEST(ScalarType, compiled_regions_agree) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    auto f = [](const Variable& x) {
        return std::vector<Variable>{
            x * 0.5, x < 7.5, clip(x, 0.5, 6.5), where(x > 0, x, 0.25), x * 2, maximum(x, 0.5)};
    };
    const std::vector<Variable> right = f(Variable(sevens(), false));
    auto region = static_graph(f);
    std::vector<Variable> ys;
    for (int call = 0; call < 3; ++call) ys = region(Variable(sevens(), false));
    ASSERT_GT(region.statistics().compiled_calls, 0);
    for (size_t i = 0; i < ys.size(); ++i) {
        EXPECT_EQ(ys[i].dtype(), right[i].dtype()) << i;
        EXPECT_EQ(ys[i].array().to_vector<double>(), right[i].array().to_vector<double>()) << i;
    }
}

}  // namespace
}  // namespace catena
