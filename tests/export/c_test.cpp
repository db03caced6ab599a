// Programs in C: packages through the C interface, and programs exported as C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/c_export/c_export.h"
#include "frontend/c_export/c_text.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/serializer/npz.h"
#include "runtime/capi.h"
#include "runtime/program/file/program.h"
#include "tests/export/saved_step.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class InC : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
        set_seed(7);
        Training training;
        auto step = static_graph(std::ref(training), {.name = "step"});
        for (int i = 0; i < 3; ++i) step(batch(i, 8), labels(i, 8));
        step.save(path(), {.input_names = {"x", "t"}, .output_names = {"loss"}});
    }
    static std::string path() { return temporary("x.catena"); }
    /// What three steps of the package lose.
    static std::vector<double> losses(const std::string& file) {
        Program program = Program::load(file);
        std::vector<double> result;
        for (int i = 0; i < 3; ++i)
            result.push_back(
                program.run({batch(i, 8).array(), labels(i, 8).array()})[0].item<double>());
        return result;
    }
};

TEST_F(InC, a_package_runs_without_the_compiler) {
    const CommandResult result =
        run(program("run_program") + " " + path() + " " + temporary("y.catena"));
    ASSERT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    for (double expected : losses(path())) {
        std::string name;
        double loss = 0;
        lines >> name >> loss;
        EXPECT_EQ(name, "loss");
        EXPECT_NEAR(loss, expected, 1e-6);
    }
    EXPECT_THAT(result.output, HasSubstr("/l1/W rank 2, 16 by 6"));
    EXPECT_THAT(result.output, HasSubstr("refused: program step: 1 arrays are given, it takes 2"));
    EXPECT_THAT(result.output, HasSubstr("LLVM is not there"));
    EXPECT_NE(Program::load(temporary("y.catena")).state("/l1/W").to_vector<float>(),
              Program::load(path()).state("/l1/W").to_vector<float>());
}

TEST_F(InC, the_tool_runs_shows_and_saves_packages) {
    save_npz(temporary("in.npz"), {{"x", batch(0, 8).array()}, {"t", labels(0, 8).array()}});
    const CommandResult result =
        run(program("catena") + " run " + path() + " " + temporary("in.npz") + " -o " +
            temporary("out.npz") + " --save " + temporary("y.catena"));
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_NEAR(NpzFile(temporary("out.npz")).read("loss").item<double>(), losses(path())[0], 1e-6);
    EXPECT_NE(losses(temporary("y.catena")), losses(path()));
    const CommandResult shown = run(program("catena") + " show " + path());
    EXPECT_THAT(shown.output, HasSubstr("input    x float32[8,6]"));
    EXPECT_THAT(shown.output, HasSubstr("state    /l1/W float32[16,6]"));
    EXPECT_THAT(shown.output, HasSubstr("number   alpha = 0.001"));
    EXPECT_THAT(run(program("catena") + " show " + path() + " --stage program.dot").output,
                HasSubstr("digraph"));
}

TEST_F(InC, an_operation_is_called_by_name) {
    float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, y[4] = {};
    const int64_t sizes[] = {2, 2}, transposed[] = {1, 2};
    const catena_tensor inputs[] = {{a, CATENA_FLOAT32, 2, sizes, nullptr},
                                    {b, CATENA_FLOAT32, 2, sizes, transposed}};
    catena_tensor output = {y, CATENA_FLOAT32, 2, sizes, nullptr};
    const OpDef* op = nullptr;
    for (const OpDef* known : all_ops())
        if (known->kind == Kind::contract && known->kernel && known->input_count == 2 && !op)
            op = known;
    ASSERT_TRUE(op);
    char error[256] = "";
    catena_op_call call = {"no such operation", nullptr, nullptr, inputs, &output, 0, 0, 2, 1};
    EXPECT_EQ(catena_call_op(&call, error, sizeof error), CATENA_FAILED);
    EXPECT_THAT(error, HasSubstr("no such operation: there is no operation of this name"));
    call.op = op->name.c_str();
    call.input_count = 1;
    EXPECT_EQ(catena_call_op(&call, error, sizeof error), CATENA_FAILED);
    EXPECT_THAT(error, HasSubstr("1 inputs are given, it takes 2"));
}

