// `catena run` and the models and graphs that `catena call` writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/file/npy.h"
#include "frontend/serializer/npz.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

class Run : public ::testing::Test {
protected:
    Run() {
        save_npy(path("x.npy"),
                 Array::from<float>(std::vector<float>{-1, 0, 2, 0.5, -3, 4}, {2, 3}));
    }
    std::string path(const std::string& name) const {
        return ::testing::TempDir() + "catena_run_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name;
    }
    static CommandResult catena(const std::string& arguments) {
        return run(program("catena") + " " + arguments);
    }
    static bool is_without_onnx(const CommandResult& written) {
        return written.status != 0 && written.output.find("without ONNX") != std::string::npos;
    }
};

TEST_F(Run, a_graph_for_graphviz_names_calls_and_types) {
    const auto result = catena("call softmax " + path("x.npy") + " --dot " + path("g.dot"));
    ASSERT_EQ(result.status, 0) << result.output;
    std::stringstream text;
    text << std::ifstream(path("g.dot")).rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("digraph \"softmax\""));
    EXPECT_THAT(text.str(), HasSubstr("x0 float32[2,3]"));
    EXPECT_THAT(text.str(), HasSubstr("[label=\"float32[2,1]\"]"));
}

TEST_F(Run, a_model_gives_what_the_function_gave) {
    const auto written =
        catena("call leaky_relu " + path("x.npy") + " --set slope=0.5 --onnx " + path("m.onnx"));
    if (is_without_onnx(written)) GTEST_SKIP() << written.output;
    ASSERT_EQ(written.status, 0) << written.output;
    for (const char* flag : {"", " --eager"}) {
        const auto result =
            catena("run " + path("m.onnx") + " " + path("x.npy") + " -o " + path("y.npz") + flag);
        ASSERT_EQ(result.status, 0) << result.output;
        EXPECT_THAT(result.output, HasSubstr("y float32[2,3]"));
        EXPECT_EQ(NpzFile(path("y.npz")).read("y").to_vector<float>(),
                  (std::vector<float>{-0.5, 0, 2, 0.5, -1.5, 4}));
    }
}

TEST_F(Run, an_array_that_no_input_is_called_is_named_with_the_inputs) {
    const auto written = catena("call leaky_relu " + path("x.npy") + " --onnx " + path("m.onnx"));
    if (is_without_onnx(written)) GTEST_SKIP() << written.output;
    ASSERT_EQ(written.status, 0) << written.output;
    save_npz(path("in.npz"), {{"image", load_npy(path("x.npy"))}});
    const auto result = catena("run " + path("m.onnx") + " " + path("in.npz"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(
        result.output,
        HasSubstr("in.npz has an array 'image'; the inputs are x, or x0 x1 ... in this order"));
}

TEST_F(Run, an_input_may_be_made_instead_of_read) {
    const auto written = catena("call relu " + path("x.npy") + " --onnx " + path("m.onnx"));
    if (is_without_onnx(written)) GTEST_SKIP() << written.output;
    ASSERT_EQ(written.status, 0) << written.output;
    const std::string run = "run " + path("m.onnx") + " --eager ";
    const auto result = catena(run + "--input x=2x3:float32 -o " + path("y.npz") + " --print");
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, ::testing::ContainsRegex("y float32.2,3. *\\{"));
    EXPECT_EQ(NpzFile(path("y.npz")).read("y").shape(), (Shape{2, 3}));
    EXPECT_THAT(catena(run + "--input x=2by3 2>&1").output,
                HasSubstr("--input x=2by3: write NAME=SIZExSIZE:DTYPE"));
    EXPECT_THAT(catena(run + "--input z=2x3 2>&1").output,
                HasSubstr("--input z: there is no such input; there are x"));
    EXPECT_THAT(catena(run + "--input x=2x3x 2>&1").output,
                HasSubstr("--input x=2x3x: write NAME=SIZExSIZE:DTYPE"));
    EXPECT_THAT(catena(run + "--input x=2x3 --input x=3x2 2>&1").output,
                HasSubstr("run: --input x=3x2: x is given twice"));
    EXPECT_THAT(catena(run + "--input x=2x9999999999x9999999999 2>&1").output,
                ::testing::AllOf(HasSubstr("float32[2,9999999999,9999999999]"),
                                 ::testing::Not(HasSubstr("std::vector"))));
}

TEST_F(Run, results_that_cannot_be_written_are_an_error) {
    const auto written = catena("call relu " + path("x.npy") + " --onnx " + path("m.onnx"));
    if (is_without_onnx(written)) GTEST_SKIP() << written.output;
    for (const std::string& command :
         {"run " + path("m.onnx") + " --eager " + path("x.npy"), "show " + path("x.npy"),
          std::string("info"), std::string("--help")})
        for (const char* where : {" > /dev/full", " >&-"}) {
            const auto result =
                testing::run("{ " + program("catena") + " " + command + where + "; }");
            EXPECT_NE(result.status, 0) << command << where;
            EXPECT_THAT(result.output, HasSubstr("catena: standard output could not be written: "))
                << command << where;
        }
}

TEST_F(Run, a_file_that_is_no_program_is_told_what_it_should_be) {
    const auto written = catena("call relu " + path("x.npy") + " --onnx " + path("m.onnx"));
    if (is_without_onnx(written)) GTEST_SKIP() << written.output;
    std::filesystem::copy_file(path("m.onnx"), path("noend"),
                               std::filesystem::copy_options::overwrite_existing);
    for (const std::string& command :
         {"export " + path("m.onnx") + " --c " + path("c"), "show " + path("noend")}) {
        const auto result = catena(command);
        EXPECT_NE(result.status, 0);
        EXPECT_THAT(result.output, HasSubstr("is no program of Catena (.catena)")) << command;
        EXPECT_THAT(result.output, HasSubstr("the names of models end with .onnx")) << command;
    }
    EXPECT_THAT(catena("export p.catena --c d --size n=1 --size n=2").output,
                HasSubstr("export: --size n=2: this size is given twice"));
}

TEST_F(Run, the_ports_of_a_model_are_shown) {
    const auto written = catena("call relu " + path("x.npy") + " --onnx " + path("m.onnx"));
    if (is_without_onnx(written)) GTEST_SKIP() << written.output;
    ASSERT_EQ(written.status, 0) << written.output;
    const auto shown = catena("show " + path("m.onnx"));
    EXPECT_EQ(shown.status, 0) << shown.output;
    EXPECT_THAT(shown.output, HasSubstr("input    x float32[2,3]"));
}

TEST_F(Run, no_model_is_an_error_that_names_the_file) {
    const auto result = catena("run " + path("none.onnx"));
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("none.onnx"));
}

}  // namespace
}  // namespace catena::testing
