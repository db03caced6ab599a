// `catena call` as a user runs it: files in, text and files out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/file/npy.h"
#include "frontend/serializer/npz.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

std::map<std::string, Array> read_arrays(const std::string& path) {
    const NamedArrays arrays = read_npz(path);
    return {arrays.begin(), arrays.end()};
}

class Call : public ::testing::Test {
protected:
    std::string path(const std::string& name) const {
        return ::testing::TempDir() + "catena_call_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name;
    }
    static CommandResult call(const std::string& arguments) {
        return run(program("catena") + " call " + arguments);
    }
    static Array matrix() {
        return Array::from<float>(std::vector<float>{-1, 0, 2, 0.5, -3, 4}, {2, 3});
    }
};

TEST_F(Call, prints_type_and_values) {
    save_npy(path("x.npy"), matrix());
    const auto result = call("relu " + path("x.npy"));
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("y0 float32[2,3]"));
    EXPECT_THAT(result.output, HasSubstr("0.5"));
}

TEST_F(Call, set_gives_arguments_by_name) {
    save_npy(path("x.npy"), matrix());
    const auto result =
        call("leaky_relu " + path("x.npy") + " --set slope=0.5 -o " + path("y.npz"));
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(read_arrays(path("y.npz")).at("y0").to_vector<float>(),
              (std::vector<float>{-0.5, 0, 2, 0.5, -1.5, 4}));
}

TEST_F(Call, set_gives_arrays_by_name) {
    save_npy(path("x.npy"), matrix());
    save_npy(path("t.npy"), Array::from<int32_t>(std::vector<int32_t>{0, 2}, {2}));
    save_npy(path("w.npy"), Array::from<float>(std::vector<float>{1, 2, 0.5}, {3}));
    const std::string call_on = "softmax_cross_entropy " + path("x.npy") + " " + path("t.npy");
    const auto in_order = call(call_on + " " + path("w.npy")),
               by_name = call(call_on + " --set class_weight=[1,2,0.5]"), plain = call(call_on);
    ASSERT_EQ(by_name.status, 0) << by_name.output;
    EXPECT_EQ(by_name.output, in_order.output);
    EXPECT_NE(by_name.output, plain.output);
    EXPECT_EQ(call(call_on + " --set class_weight=None").output, plain.output);
    const auto rows =
        call("linear " + path("x.npy") + " --set 'W=[[1,0,0],[0,1,0]]' --set b=[10,20]");
    ASSERT_EQ(rows.status, 0) << rows.output;
    EXPECT_THAT(rows.output, HasSubstr("y0 float32[2,2]"));
    EXPECT_THAT(rows.output, HasSubstr("20"));
}

TEST_F(Call, what_is_no_array_is_refused_in_an_array_s_place) {
    save_npy(path("x.npy"), matrix());
    save_npy(path("t.npy"), Array::from<int32_t>(std::vector<int32_t>{0, 2}, {2}));
    const std::string call_on = "softmax_cross_entropy " + path("x.npy") + " " + path("t.npy");
    for (const char* wrong : {"'\"abc\"'", "[1,[2,3],4]", "[[1,2],[3]]", "[1,None,2]"}) {
        const auto result = call(call_on + " --set class_weight=" + wrong);
        EXPECT_EQ(WEXITSTATUS(result.status), 1) << wrong << ": " << result.output;
        EXPECT_THAT(result.output, HasSubstr("class_weight is an array")) << wrong;
    }
    const auto wrong_size = call(call_on + " --set class_weight=[1,2]");
    EXPECT_THAT(wrong_size.output, HasSubstr("class_weight should be [3], it is [2]"));
    const auto twice = call(call_on + " --set t=[0,1]");
    EXPECT_NE(twice.status, 0);
    EXPECT_THAT(twice.output, HasSubstr("the array t is given twice"));
}

TEST_F(Call, a_function_of_a_list_takes_the_whole_list) {
    for (const char* name : {"a.npy", "b.npy", "c.npy"}) save_npy(path(name), matrix());
    const auto result = call("concat " + path("a.npy") + " " + path("b.npy") + " " + path("c.npy") +
                             " --set axis=0");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("y0 float32[6,3]"));
}