/// One call of C with inputs and outputs of float32; the error, empty where it succeeds.
std::string error_of(const char* op, const std::vector<catena_attribute>& attributes,
                     const catena_tensor& x, const catena_tensor& y) {
    const catena_op_call call = {
        op, attributes.data(), nullptr, &x, &y, int32_t(attributes.size()), 0, 1, 1};
    char error[512] = "";
    const int status = catena_call_op(&call, error, sizeof error);
    EXPECT_EQ(status == CATENA_OK, error[0] == 0) << error;
    return error;
}

class OpInC : public ::testing::Test {
protected:
    static catena_attribute axis(int64_t axis) {
        return {"axis", CATENA_INTEGER, 0, axis, 0, nullptr, nullptr};
    }
    static catena_attribute axes(const char* name, const std::vector<int64_t>& axes) {
        return {name, CATENA_DIMS, int32_t(axes.size()), 0, 0, nullptr, axes.data()};
    }
    float x_[6] = {-1, 0, 1, 2, 3, 4}, y_[6] = {};
    const int64_t sizes_[2] = {2, 3}, turned_[2] = {3, 2}, rows_[1] = {2};
    const catena_tensor x = {x_, CATENA_FLOAT32, 2, sizes_, nullptr},
                        y = {y_, CATENA_FLOAT32, 2, sizes_, nullptr},
                        turned = {y_, CATENA_FLOAT32, 2, turned_, nullptr},
                        rows = {y_, CATENA_FLOAT32, 1, rows_, nullptr};
};

TEST_F(OpInC, maps_reductions_and_softmax_are_computed) {
    EXPECT_EQ(error_of("relu", {}, x, y), "");
    EXPECT_THAT(y_, ::testing::ElementsAre(0, 0, 1, 2, 3, 4));
    EXPECT_EQ(
        error_of("sum", {axes("axes", {-1}), {"keepdims", CATENA_FLAG, 0, 0, 0, nullptr, nullptr}},
                 x, rows),
        "");
    EXPECT_EQ(y_[0], 0);
    EXPECT_EQ(y_[1], 9);
    EXPECT_EQ(error_of("transpose", {axes("axes", {-1, 0})}, x, turned), "");
    EXPECT_THAT(y_, ::testing::ElementsAre(-1, 2, 0, 3, 1, 4));
    for (int64_t last : {1, -1}) {
        EXPECT_EQ(error_of("softmax", {axis(last)}, x, y), "");
        const double all = std::exp(-2) + std::exp(-1) + 1;
        for (int i = 0; i < 6; ++i) EXPECT_NEAR(y_[i], std::exp(i % 3 - 2) / all, 1e-6) << i;
    }
}

TEST_F(OpInC, axes_that_are_not_there_are_refused) {
    for (const char* op : {"softmax", "log_softmax", "cumsum"})
        for (int64_t wrong :
             {int64_t(-3), int64_t(2), int64_t(7), int64_t(-1000000), int64_t(1) << 40})
            EXPECT_THAT(error_of(op, {axis(wrong)}, x, y),
                        HasSubstr(fmt::format("{}: axis {} is not one of an array of 2 dimensions",
                                              op, wrong)));
    EXPECT_THAT(error_of("transpose", {axes("axes", {5, -9})}, x, turned),
                HasSubstr("transpose: axis 5 is not one"));
    EXPECT_THAT(error_of("transpose", {axes("axes", {0, 0})}, x, turned),
                HasSubstr("axis 0 appears twice"));
    EXPECT_THAT(error_of("transpose", {axes("axes", {0})}, x, turned),
                HasSubstr("transpose: axes [0] is not a permutation of the 2 axes"));
    EXPECT_EQ(error_of("softmax", {}, x, y), "softmax: attribute axis is missing");
    EXPECT_EQ(error_of("softmax", {axis(0), axis(1)}, x, y),
              "softmax: attribute axis is given twice");
}

