// Integers that float64 rounds, as numbers beside arrays of integers.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/array_operators.h"

namespace catena::testing {
namespace {

constexpr int64_t large = (int64_t(1) << 53) + 1;  // float64 has only its neighbours.

TEST(LargeIntegers, are_refused_as_numbers_where_they_would_be_rounded) {
    const Array x = Array::from<int64_t>({large, 3});
    const std::string refused = "the integer 9007199254740992 may be a rounded one";
    const auto message = [](auto f) {
        try {
            f();
        } catch (const ValueError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_THAT(message([&] { x + large; }), ::testing::HasSubstr(refused));
    EXPECT_THAT(message([&] { Variable(x) == large; }), ::testing::HasSubstr(refused));
    EXPECT_THAT(message([&] { where(x > 5, x, -large); }),
                ::testing::HasSubstr("the integer -9007199254740992 may"));
    EXPECT_THAT(message([&] { fill({Dtype::int64, {2}}, large); }), ::testing::HasSubstr(refused));
    EXPECT_THAT(message([&] { maximum(Variable(x), std::numeric_limits<int64_t>::max()); }),
                ::testing::HasSubstr("Array::scalar(int64_t(...))"));
}

TEST(LargeIntegers, are_right_as_arrays_and_beside_floats) {
    const Array x = Array::from<int64_t>({large, 3}), number = Array::scalar(large);
    EXPECT_EQ((x + number).to_vector<int64_t>(), (std::vector<int64_t>{2 * large, large + 3}));
    EXPECT_EQ((Variable(x) == Variable(number)).array().to_vector<bool>(),
              (std::vector<bool>{true, false}));
    EXPECT_EQ((x + (large - 2)).to_vector<int64_t>(),
              (std::vector<int64_t>{2 * large - 2, large + 1}));
    EXPECT_EQ((Array::from<double>({0.5}) * large).to_vector<double>(),
              (std::vector<double>{double(large) / 2}));
    EXPECT_EQ(fill({Dtype::float64, {1}}, large).array().to_vector<double>(),
              (std::vector<double>{double(large)}));
    EXPECT_FLOAT_EQ((x + 1e30).to_vector<float>()[1], 1e30f);
}

/// In time proportional to the window it takes years.
TEST(LargeIntegers, windows_of_channels_are_no_wider_than_all_of_them) {
    const Variable x(Array::full({Dtype::float32, {2, 3, 1}}, 2));
    const Variable y = local_response_normalization(x, int64_t(1) << 60, 1, 1, 1);
    for (const double each : y.array().to_vector<double>()) EXPECT_NEAR(each, 2.0 / 13, 1e-6);
    const Variable none(Array::zeros({Dtype::float32, {0, 0, 4}}));
    EXPECT_EQ(local_response_normalization(none, int64_t(1) << 60).shape(), none.shape());
}

}  // namespace
}  // namespace catena::testing
