// Products and convolutions of float64 against their definitions, of many sizes, and with the same
// bits on any number of threads.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/product/gemm.h"

namespace catena {
namespace {

class DoubleKernels : public ::testing::Test {
protected:
    ~DoubleKernels() override { set_thread_count(threads_); }

    int64_t any(int64_t least, int64_t most) {
        return std::uniform_int_distribution<int64_t>(least, most)(random_);
    }
    Array random(const Shape& shape) {
        std::vector<double> values(size_t(element_count(shape)));
        for (double& v : values) v = std::normal_distribution<double>()(random_);
        return Array::from(values, shape);
    }
    static Array empty(const Shape& shape) { return Array::full({Dtype::float64, shape}, 7.0); }

    /// What `compute` writes to `results`, which is the same on one thread and on three.
    std::vector<double> computed(const std::vector<Array>& results,
                                 const std::function<void()>& compute) {
        std::vector<double> values[2];
        for (int i = 0; i < 2; ++i) {
            set_thread_count(1 + 2 * i);
            compute();
            for (const Array& result : results)
                values[i].insert(values[i].end(), result.elements<double>(),
                                 result.elements<double>() + result.size());
        }
        const auto same = [](double a, double b) {
            return a == b || (std::isnan(a) && std::isnan(b));
        };
        EXPECT_TRUE(std::ranges::equal(values[0], values[1], same)) << "threads change bits";
        return values[0];
    }
    static void expect_near(const std::vector<double>& values,
                            const std::vector<double>& expected) {
        ASSERT_EQ(values.size(), expected.size());
        for (size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(expected[i]))
                EXPECT_TRUE(std::isnan(values[i])) << i;
            else if (std::isinf(expected[i]))
                EXPECT_EQ(values[i], expected[i]) << i;
            else
                ASSERT_NEAR(values[i], expected[i], 1e-11 * (1 + std::abs(expected[i]))) << i;
        }
    }

private:
    std::mt19937_64 random_{7};
    const int threads_ = thread_count();
};

struct Problem {
    Shape x, W, y;
    WindowSteps steps;
};

/// Which pixel of a channel a position sees through a tap.
struct Sight {
    int64_t pixel, tap, position;
};

/// All that lie inside of the image.
std::vector<Sight> sights_of(const Problem& p, int64_t window, int64_t positions) {
    std::vector<Sight> sights;
    for (int64_t position = 0; position < positions; ++position)
        for (int64_t tap = 0; tap < window; ++tap) {
            bool inside = true;
            int64_t pixel = 0, step = 1, rest_p = position, rest_t = tap;
            for (int d = p.x.rank() - 3; d >= 0; --d) {
                const int64_t at = rest_p % p.y[d + 2] * p.steps.stride[d] - p.steps.pad[d] +
                                   rest_t % p.W[d + 2] * p.steps.dilate[d];
                inside = inside && at >= 0 && at < p.x[d + 2];
                pixel += at * step;
                step *= p.x[d + 2], rest_p /= p.y[d + 2], rest_t /= p.W[d + 2];
            }
            if (inside) sights.push_back({pixel, tap, position});
        }
    return sights;
}

/// Calls f(x, W, y) with the places of the factors and the sum of every multiplication.
template <class F>
void for_each_multiplication(const Problem& p, F&& f) {
    const int64_t in = p.W[1], out = p.W[0] / p.steps.groups,
                  window = element_count(p.W) / (p.W[0] * in),
                  positions = element_count(p.y) / (p.y[0] * p.y[1]),
                  pixels = element_count(p.x) / (p.x[0] * p.x[1]);
    const std::vector<Sight> sights = sights_of(p, window, positions);
    for (int64_t n = 0; n < p.y[0]; ++n)
        for (int64_t o = 0; o < p.y[1]; ++o)
            for (int64_t c = 0; c < in; ++c)
                for (const Sight& s : sights)
                    f((n * p.x[1] + o / out * in + c) * pixels + s.pixel,
                      (o * in + c) * window + s.tap, (n * p.y[1] + o) * positions + s.position);
}

TEST_F(DoubleKernels, convolve_as_the_definition_says) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        const int64_t groups = any(1, 3), in = any(1, 4);
        Problem p{.x = {any(1, 3), groups * in},
                  .W = {groups * any(1, 20), in},
                  .y = {},
                  .steps = {.stride = {}, .pad = {}, .dilate = {}, .groups = groups}};
        p.y = {p.x[0], p.W[0]};
        for (int64_t axis = any(1, 3); axis > 0; --axis) {
            const int64_t kernel = any(1, 4), dilate = any(1, 2), stride = any(1, 3),
                          pad = any(0, 3), reach = (kernel - 1) * dilate + 1;
            const int64_t most =
                trial % 20 == 1 && axis == 1
                    ? 700
                    : 9;  // Then what all positions see is more than is kept at a time.
            const int64_t size = std::max(any(most == 9 ? 1 : most / 2, most), reach - 2 * pad);
            p.x.push_back(size), p.W.push_back(kernel),
                p.y.push_back((size + 2 * pad - reach) / stride + 1 +
                              (any(0, 3) == 0));  // Some reach over the end.
            p.steps.stride.push_back(stride), p.steps.pad.push_back(pad),
                p.steps.dilate.push_back(dilate);
        }
        const Array x = random(p.x), W = random(p.W), gy = random(p.y), b = random({p.W[0]});
        const bool has_bias = any(0, 1) == 1;
        if (trial % 8 == 0) {  // What is beside an image is not there, not 0.
            W.to_fill<double>()[any(0, W.size() - 1)] = infinity;
            gy.to_fill<double>()[any(0, gy.size() - 1)] = infinity;
        }
        std::vector<double> y(size_t(gy.size())), gx(size_t(x.size())), gW(size_t(W.size()));
        for (size_t i = 0; has_bias && i < y.size(); ++i)
            y[i] = b.elements<double>()[int64_t(i) / (gy.size() / (p.y[0] * p.y[1])) % p.y[1]];
        const double *const xs = x.elements<double>(), *const Ws = W.elements<double>(),
                            *const gys = gy.elements<double>();
        for_each_multiplication(p, [&](int64_t from, int64_t by, int64_t to) {
            y[size_t(to)] += xs[from] * Ws[by];
            gx[size_t(from)] += gys[to] * Ws[by];
            gW[size_t(by)] += xs[from] * gys[to];
        });
        const Array got_y = empty(p.y), got_gx = empty(p.x), got_gW = empty(p.W);
        expect_near(
            computed({got_y}, [&] { convolve(x, W, has_bias ? b : Array(), p.steps, got_y); }), y);
        expect_near(computed({got_gx}, [&] { convolve_data(gy, W, p.steps, got_gx); }), gx);
        expect_near(computed({got_gW}, [&] { convolve_weights(x, gy, p.steps, got_gW); }), gW);
    }
}