TEST_F(OpInC, null_where_something_should_be_is_refused) {
    char error[256] = "";
    EXPECT_EQ(catena_call_op(nullptr, error, sizeof error), CATENA_FAILED);
    EXPECT_STREQ(error, "catena_call_op: the call is NULL");
    EXPECT_THAT(error_of("softmax", {{nullptr, CATENA_INTEGER, 0, 1, 0, nullptr, nullptr}}, x, y),
                HasSubstr("name of attribute 0 is NULL"));
    EXPECT_THAT(error_of("softmax", {{"axis", CATENA_TEXT, 0, 0, 0, nullptr, nullptr}}, x, y),
                HasSubstr("text of attribute axis is NULL"));
    for (int32_t count : {3, -1, 1000})
        EXPECT_THAT(error_of("sum", {{"axes", CATENA_DIMS, count, 0, 0, nullptr, nullptr}}, x, y),
                    HasSubstr(fmt::format("sum: attribute axes has {} dims (NULL)", count)));
    for (int32_t count : {1, -1}) {
        const catena_op_call call = {"softmax", nullptr, nullptr, &x, &y, count, 0, 1, 1};
        EXPECT_EQ(catena_call_op(&call, error, sizeof error), CATENA_FAILED);
        EXPECT_EQ(std::string(error),
                  fmt::format("softmax: {} attributes are given (NULL)", count));
    }
    const catena_op_call call = {"leaky_relu", nullptr, nullptr, &x, &y, 0, 1, 1, 1};
    EXPECT_EQ(catena_call_op(&call, error, sizeof error), CATENA_FAILED);
    EXPECT_STREQ(error, "leaky_relu: 1 scalars are given (NULL)");
}

TEST_F(InC, a_program_that_is_null_is_an_error) {
    EXPECT_EQ(catena_program_input_count(nullptr) + catena_program_output_count(nullptr) +
                  catena_program_state_count(nullptr),
              0);
    EXPECT_EQ(catena_program_input_name(nullptr, 0), nullptr);
    EXPECT_EQ(catena_program_output_name(nullptr, 0), nullptr);
    EXPECT_EQ(catena_program_state_name(nullptr, 0), nullptr);
    char error[256] = "";
    catena_tensor tensor = {};
    const auto expect = [&](int status, const std::string& text) {
        EXPECT_EQ(status, CATENA_FAILED);
        EXPECT_EQ(error, text);
    };
    expect(catena_program_run(nullptr, &tensor, 1, error, sizeof error),
           "catena_program_run: the program is NULL");
    expect(catena_program_output(nullptr, 0, &tensor, error, sizeof error),
           "catena_program_output: the program is NULL");
    expect(catena_program_state(nullptr, "x", &tensor, error, sizeof error),
           "catena_program_state: the program is NULL");
    expect(catena_program_set_state(nullptr, "x", &tensor, error, sizeof error),
           "catena_program_set_state: the program is NULL");
    expect(catena_program_set_number(nullptr, "x", 1, error, sizeof error),
           "catena_program_set_number: the program is NULL");
    expect(catena_program_save(nullptr, "x", error, sizeof error),
           "catena_program_save: the program is NULL");
    catena_program* const loaded = catena_program_load(path().c_str(), error, sizeof error);
    ASSERT_NE(loaded, nullptr) << error;
    const Array x = batch(0, 8).array(), t = labels(0, 8).array();
    const auto tensor_of = [](const Array& a) {
        return catena_tensor{const_cast<void*>(a.elements()), int32_t(a.dtype()), a.rank(),
                             a.shape().begin(), nullptr};
    };
    const catena_tensor inputs[] = {tensor_of(x), tensor_of(t)};
    ASSERT_EQ(catena_program_run(loaded, inputs, 2, error, sizeof error), CATENA_OK) << error;
    expect(catena_program_output(loaded, 0, nullptr, error, sizeof error),
           "catena_program_output: the output is NULL");
    expect(catena_program_state(loaded, catena_program_state_name(loaded, 0), nullptr, error,
                                sizeof error),
           "catena_program_state: the state is NULL");
    catena_program_free(loaded);
}

