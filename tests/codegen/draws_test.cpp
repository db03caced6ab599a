// Random numbers that meet an image with its channels last are drawn in its order, and are the same
// numbers.
#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/noise/random.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

using Results = std::vector<Variable>;

/// How many images a program stores with their channels last: what `read` makes of an image between
/// convolutions and of a random state is the same as when it was recorded.
int images_with_channels_last(const Function& read, const Shape& x) {
    const auto f = [&](const std::vector<Variable>& v) -> Results {
        const Variable image = relu(convolution_2d(v[0], v[1], {.pad = {1}}));
        Results results = read({image, v[3]});
        // So many that what the results cost does not decide.
        for (int k = 1; k <= 12; ++k)
            results.push_back(sum(convolution_2d(image, v[2] * double(k)), Axes{2, 3}));
        return results;
    };
    const Region region(
        f,
        {random_array({Dtype::float32, x}, 1), random_array({Dtype::float32, {20, x[1], 3, 3}}, 2),
         random_array({Dtype::float32, {4, 20, 3, 3}}, 3), Array::from<int64_t>({5, 7})});
    EXPECT_EQ(region.run()[0].to_vector<float>(), region.eager()[0].to_vector<float>())
        << to_string(x);
    return region.info().channels_last;
}

/// As many draws as the image has elements.
Variable draws(const Variable& image, const Variable& state, Dtype dtype = Dtype::float32) {
    return cast(uniform_of_state(state, image.shape(), dtype), Dtype::float32) * 0.5;
}

}  // namespace

TEST(draws, lie_like_the_image_that_they_meet) {
    for (const Shape& x : {Shape{20, 3, 8, 7}, {6, 3, 24, 24}, {2, 5, 33, 17}}) {
        const int alone = images_with_channels_last(
            [](const auto& v) -> Results { return {sum(maximum(v[0], 0.25) * 0.0)}; }, x);
        const int with_draws = images_with_channels_last(
            [](const auto& v) -> Results {
                return {max(maximum(v[0] * 0.0, draws(v[0], v[1])), Axes{0, 2, 3})};
            },
            x);
        EXPECT_EQ(with_draws, alone + 1) << to_string(x);
    }
}

TEST(draws, of_other_dtypes_stay_row_major) {
    const auto read = [](Dtype dtype) {
        return images_with_channels_last(
            [&](const auto& v) -> Results {
                return {max(maximum(v[0] * 0.0, draws(v[0], v[1], dtype)), Axes{0, 2, 3})};
            },
            {20, 3, 8, 7});
    };
    EXPECT_EQ(read(Dtype::float64), read(Dtype::float32) - 1);
    EXPECT_EQ(read(Dtype::float16), read(Dtype::float32) - 1);
}

TEST(draws, all_of_them) {
    // Each at its own place: a result as large as the image.
    images_with_channels_last(
        [](const auto& v) -> Results { return {maximum(v[0] * 0.0, draws(v[0], v[1]))}; },
        {6, 3, 24, 24});
}

}  // namespace catena::test
