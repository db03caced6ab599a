// Operators between Arrays, their forms in place, and how arrays are printed and kept in text
// files.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <type_traits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/print_array.h"
#include "runtime/file/text.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/layout/from_lists.h"
#include "runtime/ops/math/array_operators.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(ArrayOperators, stay_arrays) {
    const Array a = array({6, 7, 8}), b = array({3, 2, 1});
    const auto is = [](const Array& y, const char* text) { EXPECT_EQ(to_string(y), text); };
    is(a + b, "int32[3] {9, 9, 9}");
    is(a - 1, "int32[3] {5, 6, 7}");
    is(2 * a, "int32[3] {12, 14, 16}");
    is(a / b, "float32[3] {2, 3.5, 8}");
    is(a % b, "int32[3] {0, 1, 0}");
    is((a & b) | (a ^ 1), "int32[3] {7, 6, 9}");
    is(a << 1, "int32[3] {12, 14, 16}");
    is(1 << b, "int32[3] {8, 4, 2}");
    is(a >> b, "int32[3] {0, 1, 4}");
    is(a > 6.5, "bool[3] {false, true, true}");
    is(b < a, "bool[3] {true, true, true}");
    is(a == 7, "bool[3] {false, true, false}");
    is(a != 7, "bool[3] {true, false, true}");
    is(!(a == 7) && b > 1, "bool[3] {true, false, false}");
    is(-a, "int32[3] {-6, -7, -8}");
    is(~b, "int32[3] {-4, -3, -2}");
    is(a * 0.5, "float32[3] {3, 3.5, 4}");
}

TEST(ArrayOperators, two_arrays_are_equal_when_they_are_the_same) {
    const Array a = array({1, 2}), same = a, other = array({1, 2});
    const bool is_same = a == same, is_other = a == other;
    EXPECT_TRUE(is_same);
    EXPECT_FALSE(is_other);
}

TEST(ArrayOperators, with_a_variable_give_a_variable) {
    const Variable x(array({1.f, 2.f}));
    const Array a = array({3.f, 4.f});
    EXPECT_THAT(grad({sum(a * x + x - a)}, {x})[0].array().to_vector<float>(), ElementsAre(4, 5));
}

TEST(ArrayOperators, errors_show_the_line) {
    const std::string message = message_of<ShapeError>([] { array({1, 2}) + array({1, 2, 3}); });
    EXPECT_THAT(message, HasSubstr("shapes must broadcast"));
    EXPECT_THAT(message, HasSubstr("array_operators_test.cpp:" + std::to_string(__LINE__ - 2)));
}

TEST(InPlace, rebinds_the_handle) {
    Array a = array({1, 2});
    const Array before = a;
    a += 1;
    a *= array({10, 20});
    a -= 5;
    a %= 8;
    a <<= 1;
    a |= 1;
    EXPECT_EQ(to_string(a), "int32[2] {15, 15}");
    EXPECT_EQ(to_string(before), "int32[2] {1, 2}");
}

TEST(InPlace, keeps_the_type) {
    Array a = array({1, 2});
    EXPECT_THAT(
        message_of<DtypeError>([&] { a += 0.5; }),
        HasSubstr(
            "+=: the result is float32[2], the left side int32[2]; cast the left side first"));
    EXPECT_THROW(a /= 2, DtypeError);
    EXPECT_THAT(message_of<ShapeError>([&] { a += array({{1, 2}, {3, 4}}); }),
                HasSubstr("broadcast the left side first"));
    EXPECT_EQ(to_string(a), "int32[2] {1, 2}");
}

TEST(InPlace, goes_on_with_the_graph_of_a_variable) {
    const Variable x(array({2.f, 3.f}));
    Variable y = x * 1.0;
    y *= x;
    y += 1;
    EXPECT_THAT(grad({sum(y)}, {x})[0].array().to_vector<float>(), ElementsAre(4, 6));
}

TEST(ArrayOperators, an_array_and_a_variable_are_compared_by_elements) {
    const Array a = array({1.f, 2.f});
    const Variable x(array({1.f, 3.f}));
    EXPECT_EQ(to_string(Array(a == x)), "bool[2] {true, false}");
    EXPECT_EQ(to_string(Array(x == a)), "bool[2] {true, false}");
}

TEST(ArrayOperators, a_variable_becomes_an_array_where_no_gradient_is_lost) {
    const Array a = array({0.f, 1.f});
    const Array z = exp(a);
    EXPECT_FLOAT_EQ(z.to_vector<float>()[1], std::exp(1.0f));
    Array sum_of_both = z;
    sum_of_both += exp(a);
    EXPECT_FLOAT_EQ(sum_of_both.to_vector<float>()[1], 2 * std::exp(1.0f));
    const Variable x(a);
    EXPECT_THAT(message_of<ValueError>([&] { const Array lost = exp(x); }),
                HasSubstr("a Variable is used as an Array: it is float32[2] with a gradient"));
    EXPECT_THROW(sum_of_both += exp(x), ValueError);
    const Array kept = exp(x).detach();
    EXPECT_FLOAT_EQ(kept.to_vector<float>()[0], 1);
    static_assert(std::is_same_v<decltype(a * 2.0), Array>);
    static_assert(std::is_same_v<decltype(x * 2.0), Variable>);
    static_assert(std::is_same_v<decltype(2.0 - x), Variable>);
    static_assert(std::is_same_v<decltype(a + x), Variable>);
    static_assert(std::is_same_v<decltype(x + a), Variable>);
    static_assert(std::is_same_v<decltype(-x), Variable>);
}