/// The program that is built around exported C: three steps, in memory of its own.
constexpr const char* main_text = R"(#include <stdio.h>
#include "step.h"
static _Alignas(64) unsigned char states[STEP_STATE_BYTES], arena[STEP_ARENA_BYTES];
int main(int argc, char** argv) {
    step program;
    float x[48], loss;
    int32_t t[8];
    if (argc != 3 || step_load(&program, states, arena, argv[1])) return printf("%s\n", program.error), 1;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 48; ++k) x[k] = (float)((k * 37 + i * 101) % 64) / 32 - 1;
        for (int k = 0; k < 8; ++k) t[k] = (k + i) % 3;
        if (step_run(&program, x, t, &loss)) return printf("%s\n", program.error), 1;
        printf("%.9g\n", loss);
    }
    return step_save(&program, argv[2]);
}
)";

/// cc, on main.c and what was exported as `name`; of Catena there is libcatena_c.
CommandResult build(const std::string& folder, const std::string& name, const std::string& flags) {
    return run("cd " + folder + " && cc -std=c11 -Wall -Wextra -Werror " + flags + " main.c " +
               name + ".c " + name +
               "_kernels.o -I" CATENA_SOURCE_DIR "/runtime/c -o main -L" CATENA_BINARY_DIR
               "/lib -l:libcatena_c.a -lm");
}

TEST_F(InC, exported_c_trains_as_the_package_does) {
    const std::string folder = temporary("c");
    const CommandResult exported = run(program("catena") + " export " + path() + " --c " + folder);
    ASSERT_EQ(exported.status, 0) << exported.output;
    EXPECT_THAT(exported.output, HasSubstr("needs: libc, libm, libcatena_c\n"));
    std::ofstream(folder + "/main.c") << main_text;
    const CommandResult built = build(folder, "step", "-O1");
    ASSERT_EQ(built.status, 0) << built.output;
    const CommandResult needs = run("cd " + folder + " && readelf -d main | grep NEEDED");
    EXPECT_THAT(needs.output,
                AllOf(Not(HasSubstr("catena")), Not(HasSubstr("stdc++")), Not(HasSubstr("gomp"))));
    EXPECT_THAT(
        run("nm -A --undefined-only --defined-only " CATENA_BINARY_DIR "/lib/libcatena_c.a").output,
        Not(HasSubstr("_Z")));
    const CommandResult result = run("cd " + folder + " && ./main step.weights after.weights");
    ASSERT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    for (double expected : losses(path())) {
        double loss = 0;
        lines >> loss;
        EXPECT_NEAR(loss, expected, 1e-5);
    }
    const CommandResult again = run("cd " + folder + " && ./main after.weights more.weights");
    EXPECT_NE(again.output, result.output);
    std::filesystem::resize_file(folder + "/after.weights", 100);
    EXPECT_THAT(run("cd " + folder + " && ./main after.weights more.weights").output,
                HasSubstr("another size"));
}

