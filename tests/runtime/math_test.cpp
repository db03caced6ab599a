#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/cpu/blocks/block_kernels.h"
#include "tests/runtime/kernel_call.h"

namespace catena {
namespace {

struct Function {
    Intrinsic intrinsic;
    double (*truth)(double);
};
const Function functions[] = {
    {Intrinsic::neg, [](double x) { return -x; }},
    {Intrinsic::abs, std::fabs},
    {Intrinsic::floor, std::floor},
    {Intrinsic::ceil, std::ceil},
    {Intrinsic::trunc, std::trunc},
    {Intrinsic::sqrt, std::sqrt},
    {Intrinsic::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {Intrinsic::exp, std::exp},
    {Intrinsic::expm1, std::expm1},
    {Intrinsic::log, std::log},
    {Intrinsic::log1p, std::log1p},
    {Intrinsic::sin, std::sin},
    {Intrinsic::cos, std::cos},
    {Intrinsic::tanh, std::tanh},
    {Intrinsic::erf, std::erf},
    {Intrinsic::erfc, std::erfc},
};

std::vector<const BlockKernels*> instruction_sets() {
    std::vector<const BlockKernels*> sets;
    for (const BlockKernels* kernels :
         {block_kernels_default(), block_kernels_avx2(), block_kernels_avx512()})
        if (kernels) sets.push_back(kernels);
    return sets;
}

std::vector<float> run(const BlockKernels& kernels, Intrinsic op, const std::vector<float>& x) {
    std::vector<float> y(x.size());
    kernels.operation[int(Compute::float32)][int(op)](y.data(), x.data(), x.data(), x.data(),
                                                      int64_t(x.size()), 0);
    return y;
}

double spacing_at(double truth) {
    const int exponent = truth == 0 ? -126 : std::max(std::ilogb(truth), -126);
    return std::ldexp(1.0, exponent - 23);
}

/// Two floats of every exponent and sign hundreds of times over: a stride through all bit patterns.
std::vector<float> sample() {
    std::vector<float> x;
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 19'997)
        x.push_back(std::bit_cast<float>(uint32_t(bits)));
    return x;
}

TEST(Math, float32_functions_are_within_two_ulp_on_every_instruction_set) {
    const std::vector<float> x = sample();
    for (const BlockKernels* kernels : instruction_sets())
        for (const Function& function : functions) {
            const std::vector<float> y = run(*kernels, function.intrinsic, x);
            for (size_t i = 0; i < x.size(); ++i) {
                const double truth = function.truth(x[i]);
                if (std::isnan(truth)) {
                    ASSERT_TRUE(std::isnan(y[i]))
                        << info_of(function.intrinsic).name << ' ' << x[i];
                    continue;
                }
                if (float(truth) == y[i]) continue;  // Equal infinities too.
                ASSERT_LE(std::abs(y[i] - truth) / spacing_at(truth), 2)
                    << kernels->instruction_set << ' ' << info_of(function.intrinsic).name << '('
                    << x[i] << ") is " << y[i];
            }
        }
}

TEST(Math, float32_functions_are_right_at_the_borders) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const float least = std::numeric_limits<float>::denorm_min(),
                most = std::numeric_limits<float>::max();
    const std::vector<float> x = {0.0f,      -0.0f,    inf,     -inf,   nan,       least,
                                  -least,    most,     -most,   1.0f,   -1.0f,     88.72283f,
                                  88.72284f, -103.97f, -104.0f, -87.4f, 0x1p-126f, 1e30f};
    for (const BlockKernels* kernels : instruction_sets())
        for (const Function& function : functions) {
            const std::vector<float> y = run(*kernels, function.intrinsic, x);
            for (size_t i = 0; i < x.size(); ++i) {
                const double truth = function.truth(x[i]);
                const std::string what = std::string(kernels->instruction_set) + ' ' +
                                         std::string(info_of(function.intrinsic).name) + " of " +
                                         std::to_string(x[i]);
                if (std::isnan(truth)) {
                    EXPECT_TRUE(std::isnan(y[i])) << what;
                    continue;
                }
                if (std::isinf(float(truth)) || truth == 0) {
                    EXPECT_EQ(y[i], float(truth)) << what;
                    EXPECT_EQ(std::signbit(y[i]), std::signbit(truth)) << what;
                    continue;
                }
                EXPECT_LE(std::abs(y[i] - truth) / spacing_at(truth), 2)
                    << what << ' ' << y[i] << ' ' << truth;
            }
        }
}

TEST(Math, an_element_does_not_depend_on_its_place_in_the_block) {
    std::vector<float> x;
    for (int i = 0; i < 67; ++i) x.push_back(float(i) * 0.7f - 20);
    for (const BlockKernels* kernels : instruction_sets())
        for (const Function& function : functions) {
            const std::vector<float> whole = run(*kernels, function.intrinsic, x);
            for (size_t i = 0; i < x.size(); ++i) {
                const float single = run(*kernels, function.intrinsic, {x[i]})[0];
                EXPECT_EQ(std::bit_cast<uint32_t>(single), std::bit_cast<uint32_t>(whole[i]))
                    << info_of(function.intrinsic).name << ' ' << x[i];
            }
        }
}

TEST(Math, float64_functions_are_within_two_ulp) {
    std::vector<double> x;
    for (double value = 1e-300; value < 1e300; value *= 3.7)
        for (double sign : {1.0, -1.0}) x.push_back(sign * value);
    for (const Function& function : functions) {
        Formula formula{.input_count = 1};
        formula.outputs = {emit(function.intrinsic, detail::input_symbol(&formula, 0)).id()};
        const std::vector<double> y =
            test::map(formula, {Array::from(x, {int64_t(x.size())})}, Dtype::float64)
                .to_vector<double>();
        for (size_t i = 0; i < x.size(); ++i) {
            const double truth = function.truth(x[i]);
            if (std::isnan(truth)) {
                EXPECT_TRUE(std::isnan(y[i])) << info_of(function.intrinsic).name << ' ' << x[i];
                continue;
            }
            if (truth == y[i]) continue;
            EXPECT_LE(std::abs(y[i] - truth), 2 * std::abs(std::nextafter(truth, HUGE_VAL) - truth))
                << info_of(function.intrinsic).name << ' ' << x[i];
        }
    }
}

TEST(Math, pow_and_fmod_agree_with_the_standard_library) {
    const Formula formula =
        make_formula<2, 0>([](auto a, auto b) { return std::tuple(pow(a, b), fmod(a, b)); });
    test::Numbers numbers(3);
    for (Dtype dtype : {Dtype::float32, Dtype::float64}) {
        std::vector<double> a = {0, 0, 2, -2, -2}, b = {0, 3, 0.5, 3, 0.5};
        for (int i = 0; i < 1000; ++i) {
            a.push_back(numbers.uniform(-3, 10));
            b.push_back(numbers.uniform(-5, 5));
        }
        const Array x = Array::from(a, {int64_t(a.size())}).astype(dtype),
                    y = Array::from(b, {int64_t(b.size())}).astype(dtype);
        const auto r = test::map_all(formula, {x, y}, {dtype, dtype});
        a = x.to_vector<double>(), b = y.to_vector<double>();
        const std::vector<double> powers = r[0].to_vector<double>(),
                                  rests = r[1].to_vector<double>();
        const double tolerance = dtype == Dtype::float32 ? 3e-7 : 1e-15;
        for (size_t i = 0; i < a.size(); ++i) {
            const double power = std::pow(a[i], b[i]);
            if (std::isnan(power))
                EXPECT_TRUE(std::isnan(powers[i]));
            else
                EXPECT_NEAR(powers[i], power, tolerance * std::abs(power));
            if (b[i] == 0)
                EXPECT_TRUE(std::isnan(rests[i]));
            else
                EXPECT_EQ(rests[i], std::fmod(a[i], b[i]));
        }
    }
}

}  // namespace
}  // namespace catena