// y = tanh(x): gx = gy (1 - y^2); of sum(gx ggx) the gradients are -2 y (1 - y^2) gy ggx and (1 -
// y^2) ggx.
void expect_tanh_gradients(const std::string& flags, const std::string& in,
                           const std::string& out) {
    const std::vector<double> x = {-1, 0.25, 2}, gy = {1, 2, -1}, ggx = {0.5, 1, 3};
    save_npz(in, NamedArrays{{"x0", Array::from(x, {3})},
                             {"gy0", Array::from(gy, {3})},
                             {"ggx0", Array::from(ggx, {3})}});
    const auto result = run(program("catena") + " call tanh " + in + " -o " + out + flags);
    ASSERT_EQ(result.status, 0) << result.output;
    const auto results = read_arrays(out);
    for (const char* key : {"y0", "gx0", "gxx0", "ggy0"}) ASSERT_TRUE(results.contains(key)) << key;
    for (size_t i = 0; i < 3; ++i) {
        const double y = std::tanh(x[i]), d = 1 - y * y;
        EXPECT_NEAR(results.at("y0").to_vector<double>()[i], y, 1e-12);
        EXPECT_NEAR(results.at("gx0").to_vector<double>()[i], gy[i] * d, 1e-12);
        EXPECT_NEAR(results.at("gxx0").to_vector<double>()[i], -2 * y * d * gy[i] * ggx[i], 1e-12);
        EXPECT_NEAR(results.at("ggy0").to_vector<double>()[i], d * ggx[i], 1e-12);
    }
}

TEST_F(Call, gradients_and_gradients_of_gradients) {
    expect_tanh_gradients("", path("x.npz"), path("y.npz"));
}

TEST_F(Call, compiled_gives_the_same) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    expect_tanh_gradients(" --compiled", path("x.npz"), path("y.npz"));
}

TEST_F(Call, an_output_that_does_not_depend_on_x_gives_zeros) {
    save_npz(path("x.npz"), NamedArrays{{"x0", matrix()}, {"gy0", matrix()}});
    const auto result = call("sign " + path("x.npz") + " -o " + path("y.npz"));
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(read_arrays(path("y.npz")).at("gx0").to_vector<float>(), std::vector<float>(6, 0));
}

TEST_F(Call, test_mode_makes_dropout_the_identity) {
    save_npy(path("x.npy"), matrix());
    const auto result = call("dropout " + path("x.npy") + " --test -o " + path("y.npz"));
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(read_arrays(path("y.npz")).at("y0").to_vector<float>(), matrix().to_vector<float>());
}

TEST_F(Call, a_wrong_name_gets_the_nearest_ones) {
    save_npy(path("x.npy"), matrix());
    const auto result = call("leaky_rellu " + path("x.npy"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("leaky_relu"));
}

TEST_F(Call, a_wrong_argument_is_named) {
    save_npy(path("x.npy"), matrix());
    const auto result = call("leaky_relu " + path("x.npy") + " --set slop=0.5");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("slop"));
}

TEST_F(Call, a_wrong_shape_of_gy_is_named) {
    save_npz(path("x.npz"),
             NamedArrays{{"x0", matrix()}, {"gy0", Array::zeros({Dtype::float32, {5}})}});
    const auto result = call("relu " + path("x.npz"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("gy0 is float32[5]"));
}

TEST_F(Call, a_broken_file_is_an_error_and_not_a_crash) {
    std::ofstream(path("x.npy")) << "\x93NUMPY nonsense";
    const auto result = call("relu " + path("x.npy"));
    EXPECT_EQ(WEXITSTATUS(result.status), 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("x.npy"));
}

TEST_F(Call, an_error_names_no_line_of_the_framework) {
    save_npy(path("x.npy"), matrix());
    const auto result = call("matmul " + path("x.npy") + " " + path("x.npy"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("matmul: "));
    EXPECT_THAT(result.output, ::testing::Not(HasSubstr(".cpp:")));
}

TEST_F(Call, a_missing_x_is_named) {
    save_npz(path("x.npz"), NamedArrays{{"x0", matrix()}, {"x2", matrix()}});
    const auto result = call("concat " + path("x.npz"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("no x1"));
}

TEST_F(Call, lists_functions) {
    const auto result = call("--list");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("leaky_relu(x, slope=0.2)\n"));
}

TEST_F(Call, help_after_a_function_is_about_it) {
    const auto result = call("leaky_relu --help");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output,
                HasSubstr("leaky_relu(x, slope=0.2)\n  x where x >= 0, elsewhere slope * x (Maas "
                          "et al. 2013, \"Rectifier Nonlinearities Improve Neural\n  "));
    EXPECT_THAT(result.output, HasSubstr("\n  slope    The factor of negative values.\n"));
    EXPECT_THAT(result.output, HasSubstr("\n  arrays, in this order, from files: x\n"
                                         "  the others by --set NAME=JSON\n"));
    EXPECT_EQ(call("relu --help").output,
              "relu(x)\n  max(0, x), elementwise. The gradient at 0 is 0. Floats only.\n\n"
              "  arrays, in this order, from files: x\n");
    const auto general = call("--help");
    EXPECT_EQ(general.status, 0) << general.output;
    EXPECT_THAT(general.output, HasSubstr("--compiled"));
}

TEST_F(Call, without_a_function_it_says_where_they_are) {
    const auto result = call("2>&1");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("catena call --list"));
}

}  // namespace
}  // namespace catena::testing