TEST_F(InC, a_convolutional_network_trains_as_the_package_does) {
    struct Pictures : Chain {
        Convolution2D conv{1, 4, 3, {.pad = {1}}};
        Linear out{64, 3};
        Pictures() { add_children({{"conv", conv}, {"out", out}}); }
        Variable operator()(const Variable& x) {
            return out(
                reshape(dropout(max_pooling_2d(relu(conv(x)), {2}), 0.5), {x.shape()[0], 64}));
        }
    } net;
    MomentumSGD rule(0.1);
    rule.setup(net);
    auto pictures = [](int number) {
        std::vector<float> values(256);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float((i * 37 + size_t(number) * 101) % 64) / 32 - 1;
        return Variable(Array::from(values, {4, 1, 8, 8}), false);
    };
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(net(x), t);
            net.cleargrads();
            loss.backward();
            rule.update();
            return loss;
        },
        {.name = "step"});
    step(pictures(0), labels(0, 4));
    const std::string folder = temporary("c");
    step.save(temporary("p.catena"), {.input_names = {"x", "t"}, .output_names = {"loss"}});
    const CommandResult exported =
        run(program("catena") + " export " + temporary("p.catena") + " --c " + folder);
    ASSERT_EQ(exported.status, 0) << exported.output;
    std::string text = main_text;
    for (const auto& [from, to] : {std::pair("x[48]", "x[256]"), std::pair("k < 48", "k < 256"),
                                   std::pair("t[8]", "t[4]"), std::pair("k < 8", "k < 4")})
        text.replace(text.find(from), std::strlen(from), to);
    std::ofstream(folder + "/main.c") << text;
    const CommandResult built = build(folder, "step", "-O2");
    ASSERT_EQ(built.status, 0) << built.output;
    const CommandResult result = run("cd " + folder + " && ./main step.weights after.weights");
    ASSERT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    Program package = Program::load(temporary("p.catena"));
    for (int i = 0; i < 3; ++i) {
        double loss = 0;
        lines >> loss;
        EXPECT_NEAR(
            loss, package.run({pictures(i).array(), labels(i, 4).array()})[0].item<double>(), 1e-5);
    }
}

TEST_F(InC, a_program_without_heavy_operations_needs_libc_and_libm_alone) {
    auto f = static_graph([](const Variable& x) { return tanh(x) * sum(exp(x), {1}, true); },
                          {.name = "f"});
    f(batch(0, 8));
    const std::vector<double> expected = f(batch(0, 8)).array().to_vector<double>();
    f.save(temporary("f.catena"), {.open_sizes = {{0, 0, "n"}}});
    const std::string folder = temporary("f");
    EXPECT_THAT(
        run(program("catena") + " export " + temporary("f.catena") + " --c " + folder).output,
        HasSubstr("give --size n=N"));
    const CommandResult exported = run(program("catena") + " export " + temporary("f.catena") +
                                       " --c " + folder + " --size n=8");
    ASSERT_EQ(exported.status, 0) << exported.output;
    EXPECT_THAT(exported.output, HasSubstr("needs: libc, libm\n"));
    std::ofstream(folder + "/main.c") << R"(#include <stdio.h>
#include "f.h"
static _Alignas(64) unsigned char states[F_STATE_BYTES], arena[F_ARENA_BYTES];
int main(void) {
    f program;
    float x[48], y[48];
    if (f_load(&program, states, arena, "f.weights")) return 1;
    for (int k = 0; k < 48; ++k) x[k] = (float)((k * 37) % 64) / 32 - 1;
    if (f_run(&program, x, y)) return 1;
    for (int k = 0; k < 48; ++k) printf("%.9g\n", y[k]);
    return 0;
}
)";
    const CommandResult built =
        run("cd " + folder +
            " && cc -std=c11 -Wall -Wextra -Werror main.c f.c f_kernels.o -o main -lm");
    ASSERT_EQ(built.status, 0) << built.output;
    const CommandResult result = run("cd " + folder + " && ./main");
    std::istringstream lines(result.output);
    for (double value : expected) {
        double y = 0;
        lines >> y;
        ASSERT_NEAR(y, value, 1e-5 * std::max(1.0, std::abs(value)));
    }
}