TEST(ArrayOperators, members_convert_move_and_detach) {
    const Variable x(array({1.5f, 2.5f}));
    const Variable y = x.astype(Dtype::float64) * 2.0;
    EXPECT_EQ(to_string(grad({sum(y)}, {x})[0].array()), "float32[2] {2, 2}");
    EXPECT_FALSE(x.detach().requires_grad());
    EXPECT_EQ(x.detach().array().body(), x.array().body());
    EXPECT_EQ(to_string(grad({sum(x.to(cpu_device()) * 3.0)}, {x})[0].array()),
              "float32[2] {3, 3}");
}

TEST(ArrayOperators, slices_are_arrays) {
    const Array x = array({{1, 2, 3}, {4, 5, 6}});
    EXPECT_EQ(to_string(at(x, {slice(), 1})), "int32[2] {2, 5}");
    EXPECT_EQ(to_string(at(x, {ellipsis, slice(1, {})})), "int32[2,2] {{2, 3}, {5, 6}}");
    EXPECT_EQ(to_string(at(x, {newaxis, -1}).shape()), "[1,3]");
    EXPECT_EQ(to_string(at(x, {x > 4})), "int32[2] {5, 6}");
    const Array row = x[1];
    EXPECT_EQ(to_string(row), "int32[3] {4, 5, 6}");
    const Array column = x[{slice(), -1}];
    EXPECT_EQ(to_string(column), "int32[2] {3, 6}");
    EXPECT_EQ((x[{0, 2}].item<int>()), 3);
    EXPECT_THAT(message_of<ValueError>([&] { x[2]; }), HasSubstr("array_operators_test.cpp:"));
}

TEST(Print, is_aligned_in_columns) {
    std::ostringstream out;
    out << array({{1.0, -2.5}, {10.0, 0.0}});
    EXPECT_EQ(out.str(), "[[ 1.0 -2.5]\n [10.0  0.0]]");
    EXPECT_EQ(fmt::format("{}", array({1, -20})), "[  1 -20]");
    EXPECT_EQ(fmt::format("{:>8}", Array::scalar(3)), "       3");
    EXPECT_EQ(to_text(Array::from<bool>({true, false})), "[ true false]");
}

TEST(Print, has_an_empty_line_between_matrices) {
    EXPECT_EQ(to_text(array({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})),
              "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]");
}

TEST(Print, writes_no_more_digits_than_are_needed) {
    EXPECT_EQ(to_text(array({0.1f, 0.25f})), "[0.10 0.25]");
    EXPECT_EQ(to_text(array({1.0 / 3}), {.precision = 3}), "[0.333]");
    EXPECT_EQ(to_text(array({1e10, 1.5})), "[1.0e+10 1.5e+00]");
    EXPECT_EQ(to_text(array({1e-7, 0.0})), "[1.0e-07 0.0e+00]");
    EXPECT_EQ(to_text(array({double(NAN), -double(INFINITY), 1.5})), "[ nan -inf  1.5]");
}

