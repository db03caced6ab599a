// Mean and variance of channels in one sweep: blocks of positions have statistics of their own
// (passes/variance.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/core/parallel/parallel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

using Results = std::vector<Variable>;
using Given = const std::vector<Variable>&;

/// Mean and variance of the channels of an image.
Results statistics(const Variable& x) {
    const double count = double(element_count(x.shape())) / double(x.shape()[1]);
    const Variable mean = sum(x, Axes{0, 2, 3}, true) * (1 / count);
    return {mean, sum(square(x - mean), Axes{0, 2, 3}, true) * (1 / count)};
}
Results of_first(Given v) { return statistics(v[0]); }

/// The largest relative distance of a program's variances from those around its means in double
/// precision.
double distance(const std::vector<Array>& results, const Array& x) {
    const std::vector<float> values = x.to_vector<float>(), means = results[0].to_vector<float>(),
                             variances = results[1].to_vector<float>();
    const int64_t images = x.shape()[0], channels = x.shape()[1],
                  positions = x.shape()[2] * x.shape()[3];
    double worst = 0;
    for (int64_t c = 0; c < channels; ++c) {
        double squares = 0;
        for (int64_t n = 0; n < images; ++n)
            for (int64_t p = 0; p < positions; ++p)
                squares += std::pow(
                    values[size_t((n * channels + c) * positions + p)] - double(means[size_t(c)]),
                    2);
        const double exact = squares / double(images * positions);
        worst = std::max(worst, std::abs(variances[size_t(c)] - exact) / exact);
    }
    return worst;
}

Array image(const Shape& shape, double centre) {
    return random_array({Dtype::float32, shape}, 1, centre - 1, centre + 1);
}

double bytes_read(const Region& region) {
    region.run();
    double bytes = 0;
    for (const LaunchReport& launch : region.executable().launches()) bytes += launch.bytes_read;
    return bytes;
}

}  // namespace

TEST(variance, reads_its_input_once) {
    for (const Shape& shape : {Shape{64, 16, 32, 32}, Shape{4, 64, 24, 96}}) {
        const Array x = image(shape, 0);
        EXPECT_LT(bytes_read(Region(of_first, {x})), 1.3 * 4.0 * double(element_count(shape)))
            << to_string(shape);
    }
}

TEST(variance, large_means_do_not_cancel) {
    for (const Shape& shape : {Shape{64, 3, 32, 32}, Shape{5, 18, 13, 55}, Shape{4, 64, 24, 96}})
        for (double centre : {0.0, 1.0, 100.0, 10'000.0}) {
            const Array x = image(shape, centre);
            EXPECT_LT(distance(Region(of_first, {x}).run(), x), 1e-6)
                << to_string(shape) << " around " << centre;
        }
}

TEST(variance, is_as_near_as_eager) {
    expect_as_near_as_eager(of_first, {image({33, 7, 20, 17}, 3)}, 64);
    expect_as_near_as_eager(of_first, {random_array({Dtype::float64, {33, 7, 20, 17}}, 2)}, 64);
    expect_as_near_as_eager(of_first, {random_array({Dtype::float16, {33, 7, 20, 17}}, 3)}, 64);
}

TEST(variance, nan_and_infinity_spoil_their_channel_alone) {
    for (float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Array x = image({40, 3, 32, 32}, 0);
        x.to_fill<float>()[5 * 3 * 1024 + 1024 + 77] = bad;
        const Region region(of_first, {x});
        const std::vector<float> variances = region.run()[1].to_vector<float>(),
                                 eager = region.eager()[1].to_vector<float>();
        for (size_t c = 0; c < 3; ++c)
            EXPECT_EQ(std::isnan(variances[c]), std::isnan(eager[c])) << c << " with " << bad;
        EXPECT_TRUE(std::isnan(variances[1]));
        EXPECT_FALSE(std::isnan(variances[0]) || std::isnan(variances[2]));
    }
}

TEST(variance, of_images_with_channels_last) {
    const auto f = [](Given v) -> Results {
        const Variable h = convolution_2d(v[0], v[1], {.pad = {1}});
        Results results = statistics(h);
        const Variable normal = (h - results[0]) * rsqrt(results[1] + 1e-5);
        for (int k = 1; k <= 12; ++k)
            results.push_back(sum(convolution_2d(normal, v[2] * double(k)), Axes{2, 3}));
        return results;
    };
    const auto f32 = [](const Shape& shape, uint32_t seed) {
        return random_array({Dtype::float32, shape}, seed);
    };
    for (const Shape& shape : {Shape{40, 3, 20, 18}, Shape{4, 3, 40, 70}}) {
        const std::vector<Array> arguments{f32(shape, 1), f32({48, 3, 3, 3}, 2),
                                           f32({8, 48, 3, 3}, 3)};
        EXPECT_GT(Region(f, arguments).info().channels_last, 0) << "so this tests something else";
        expect_as_near_as_eager(f, arguments, 4096);
    }
}

TEST(variance, does_not_depend_on_the_thread_count) {
    const int threads = thread_count();
    const Region region(of_first, {image({37, 11, 31, 23}, 2)});
    set_thread_count(1);
    const std::vector<Array> alone = region.run();
    set_thread_count(3);
    const std::vector<Array> three = region.run();
    set_thread_count(threads);
    for (size_t i = 0; i < alone.size(); ++i)
        EXPECT_EQ(alone[i].to_vector<float>(), three[i].to_vector<float>());
}

}  // namespace catena::test
