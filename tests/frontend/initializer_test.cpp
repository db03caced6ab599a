#include "frontend/init/initializer.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

namespace init = initializers;
using ::testing::ElementsAre;

struct Moments {
    double mean = 0, deviation = 0, largest = 0;
};

Moments moments_of(const Initializer& initializer, const Shape& shape) {
    std::vector<double> values = initializer({Dtype::float32, shape}).to_vector<double>();
    Moments m;
    for (double v : values) {
        m.mean += v / double(values.size());
        m.largest = std::max(m.largest, std::abs(v));
    }
    for (double v : values) m.deviation += (v - m.mean) * (v - m.mean) / double(values.size());
    m.deviation = std::sqrt(m.deviation);
    return m;
}

TEST(Initializer, normal_ones_have_the_deviation_of_their_fans) {
    set_seed(1);
    Shape shape{40, 20, 3, 3};  // fan_in 180, fan_out 360, 7200 elements
    auto expect = [&](const Initializer& initializer, double deviation) {
        Moments m = moments_of(initializer, shape);
        EXPECT_NEAR(m.mean, 0, 0.06 * deviation) << initializer.description();
        EXPECT_NEAR(m.deviation, deviation, 0.04 * deviation) << initializer.description();
    };
    expect(Initializer(), std::sqrt(1.0 / 180));
    expect(init::LeCunNormal(2), 2 * std::sqrt(1.0 / 180));
    expect(init::GlorotNormal(), std::sqrt(2.0 / 540));
    expect(init::HeNormal(), std::sqrt(2.0 / 180));
    expect(init::HeNormal(1, {}, init::FanOption::fan_out), std::sqrt(2.0 / 360));
    expect(init::Normal(), 0.05);
}

TEST(Initializer, uniform_ones_fill_their_range) {
    set_seed(1);
    Shape shape{40, 20, 3, 3};
    auto expect = [&](const Initializer& initializer, double scale) {
        Moments m = moments_of(initializer, shape);
        EXPECT_LE(m.largest, scale * 1.0000001) << initializer.description();
        EXPECT_GE(m.largest, scale * 0.99) << initializer.description();
        EXPECT_NEAR(m.deviation, scale / std::sqrt(3.0), 0.03 * scale) << initializer.description();
    };
    expect(init::Uniform(), 0.05);
    expect(init::LeCunUniform(), std::sqrt(3.0 / 180));
    expect(init::GlorotUniform(), std::sqrt(6.0 / 540));
    expect(init::HeUniform(), std::sqrt(6.0 / 180));
}

TEST(Initializer, the_seed_repeats_the_numbers_and_every_draw_is_another) {
    Type type{Dtype::float32, {50}};
    set_seed(7);
    auto first = init::Normal()(type).to_vector<float>(),
         second = init::Normal()(type).to_vector<float>();
    set_seed(7);
    EXPECT_EQ(init::Normal()(type).to_vector<float>(), first);
    EXPECT_NE(first, second);
    set_seed(8);
    EXPECT_NE(init::Normal()(type).to_vector<float>(), first);
}

TEST(Initializer, constants_come_from_numbers_and_arrays) {
    EXPECT_THAT(Initializer(2.5)({Dtype::float64, {2}}).to_vector<double>(), ElementsAre(2.5, 2.5));
    EXPECT_THAT(Initializer(Array::from<float>({1, 2}))({Dtype::float32, {2}}).to_vector<float>(),
                ElementsAre(1, 2));
    EXPECT_THROW(Initializer(Array::from<float>({1, 2}))({Dtype::float32, {3}}), ShapeError);
    EXPECT_THAT(init::One()({Dtype::float16, {1}}).to_vector<float>(), ElementsAre(1));
    EXPECT_TRUE(std::isnan(init::NaN()({Dtype::float32, {1}}).item<float>()));
}

TEST(Initializer, identity_is_for_square_matrices) {
    EXPECT_THAT(init::Identity(2)({Dtype::float32, {2, 2}}).to_vector<float>(),
                ElementsAre(2, 0, 0, 2));
    EXPECT_THROW(init::Identity()({Dtype::float32, {2, 3}}), ShapeError);
}

TEST(Initializer, orthogonal_rows_are_orthonormal_times_the_scale) {
    set_seed(3);
    for (Shape shape : {Shape{4, 3, 2}, Shape{6, 4}}) {
        std::vector<double> q = init::Orthogonal(2)({Dtype::float64, shape}).to_vector<double>();
        int64_t rows = shape[0], columns = int64_t(q.size()) / rows;
        bool by_rows = rows <= columns;
        int64_t count = std::min(rows, columns), length = std::max(rows, columns);
        auto at = [&](int64_t v, int64_t i) {
            return by_rows ? q[v * columns + i] : q[i * columns + v];
        };
        for (int64_t a = 0; a < count; ++a)
            for (int64_t b = 0; b < count; ++b) {
                double dot = 0;
                for (int64_t i = 0; i < length; ++i) dot += at(a, i) * at(b, i);
                EXPECT_NEAR(dot, a == b ? 4 : 0, 1e-12);
            }
    }
}

TEST(Initializer, refuses_a_shape_without_fans_and_another_dtype) {
    EXPECT_THROW(Initializer()({Dtype::float32, {3}}), ShapeError);
    EXPECT_THROW(init::Zero(Dtype::float16)({Dtype::float32, {3}}), DtypeError);
}

}  // namespace
}  // namespace catena