TEST(Print, shortens_large_arrays) {
    std::vector<int> many(2000, 1);
    EXPECT_EQ(to_text(array(many)), "[1 1 1 ... 1 1 1]");
    EXPECT_EQ(to_text(array({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), {.threshold = 4, .edge_items = 1}),
              "[[1 ... 3]\n ...\n [7 ... 9]]");
}

class TextFile : public testing::Test {
protected:
    // Tests run beside each other: each has a file of its own.
    std::string path_ = testing::TempDir() + "catena_text_file_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
    void write(const std::string& text) { std::ofstream(path_) << text; }
    void TearDown() override { std::remove(path_.c_str()); }
};

TEST_F(TextFile, numbers_are_read_as_a_matrix) {
    write("# a b c\n1 2 3\n\n4 5e0 -6  # last\n");
    EXPECT_EQ(to_string(loadtxt(path_)), "float32[2,3] {{1, 2, 3}, {4, 5, -6}}");
    EXPECT_EQ(to_string(loadtxt(path_, {.dtype = Dtype::int64, .columns = {-1, 0}})),
              "int64[2,2] {{3, 1}, {-6, 4}}");
    EXPECT_EQ(to_string(loadtxt(path_, {.unpack = true})),
              "float32[3,2] {{1, 4}, {2, 5}, {3, -6}}");
    EXPECT_EQ(to_string(loadtxt(path_, {.skip_rows = 2})), "float32[3] {4, 5, -6}");
}

TEST_F(TextFile, columns_may_have_a_delimiter) {
    write("1, 2\n+3,nan\n");
    EXPECT_EQ(to_string(loadtxt(path_, {.delimiter = ","})), "float32[2,2] {{1, 2}, {3, nan}}");
}

TEST_F(TextFile, what_is_no_number_is_told_with_its_line) {
    write("1 2\n3 x\n");
    EXPECT_THAT(message_of<FileError>([&] { loadtxt(path_); }),
                HasSubstr("line 2: 'x' is no float32"));
    write("1 2\n3\n");
    EXPECT_THAT(message_of<FileError>([&] { loadtxt(path_); }),
                HasSubstr("line 2 has 1 columns, those before have 2"));
    write("300\n");
    EXPECT_THAT(message_of<FileError>([&] { loadtxt(path_, {.dtype = Dtype::uint8}); }),
                HasSubstr("'300' is no uint8"));
    write("1.5\n");
    EXPECT_THAT(message_of<FileError>([&] { loadtxt(path_, {.dtype = Dtype::int32}); }),
                HasSubstr("'1.5' is no int32"));
    write("1 2\n");
    EXPECT_THAT(message_of<FileError>([&] { loadtxt(path_, {.columns = {2}}); }),
                HasSubstr("column 2 is not there"));
}

TEST_F(TextFile, a_byte_order_mark_is_no_number) {
    write(
        "\xef\xbb\xbf"
        "1 2\n3 4\n");
    EXPECT_EQ(to_string(loadtxt(path_)), "float32[2,2] {{1, 2}, {3, 4}}");
    EXPECT_EQ(to_string(fromfile(path_, Dtype::int32, -1, " ")), "int32[4] {1, 2, 3, 4}");
    EXPECT_EQ(fromfile(path_, Dtype::uint8).size(), 11) << "its bytes are all there";
    write("\xef\xbb\xbf");
    EXPECT_EQ(loadtxt(path_).size(), 0);
}

TEST_F(TextFile, options_have_numpys_names_too) {
    write("a b c\n1 2 3\n4 5 6\n");
    EXPECT_EQ(to_string(loadtxt(path_, {.skiprows = 1, .usecols = {0, -1}})),
              "float32[2,2] {{1, 3}, {4, 6}}");
}

TEST_F(TextFile, what_was_saved_is_read_again) {
    const Array x = array({{0.1f, -2.f}, {1e-30f, 3e20f}});
    savetxt(path_, x, {.header = "two\nlines"});
    const Array again = loadtxt(path_);
    EXPECT_EQ(again.to_vector<float>(), x.to_vector<float>());
    EXPECT_EQ(to_string(again.shape()), "[2,2]");
    savetxt(path_, array({1.25, 2.0}), {.digits = 1});
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    EXPECT_EQ(text.str(), "1.2\n2.0\n");
    EXPECT_THROW(savetxt(path_, Array::zeros({Dtype::float32, {1, 1, 1}})), ShapeError);
}

TEST_F(TextFile, plain_elements_and_npy) {
    const Array x = array({{1, 2}, {3, 4}});
    tofile(path_, x);
    EXPECT_EQ(to_string(fromfile(path_, Dtype::int32)), "int32[4] {1, 2, 3, 4}");
    EXPECT_EQ(to_string(fromfile(path_, Dtype::int32, 2)), "int32[2] {1, 2}");
    EXPECT_THAT(message_of<FileError>([&] { fromfile(path_, Dtype::int64, 3); }), HasSubstr(path_));
    save(path_, x);
    EXPECT_EQ(to_string(load(path_)), to_string(x));
    write("1 2\n3");
    EXPECT_EQ(to_string(fromfile(path_, Dtype::float32, -1, " ")), "float32[3] {1, 2, 3}");
}

TEST(FromString, reads_text_and_bytes) {
    EXPECT_EQ(to_string(fromstring("1, 2,3", Dtype::int64, ",")), "int64[3] {1, 2, 3}");
    EXPECT_EQ(to_string(fromstring(" 9223372036854775807 ", Dtype::int64, " ")),
              "int64[1] {9223372036854775807}");
    EXPECT_EQ(to_string(fromstring("ab", Dtype::uint8)), "uint8[2] {97, 98}");
    EXPECT_THAT(message_of<ValueError>([] { fromstring("1,,2", Dtype::float32, ","); }),
                HasSubstr("'' is no float32"));
    EXPECT_THAT(message_of<ValueError>([] { fromstring("abc", Dtype::int16); }),
                HasSubstr("3 bytes are no whole number of int16"));
    const std::byte bytes[] = {std::byte{1}, std::byte{2}, std::byte{0}, std::byte{9}};
    EXPECT_EQ(to_string(frombuffer(bytes, Dtype::int16, 1, 1)), "int16[1] {2}");
}

// Python's x[0] = y writes into x; here the element is a temporary, and an assignment to it would
// be lost.
TEST(ArrayOperators, what_an_expression_gives_cannot_be_assigned_to) {
    static_assert(std::is_assignable_v<Array&, Array> && std::is_assignable_v<Variable&, Variable>);
    static_assert(!std::is_assignable_v<Array, Array> && !std::is_assignable_v<Variable, Variable>);
    static_assert(std::is_nothrow_move_constructible_v<Array> &&
                  std::is_nothrow_move_constructible_v<Variable>);
}

}  // namespace
}  // namespace catena