TEST_F(DoubleKernels, multiply_matrices_as_the_definition_says) {
    for (int trial = 0; trial < 200; ++trial) {
        SCOPED_TRACE(trial);
        const int64_t m = any(1, 130), n = any(1, 70),
                      k = trial % 4 == 0 ? any(500, 1100) : any(0, 40), batch = any(1, 3);
        const bool transa = any(0, 1) == 1, transb = any(0, 1) == 1, is_shared = any(0, 1) == 1;
        const Array a = random(transa ? Shape{batch, k, m} : Shape{batch, m, k});
        const Shape matrix = transb ? Shape{n, k} : Shape{k, n};
        const Array b = random(is_shared ? matrix : Shape{batch, matrix[0], matrix[1]});
        const double *const as = a.elements<double>(), *const bs = b.elements<double>();
        std::vector<double> expected(size_t(batch * m * n));
        for (int64_t q = 0; q < batch; ++q)
            for (int64_t i = 0; i < m; ++i)
                for (int64_t j = 0; j < n; ++j)
                    for (int64_t p = 0; p < k; ++p)
                        expected[size_t((q * m + i) * n + j)] +=
                            as[q * m * k + (transa ? p * m + i : i * k + p)] *
                            bs[(is_shared ? 0 : q * k * n) + (transb ? j * k + p : p * n + j)];
        const Array y = empty({batch, m, n});
        expect_near(computed({y}, [&] { matmul_arrays(a, b, transa, transb, y); }), expected);
    }
}

}  // namespace
}  // namespace catena
