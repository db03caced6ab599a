#include "runtime/core/system/read_number.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(ReadNumber, takes_one_number_and_nothing_else) {
    EXPECT_EQ(read_number<double>("1.5"), 1.5);
    EXPECT_EQ(read_number<double>("+1.5e3"), 1500);
    EXPECT_EQ(read_number<float>("-.5"), -0.5f);
    EXPECT_EQ(read_number<double>("7."), 7);
    EXPECT_EQ(read_number<double>("inf"), std::numeric_limits<double>::infinity());
    EXPECT_EQ(read_number<double>("-Infinity"), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(*read_number<double>("nan")));
    for (const char* text :
         {"", "+", "-", "+-1", "++1", "1,5", "1 ", " 1", "1x", "e5", "0x10", "."})
        EXPECT_EQ(read_number<double>(text), std::nullopt) << text;
}

TEST(ReadNumber, gives_infinity_or_0_where_the_type_ends) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(read_number<double>("1e309"), inf);
    EXPECT_EQ(read_number<double>("-1e309"), -inf);
    EXPECT_EQ(read_number<double>("1e-400"), 0);
    EXPECT_TRUE(std::signbit(*read_number<double>("-1e-400")));
    EXPECT_EQ(read_number<double>("0." + std::string(400, '0') + "1"), 0);
    EXPECT_EQ(read_number<double>(std::string(400, '9') + ".5"), inf);
    EXPECT_EQ(read_number<double>(std::string(400, '9') + "e-800"), 0);
    EXPECT_EQ(read_number<double>("1e99999999999999999999"), inf);
    EXPECT_EQ(read_number<double>("1e-99999999999999999999"), 0);
    EXPECT_EQ(read_number<double>("0e99999999999999999999"), 0);
    EXPECT_EQ(read_number<float>("1e39"), std::numeric_limits<float>::infinity());
    EXPECT_EQ(read_number<float>("1e-50"), 0);
    EXPECT_EQ(read_number<double>("4.9e-324"), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(read_number<float>("1e-45"), std::numeric_limits<float>::denorm_min());
}

}  // namespace
}  // namespace catena