TEST_F(InC, a_region_may_be_called_as_a_word_of_the_template) {
    for (const std::string name : {"filename", "bytes_of_numbers"}) {
        auto f = static_graph([](const Variable& x) { return tanh(x); }, {.name = name});
        f(batch(0, 8));
        f.save(temporary("f.catena"));
        const std::string folder = temporary(name);
        const CommandResult exported =
            run(program("catena") + " export " + temporary("f.catena") + " --c " + folder);
        ASSERT_EQ(exported.status, 0) << exported.output;
        const CommandResult built =
            run("cd " + folder + " && cc -std=c11 -Wall -Wextra -Werror -c *.c && cat *.h *.c");
        ASSERT_EQ(built.status, 0) << built.output;
        EXPECT_THAT(built.output, HasSubstr(name == "filename" ? " FILENAME_FAILED"
                                                               : " BYTES_OF_NUMBERS_FAILED"));
    }
}

/// Two kernels, a product with loops and a join, so that every local name of the writer stands
/// beside the ports'.
TEST_F(InC, ports_and_programs_may_be_called_as_words_of_c) {
    const std::vector<std::string> words = {"alignas",
                                            "and",
                                            "asm",
                                            "auto",
                                            "bool",
                                            "break",
                                            "case",
                                            "catch",
                                            "char",
                                            "class",
                                            "const",
                                            "continue",
                                            "default",
                                            "delete",
                                            "do",
                                            "double",
                                            "else",
                                            "enum",
                                            "explicit",
                                            "export",
                                            "extern",
                                            "false",
                                            "float",
                                            "for",
                                            "friend",
                                            "goto",
                                            "if",
                                            "inline",
                                            "int",
                                            "int32_t",
                                            "int64_t",
                                            "long",
                                            "mutable",
                                            "namespace",
                                            "new",
                                            "not",
                                            "NULL",
                                            "nullptr",
                                            "operator",
                                            "or",
                                            "private",
                                            "protected",
                                            "public",
                                            "register",
                                            "restrict",
                                            "return",
                                            "short",
                                            "signed",
                                            "sizeof",
                                            "size_t",
                                            "static",
                                            "struct",
                                            "switch",
                                            "template",
                                            "this",
                                            "throw",
                                            "true",
                                            "try",
                                            "typedef",
                                            "typename",
                                            "union",
                                            "unsigned",
                                            "using",
                                            "virtual",
                                            "void",
                                            "volatile",
                                            "while",
                                            "wchar_t",
                                            "xor",
                                            "printf",
                                            "memcpy",
                                            "FILE",
                                            "EOF",
                                            "INT64_MAX",
                                            "M_PI",
                                            "linux",
                                            "y0",
                                            "program",
                                            "pointers",
                                            "scalars",
                                            "numbers",
                                            "arguments",
                                            "shape",
                                            "sizes",
                                            "from",
                                            "to",
                                            "wrong",
                                            "i0",
                                            "i1",
                                            "kernel_arguments",
                                            "catena_c_product",
                                            "f",
                                            "f_run",
                                            "f_fail",
                                            "F_OK",
                                            "F_FAILED",
                                            "states",
                                            "arena"};
    auto f = static_graph(
        [](const std::vector<Variable>& xs) {
            const Variable all = concat({xs.begin(), xs.end()}, 1);
            return std::vector<Variable>{matmul(all, transpose(all, {0, 2, 1})) * 2, exp(xs[0])};
        },
        {.name = "f"});
    std::vector<Variable> xs;
    for (size_t i = 0; i < words.size(); ++i) xs.push_back(reshape(batch(int(i), 8), {2, 4, 6}));
    f(xs);
    f.save(temporary("f.catena"),
           {.input_names = words, .output_names = {"long", "memcpy"}, .code_levels = {"scalar"}});
    for (const std::string name : {"f", "double", "printf"}) {
        const std::string folder = temporary("words_" + name);
        const CommandResult exported = run(program("catena") + " export " + temporary("f.catena") +
                                           " --c " + folder + " --name " + name);
        ASSERT_EQ(exported.status, 0) << exported.output;
        const CommandResult built =
            run("cd " + folder +
                " && gcc -std=c11 -Wall -Wextra -Werror -c *.c -I" CATENA_SOURCE_DIR
                "/runtime/c && gcc -std=gnu17 -Wall -Wextra -Werror -c *.c -I" CATENA_SOURCE_DIR
                "/runtime/c && g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -x c++ *.h && "
                "cat *.c");
        ASSERT_EQ(built.status, 0) << built.output;
        EXPECT_THAT(built.output, Not(HasSubstr("(unsigned char*)pointers + ")));
    }
}

