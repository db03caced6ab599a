// Convolutions that gather the statistics of their results
// (runtime/cpu/convolution/measured_convolution.h), by each way to compute them.
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/measured_convolution.h"
#include "tests/runtime/convolution_truth.h"

namespace catena {
namespace {

constexpr MemoryOrder orders[] = {MemoryOrder::channels_last, MemoryOrder::row_major};

/// What is measured of one convolution.
struct Measured {
    Array y, sums, squares;
};

Measured run(const Case& c, MemoryOrder order) {
    const Array channels = Array::empty({Dtype::float32, Shape{c.y.dim(1)}}, cpu_device());
    Measured m{random_array(c.y.shape(), 9, order), channels,
               Array::empty(channels.type(), cpu_device())};
    MeasuredConvolution(c.steps).run(c.x, c.W, m.y, m.sums, m.squares);
    return m;
}

/// Calls f with each element of a channel.
template <class F>
void for_channel(const Array& y, int64_t c, F&& f) {
    for (int64_t n = 0; n < y.dim(0); ++n)
        for (int64_t h = 0; h < y.dim(2); ++h)
            for (int64_t w = 0; w < y.dim(3); ++w) f(double(element(y, n, c, h, w)));
}

void expect_statistics(const Measured& m) {
    for (int64_t c = 0; c < m.y.dim(1); ++c) {
        double sum = 0, magnitudes = 0, squares = 0, count = double(m.y.size() / m.y.dim(1));
        for_channel(m.y, c, [&](double v) { sum += v, magnitudes += std::abs(v); });
        for_channel(m.y, c, [&](double v) { squares += (v - sum / count) * (v - sum / count); });
        ASSERT_NEAR(m.sums.elements<float>()[c], sum, 1e-6 * magnitudes) << "channel " << c;
        ASSERT_NEAR(m.squares.elements<float>()[c], squares, 1e-5 * squares) << "channel " << c;
    }
}

bool same_bits(const Array& a, const Array& b) {
    return std::memcmp(a.elements(), b.elements(), size_t(a.size()) * sizeof(float)) == 0;
}

class MeasuredConvolutions : public ::testing::TestWithParam<Images> {
protected:
    void TearDown() override { set_thread_count(threads_); }
    const int threads_ = thread_count();
};

TEST_P(MeasuredConvolutions, give_results_and_their_statistics) {
    for (const MemoryOrder order : orders) {
        const Case c(GetParam(), order);
        const Measured m = run(c, order);
        const Array plain = random_array(c.y.shape(), 10, order);
        convolve(c.x, c.W, Array(), c.steps, plain);
        const double scale = std::sqrt(double(c.W.size() / c.W.dim(0)));
        for (int64_t i = 0; i < plain.size(); ++i)
            ASSERT_NEAR(m.y.elements<float>()[i], plain.elements<float>()[i], 2e-5 * scale) << i;
        expect_statistics(m);
    }
}

TEST_P(MeasuredConvolutions, have_the_same_bits_on_any_number_of_threads) {
    for (const MemoryOrder order : orders) {
        const Case c(GetParam(), order);
        set_thread_count(1);
        const Measured one = run(c, order);
        for (const int threads : {2, 3}) {
            set_thread_count(threads);
            const Measured many = run(c, order);
            EXPECT_TRUE(same_bits(many.y, one.y) && same_bits(many.sums, one.sums) &&
                        same_bits(many.squares, one.squares))
                << threads << " threads";
        }
    }
}

TEST_P(MeasuredConvolutions, give_what_the_definition_gives_for_numbers_that_are_not_finite) {
    for (const MemoryOrder order : orders)
        for (const float bad :
             {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
            Case c(GetParam(), order);
            c.W.to_fill<float>()[c.W.size() / 2] = 0;
            element(c.x, 0, c.x.dim(1) / 2, c.x.dim(2) / 2, c.x.dim(3) / 2) = bad;
            const Measured m = run(c, order);
            for (int64_t o = 0; o < m.y.dim(1); ++o) {
                double sum = 0;
                for_channel(m.y, o, [&](double v) { sum += v; });
                const float found = m.sums.elements<float>()[o],
                            squares = m.squares.elements<float>()[o];
                EXPECT_EQ(std::isnan(sum), std::isnan(found)) << o;
                if (std::isinf(sum)) {
                    EXPECT_EQ(found, float(sum)) << o;
                }
                EXPECT_EQ(std::isfinite(sum), std::isfinite(squares)) << o;
            }
        }
}

// Products of positions, with rows for all threads and without; in steps; of channels that are not
// whole vectors.
const auto name_of = [](const ::testing::TestParamInfo<Images>& info) {
    const Images& s = info.param;
    return fmt::format("{}x{}x{}x{}_to_{}_taps_{}_stride_{}", s.batch, s.in, s.height, s.width,
                       s.out, s.taps, s.stride);
};
INSTANTIATE_TEST_SUITE_P(Pointwise, MeasuredConvolutions,
                         ::testing::Values(Images{4, 64, 256, 28, 28, 0, 0, 1},
                                           Images{4, 256, 512, 7, 7, 0, 0, 1},
                                           Images{4, 64, 128, 28, 28, 0, 0, 1, 2},
                                           Images{3, 48, 40, 13, 11, 0, 0, 1},
                                           Images{2, 1600, 64, 9, 9, 0, 0, 1}),
                         name_of);
// Winograd's tiles: block by block of tiles, all tiles and then all products, block by block of
// weights.
INSTANTIATE_TEST_SUITE_P(Tiles, MeasuredConvolutions,
                         ::testing::Values(Images{4, 64, 64, 28, 28, 1, 1},
                                           Images{1, 256, 256, 30, 27, 1, 1},
                                           Images{2, 256, 256, 14, 14, 1, 1}),
                         name_of);
// Left to others: large steps, few channels.
INSTANTIATE_TEST_SUITE_P(Others, MeasuredConvolutions,
                         ::testing::Values(Images{2, 3, 32, 40, 40, 3, 3, 7, 2},
                                           Images{16, 3, 8, 20, 20, 1, 1},
                                           Images{1, 5, 7, 3, 3, 1, 1}),
                         name_of);

TEST(MeasuredConvolution, of_nothing_is_nothing) {
    const Case c({0, 16, 32, 8, 8, 0, 0, 1}, MemoryOrder::row_major);
    const Measured m = run(c, MemoryOrder::row_major);
    for (int64_t o = 0; o < 32; ++o) {
        EXPECT_EQ(m.sums.elements<float>()[o], 0);
        EXPECT_EQ(m.squares.elements<float>()[o], 0);
    }
}

}  // namespace
}  // namespace catena
