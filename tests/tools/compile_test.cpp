// `catena compile`: from a model's file to a program or to C, without writing code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "frontend/serializer/npz.h"
#include "runtime/file/npy.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "tests/support/command.h"
#ifdef CATENA_HAS_ONNX
#include "frontend/onnx/export.h"
#endif

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

const std::string caffe_model = CATENA_SOURCE_DIR "/tests/caffe/data/exported.caffemodel";

class CompileModel : public ::testing::Test {
protected:
    CompileModel() {
        save_npy(path("x.npy"),
                 Array::from<float>(std::vector<float>{-1, 0, 2, 0.5, -3, 4}, {2, 3}));
    }
    std::string path(const std::string& name) const {
        return ::testing::TempDir() + "catena_compile_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name;
    }
    static CommandResult catena(const std::string& arguments) {
        return run(program("catena") + " " + arguments + " 2>&1");
    }
    /// False where this build cannot write one.
    bool write_model() const {
        return catena("call leaky_relu " + path("x.npy") + " --set slope=0.5 --onnx " +
                      path("m.onnx"))
                   .status == 0;
    }
    static bool needs_compiler(const CommandResult& result) {
        return result.status != 0 && result.output.find("compiler") != std::string::npos;
    }
};

TEST_F(CompileModel, gives_a_program_that_computes_what_the_model_does) {
    if (!write_model()) GTEST_SKIP() << "without ONNX";
    const auto made = catena("compile " + path("m.onnx") + " -o " + path("m.catena"));
    if (needs_compiler(made)) GTEST_SKIP() << made.output;
    ASSERT_EQ(made.status, 0) << made.output;
    EXPECT_THAT(made.output, HasSubstr("1 inputs, 1 outputs, all sizes fixed; code for "));
    const auto result =
        catena("run " + path("m.catena") + " " + path("x.npy") + " -o " + path("y.npz"));
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(NpzFile(path("y.npz")).read("y").to_vector<float>(),
              (std::vector<float>{-0.5, 0, 2, 0.5, -1.5, 4}));
}

TEST_F(CompileModel, writes_c_beside_or_instead_of_a_program) {
    if (!write_model()) GTEST_SKIP() << "without ONNX";
    const std::string compile = "compile " + path("m.onnx") + " --name net --c " + path("c");
    const auto alone = catena(compile);
    if (needs_compiler(alone)) GTEST_SKIP() << alone.output;
    ASSERT_EQ(alone.status, 0) << alone.output;
    EXPECT_THAT(alone.output, HasSubstr("link with: net.c net_kernels.o"));
    for (const char* name : {"net.h", "net.c", "net_kernels.o", "net.weights"})
        EXPECT_TRUE(std::filesystem::exists(path("c") + "/" + name)) << name;
    const auto both = catena(compile + " -o " + path("net.catena"));
    ASSERT_EQ(both.status, 0) << both.output;
    EXPECT_TRUE(std::filesystem::exists(path("net.catena")));
}

TEST_F(CompileModel, says_what_a_caffe_model_lacks) {
    const auto without = catena("compile " + caffe_model + " -o " + path("m.catena"));
    EXPECT_NE(without.status, 0);
    if (without.output.find("without Caffe") != std::string::npos) GTEST_SKIP() << without.output;
    EXPECT_THAT(without.output, HasSubstr("give --input NAME=SIZExSIZE:DTYPE"));
}

