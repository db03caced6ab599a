#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/core/dtype/dtype.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

TEST(Dtype, names_are_numpys_and_parse_back) {
    for (int i = 0; i < dtype_count; ++i) EXPECT_EQ(parse_dtype(name_of(Dtype(i))), Dtype(i));
    EXPECT_EQ(name_of(Dtype::bool_), "bool");
    EXPECT_EQ(name_of(Dtype::bfloat16), "bfloat16");
}

TEST(Dtype, an_unknown_name_is_refused_with_the_list) {
    try {
        parse_dtype("float33");
        FAIL() << "not refused";
    } catch (const DtypeError& error) {
        EXPECT_NE(std::string(error.what()).find("float33"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("bfloat16"), std::string::npos);
    }
}

TEST(Dtype, promotion_follows_the_table) {
    // Rows and columns in the order of the enum: bool i8 i16 i32 i64 u8 f16 bf16 f32 f64.
    constexpr Dtype b = Dtype::bool_, i8 = Dtype::int8, i16 = Dtype::int16, i32 = Dtype::int32,
                    i64 = Dtype::int64, u8 = Dtype::uint8, f16 = Dtype::float16,
                    bf = Dtype::bfloat16, f32 = Dtype::float32, f64 = Dtype::float64;
    constexpr Dtype table[10][10] = {
        {b, i8, i16, i32, i64, u8, f16, bf, f32, f64},
        {i8, i8, i16, i32, i64, i16, f16, bf, f32, f64},
        {i16, i16, i16, i32, i64, i16, f16, bf, f32, f64},
        {i32, i32, i32, i32, i64, i32, f16, bf, f32, f64},
        {i64, i64, i64, i64, i64, i64, f16, bf, f32, f64},
        {u8, i16, i16, i32, i64, u8, f16, bf, f32, f64},
        {f16, f16, f16, f16, f16, f16, f16, f32, f32, f64},
        {bf, bf, bf, bf, bf, bf, f32, bf, f32, f64},
        {f32, f32, f32, f32, f32, f32, f32, f32, f32, f64},
        {f64, f64, f64, f64, f64, f64, f64, f64, f64, f64},
    };
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j)
            EXPECT_EQ(promote(Dtype(i), Dtype(j)), table[i][j])
                << name_of(Dtype(i)) << ", " << name_of(Dtype(j));
}

/// The float nearest to `value` among those with `mantissa` bits, computed with exact scaling; ties
/// to even.
double nearest(double value, int mantissa, int least_exponent, double largest) {
    if (value == 0 || std::isinf(value)) return value;
    const int exponent = std::max(std::ilogb(value), least_exponent);
    const double step = std::ldexp(1.0, exponent - mantissa);
    const double rounded = std::nearbyint(value / step) * step;
    return std::abs(rounded) > largest
               ? std::copysign(std::numeric_limits<double>::infinity(), value)
               : rounded;
}

/// Floats of all exponents, with the patterns around rounding ties.
template <class F>
void for_telling_floats(F f) {
    for (uint32_t high = 0; high < 0x10000; ++high)
        for (uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u,
                             0x7fffu, 0x8000u, 0x8001u, 0xffffu})
            f(__builtin_bit_cast(float, high << 16 | low));
}

TEST(Half, rounds_to_nearest_even_everywhere) {
    for_telling_floats([](float x) {
        const float got = Half(x);
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(got));
            return;
        }
        ASSERT_EQ(got, nearest(x, 10, -14, 65504)) << x;
        ASSERT_EQ(std::signbit(got), std::signbit(x)) << x;
    });
}

TEST(Half, every_pattern_survives_a_round_trip) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        Half half;
        half.bits = uint16_t(bits);
        const float value = half;
        if (std::isnan(value)) {
            ASSERT_TRUE(std::isnan(float(Half(value))));
            continue;
        }
        ASSERT_EQ(Half(value).bits, bits);
    }
    Half least;
    least.bits = 1;
    EXPECT_EQ(float(least), 0x1p-24f);
}

TEST(BFloat16, rounds_to_nearest_even_everywhere) {
    for_telling_floats([](float x) {
        const float got = BFloat16(x);
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(got));
            return;
        }
        ASSERT_EQ(got, nearest(x, 7, -126, 0x1.fep127)) << x;
    });
}

}  // namespace
}  // namespace catena
