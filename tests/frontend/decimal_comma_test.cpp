// Programs that have chosen a locale with a decimal comma: numbers are read and written with a
// point, in files, messages and compiled programs.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "runtime/core/system/read_number.h"
#include "runtime/ops/by_name/function.h"
#include "tests/support/decimal_comma.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;

class DecimalCommaInOwnProcess : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::DecimalComma::is_on()) GTEST_SKIP() << "this libc has no locale with a comma";
        ASSERT_EQ((std::ostringstream() << 1.5).str(), "1,5");
    }
    std::string folder_ = ::testing::TempDir() + "decimal_comma";
    test::DecimalComma comma_{folder_};
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
};

TEST_F(DecimalCommaInOwnProcess, literals_have_points) {
    EXPECT_EQ(std::get<double>(parse_literal("0.5").value), 0.5);
    EXPECT_EQ(std::get<double>(parse_literal("1/8").value), 0.125);
    EXPECT_EQ(std::get<int64_t>(parse_literal("12").value), 12);
    EXPECT_THROW(parse_literal("0,5"), ValueError);
    EXPECT_EQ(read_number<double>("1.5e3"), 1500);
    EXPECT_EQ(read_number<float>("1,5"), std::nullopt);
}

TEST_F(DecimalCommaInOwnProcess, texts_are_written_and_read) {
    std::filesystem::create_directories(folder_);
    const Array x = array({{1.5, -2000.25}, {1e300, 0.1}});
    savetxt(path("x.txt"), x);
    std::ifstream file(path("x.txt"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text, "1.5 -2000.25\n1e+300 0.1\n");
    EXPECT_EQ(loadtxt(path("x.txt"), {.dtype = Dtype::float64}).to_vector<double>(),
              x.to_vector<double>());
    EXPECT_THAT(fromstring("1e999 -1e-999 2.5", Dtype::float64, " ").to_vector<double>(),
                ElementsAre(INFINITY, 0, 2.5));
    EXPECT_EQ(to_text(array({0.25, 1234567.0})), "[      0.25 1234567.00]");
    std::ostringstream out;
    out << array({1.5f});
    EXPECT_EQ(out.str(), "[1.5]");
}

TEST_F(DecimalCommaInOwnProcess, regions_are_compiled_with_the_same_numbers) {
    const auto f = [](const Variable& x) { return pow(x * 0.125 + 2.5, 0.5) / 3.75; };
    auto compiled = static_graph(f);
    const Variable x(array({1.5f, 2.25f, 1000.0f}));
    const std::vector<float> expected = f(x).array().to_vector<float>();
    for (int i = 0; i < 3; ++i) {
        const auto y = compiled(x).array().to_vector<float>();
        for (size_t k = 0; k < y.size(); ++k) EXPECT_FLOAT_EQ(y[k], expected[k]);
    }
}

}  // namespace
}  // namespace catena::testing