TEST_F(CompileModel, takes_a_caffe_model_at_the_sizes_that_are_given) {
    const NpzFile known(CATENA_SOURCE_DIR "/tests/caffe/data/exported.npz");
    const Array x = known.read("in/data");
    save_npy(path("data.npy"), x);
    std::string sizes;
    for (int axis = 0; axis < x.rank(); ++axis)
        sizes += (axis ? "x" : "") + std::to_string(x.dim(axis));
    const auto made = catena("compile " + caffe_model + " --input data=" + sizes + ":float32 -o " +
                             path("m.catena"));
    if (needs_compiler(made) || made.output.find("without Caffe") != std::string::npos)
        GTEST_SKIP() << made.output;
    ASSERT_EQ(made.status, 0) << made.output;
    const auto result =
        catena("run " + path("m.catena") + " " + path("data.npy") + " -o " + path("y.npz"));
    ASSERT_EQ(result.status, 0) << result.output;
    const NpzFile results(path("y.npz"));
    ASSERT_EQ(results.keys().size(), 1u);
    const std::string key = results.keys()[0];
    const auto y = results.read(key).to_vector<float>(),
               expected = known.read("out/" + key).to_vector<float>();
    ASSERT_EQ(y.size(), expected.size());
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5);
}

TEST_F(CompileModel, refuses_what_it_cannot_mean) {
    EXPECT_THAT(catena("compile x.catena --c d").output,
                HasSubstr("x.catena is a compiled program; `catena export` writes it as C"));
    EXPECT_THAT(catena("compile m.onnx").output,
                HasSubstr("where to? -o FILE.catena writes a program, --c FOLDER plain C"));
    EXPECT_THAT(catena("compile m.onnx --c d --level avx2,scalar").output,
                HasSubstr("C is for one instruction set, --level gives 2: avx2, scalar"));
    EXPECT_THAT(catena("compile " + path("none.onnx") + " -o " + path("m.catena")).output,
                HasSubstr("none.onnx"));
    if (!write_model()) GTEST_SKIP() << "without ONNX";
    const std::string compile = "compile " + path("m.onnx") + " -o " + path("m.catena");
    EXPECT_THAT(
        catena(compile + " --size bach=1").output,
        HasSubstr("compile: --size bach: " + path("m.onnx") + " has no such name; it has none"));
    EXPECT_THAT(catena(compile + " --input z=2x3").output, HasSubstr("has no such name; it has x"));
    EXPECT_THAT(catena(compile + " --input x=6").output,
                HasSubstr("x is float32 of 2 axes in " + path("m.onnx") + ", not float32[6]"));
}

#ifdef CATENA_HAS_ONNX

TEST_F(CompileModel, keeps_sizes_open_that_the_model_leaves_open) {
    onnx::export_function([](std::span<const Variable> xs) { return Variables{relu(xs[0]) * 2}; },
                          {Variable(Array::zeros({Dtype::float32, {4, 3}}))}, path("m.onnx"),
                          {.open_sizes = {{0, 0, "batch"}}});
    const std::string compile = "compile " + path("m.onnx");
    const auto made = catena(compile + " -o " + path("m.catena"));
    if (needs_compiler(made)) GTEST_SKIP() << made.output;
    ASSERT_EQ(made.status, 0) << made.output;
    EXPECT_THAT(made.output, HasSubstr("open sizes: batch;"));
    for (const char* rows : {"1", "7"}) {
        const auto result = catena("run " + path("m.catena") + " --input x=" + rows +
                                   std::string("x3:float32 -o ") + path("y.npz"));
        ASSERT_EQ(result.status, 0) << result.output;
        EXPECT_EQ(NpzFile(path("y.npz")).read("y").shape()[0], rows[0] - '0');
    }
    EXPECT_THAT(catena(compile + " --c " + path("c")).output,
                HasSubstr("the sizes of C are fixed, batch is open: give --size batch=NUMBER"));
    EXPECT_THAT(
        catena("export " + path("m.catena") + " --c " + path("c") + " --size bach=1").output,
        HasSubstr("has no open size 'bach'; it has batch"));
    const auto c = catena(compile + " --size batch=1 --c " + path("c"));
    EXPECT_EQ(c.status, 0) << c.output;
    const auto fixed = catena(compile + " --size batch=5 -o " + path("fixed.catena"));
    EXPECT_THAT(fixed.output, HasSubstr("all sizes fixed"));
    EXPECT_NE(catena("run " + path("fixed.catena") + " --input x=4x3:float32").status, 0);
}

#endif

}  // namespace
}  // namespace catena::testing