TEST_F(InC, an_index_out_of_range_is_told_with_operation_and_line) {
    auto f = static_graph([](const Variable& x, const Variable& i) { return take(x, i, 0); },
                          {.name = "f"});
    const Variable i(Array::from<int64_t>({1, 2}), false);
    f(batch(0, 8), i);
    f.save(temporary("f.catena"));
    const std::string folder = temporary("f");
    const CommandResult exported =
        run(program("catena") + " export " + temporary("f.catena") + " --c " + folder);
    ASSERT_EQ(exported.status, 0) << exported.output;
    EXPECT_THAT(exported.output, HasSubstr("needs: libc, libm\n"));
    std::ofstream(folder + "/main.c") << R"(#include <stdio.h>
#include "f.h"
static _Alignas(64) unsigned char states[F_STATE_BYTES], arena[F_ARENA_BYTES];
int main(void) {
    f program;
    float x[48] = {0}, y[12];
    const int64_t good[] = {-8, 7}, bad[] = {3, 8};
    if (f_load(&program, states, arena, "f.weights") || f_run(&program, x, good, y)) return 1;
    if (!f_run(&program, x, bad, y)) return 1;
    puts(program.error);
    return 0;
}
)";
    const CommandResult built =
        run("cd " + folder +
            " && cc -std=c11 -Wall -Wextra -Werror main.c f.c f_kernels.o -o main -lm");
    ASSERT_EQ(built.status, 0) << built.output;
    const CommandResult result = run("cd " + folder + " && ./main");
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(
        result.output,
        HasSubstr(
            "take: index 8 is outside of axis 0 of size 8, which takes -8 to 7 (at c_test.cpp:"));
}

TEST_F(InC, what_says_nothing_of_its_elements_is_refused_by_name) {
    static const OpDef& op =
        register_op({.name = "twice_by_hand",
                     .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
                     .kernel =
                         [](const KernelCall& c) {
                             const Array x = c.inputs[0].as_contiguous();
                             for (int64_t i = 0; i < x.size(); ++i)
                                 c.outputs[0].data<float>()[i] = 2 * x.data<float>()[i];
                         }});
    auto f = static_graph(
        [](const Variable& x) { return call(op, std::source_location::current(), {}, {}, x); },
        {.name = "f"});
    f(batch(0, 8));
    f.save(temporary("f.catena"));
    try {
        export_c(temporary("f.catena"), temporary("f"));
        FAIL() << "it was exported";
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("export: twice_by_hand (c_test.cpp:"),
                          HasSubstr("cannot be exported to C"), HasSubstr("element text")));
    }
}

TEST(CText, local_functions_casts_and_constants_become_c) {
    const CElementText c = c_element_text(
        "auto at = [=](i64 line, i64 k) -> i64 { return line * size + k; };  // Row-major.\n"
        "constexpr int axes = y0_rank - 2;\ny0(i, T(x0(at(i + 1, 2))) + "
        "reinterpret_cast<T*>(scratch)[i]);");
    EXPECT_EQ(c.body,
              "\n#define at(line, k) ((line) * size + (k))\n  \nenum { axes = y0_rank - 2 };\n"
              "y0(i, ((T)(x0(at(i + 1, 2)))) + ((T*)(scratch))[i]);");
    EXPECT_EQ(c.macros, std::vector<std::string>{"at"});
    EXPECT_THROW(c_element_text("auto f = [=](int a) -> int { int b = a; return b; };"),
                 ValueError);
}

}  // namespace
}  // namespace catena::testing
