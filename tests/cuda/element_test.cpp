// Operations that are computed element by element on a device, at the sizes where they change:
// against the host.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Function = std::function<Variables(const std::vector<Variable>&)>;

/// Eagerly on the emulated device and on the host; integers and moved floats must have the same
/// bits.
void expect_same(const Function& function, const std::vector<Array>& inputs, double tolerance = 0) {
    const int64_t before = kernel_provider().host_calls();
    std::vector<Variable> here, there;
    for (const Array& input : inputs) {
        here.emplace_back(input, false);
        there.emplace_back(input.to(EmulatedDevice::instance()), false);
    }
    const Variables expected = function(here), actual = function(there);
    ASSERT_EQ(expected.size(), actual.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(to_string(actual[i].array().type()), to_string(expected[i].array().type()));
        const std::vector<double> a = actual[i].array().to(cpu_device()).to_vector<double>(),
                                  e = expected[i].array().to_vector<double>();
        for (size_t k = 0; k < e.size(); ++k) {
            if (std::isnan(a[k]) && std::isnan(e[k])) continue;
            ASSERT_NEAR(a[k], e[k], tolerance * (1 + std::abs(e[k])))
                << "output " << i << ", element " << k;
        }
    }
    EXPECT_EQ(kernel_provider().host_calls(), before) << "the host was asked";
}

/// Few different values, so that there are ties, and some that are not numbers.
Array scattered(const Shape& shape, Dtype dtype = Dtype::float32) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = double((i * 7919) % 101) - 50;
    if (is_float(dtype))
        for (size_t i = 5; i < values.size(); i += 97) values[i] = std::nan("");
    return Array::from(values, shape).astype(dtype);
}

Array places(const Shape& shape, int64_t size) {
    std::vector<int64_t> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = int64_t((i * 31 + i / 7) % size_t(size));
    return Array::from(values, shape);
}

TEST(CudaElements, sorts_lines_of_every_length) {
    const Function sorted = [](const std::vector<Variable>& v) {
        return Variables{argsort(v[0], 1), sort(v[0], 0)};
    };
    for (int64_t size : {1, 2, 255, 256, 257, 513, 1300})
        expect_same(sorted, {scattered({3, size, 2})});
    expect_same(sorted, {scattered({2, 700}, Dtype::int32)});
    expect_same(sorted, {scattered({2, 300}, Dtype::float16)});
    expect_same(sorted, {scattered({2, 300}, Dtype::bool_)});
}

TEST(CudaElements, finds_the_first_best_place_in_lines_of_every_length) {
    for (int64_t size : {1, 1024, 1025, 5000})
        expect_same(
            [](const std::vector<Variable>& v) {
                return Variables{argmax(v[0], 1), argmin(v[0], 1), argmax(v[1], 1)};
            },
            {scattered({2, size, 3}), scattered({2, size}, Dtype::int64)});
}

TEST(CudaElements, sums_run_along_lines_of_every_length) {
    const Function run = [](const std::vector<Variable>& v) {
        return Variables{cumsum(v[0], 1), cumsum(flip(v[0], 1), 1)};
    };
    for (int64_t size : {1, 1000, 1025, 3001}) {
        expect_same(run, {scattered({2, size, 2}, Dtype::int32)});
        std::vector<double> waves(size_t(size) * 2);
        for (size_t i = 0; i < waves.size(); ++i) waves[i] = std::sin(double(i));
        expect_same(run, {Array::from(waves, {2, size}).astype(Dtype::float32)}, 1e-5);
        expect_same(run, {Array::from(waves, {2, size}).astype(Dtype::float16)}, 0);
    }
}

TEST(CudaElements, scatters_add_in_the_order_of_their_places) {
    // As many places as take several merges; sums have the host's bits.
    for (int64_t count : {1, 200, 300, 1100})
        expect_same(
            [](const std::vector<Variable>& v) {
                Variable x = v[0];
                const Variable rows = take(x, v[1], 0) * 0.37;
                return Variables{rows, scatter_add(x, {v[1], Slice{}}, rows)};
            },
            {scattered({40, 3}, Dtype::float64), places({count}, 40)});
}

TEST(CudaElements, gradients_of_embeddings_stay_on_the_device) {
    auto gradient = [](Device& device) {
        Variable W(scattered({30, 4}).to(device));
        Variable loss = sum(square(embed_id(Variable(places({5, 9}, 30).to(device), false), W, 3)));
        loss.backward();
        return W.grad().to(cpu_device()).to_vector<double>();
    };
    const int64_t before = kernel_provider().host_calls();
    const std::vector<double> there = gradient(EmulatedDevice::instance()),
                              here = gradient(cpu_device());
    for (size_t i = 0; i < here.size(); ++i)
        EXPECT_TRUE(there[i] == here[i] || std::isnan(here[i])) << i;
    EXPECT_EQ(kernel_provider().host_calls(), before);
}

TEST(CudaElements, joins_and_pads) {
    expect_same(
        [](const std::vector<Variable>& v) {
            Variables parts = split_axis(v[0], 2, 1);
            return Variables{concat({v[0], v[1]}, 0),
                             stack({v[0], v[0]}, 1),
                             pad(v[0], {1, 0}, {2, 3}, 2.5),
                             flip(v[0], 1),
                             parts[1],
                             one_hot(v[2], 7),
                             v[0][{slice(3, std::nullopt, -2), slice(1, 4)}]};
        },
        {scattered({4, 6}), scattered({2, 6}), places({3, 2}, 7)});
}

TEST(CudaElements, an_index_out_of_range_is_told_when_results_are_read) {
    const Variable x(scattered({5, 2}).to(EmulatedDevice::instance()), false);
    const Variable i(Array::from<int64_t>({1, 9}).to(EmulatedDevice::instance()), false);
    const Variable y = take(x, i, 0);
    try {
        y.array().to(cpu_device());
        FAIL() << "nothing was thrown";
    } catch (const ValueError& error) {
        EXPECT_THAT(
            error.what(),
            AllOf(HasSubstr("take: index 9 is outside of axis 0 of size 5, which takes -5 to 4"),
                  HasSubstr("emulated"), HasSubstr("element_test.cpp")));
    }
    EXPECT_EQ(y.array().to(cpu_device()).to_vector<double>()[2], 0)
        << "told once; the element is 0";
}

}  // namespace
}  // namespace catena::testing
