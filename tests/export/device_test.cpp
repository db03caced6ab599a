// Packages on cuda:0 in processes that have no compiler: C, and the tool. Driver and NVRTC are
// fakes (tests/cuda_double) whose machine code is the text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/serializer/npz.h"
#include "runtime/program/file/program.h"
#include "tests/export/saved_step.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

#ifdef CATENA_CUDA_DOUBLE
const std::string double_of_cuda = CATENA_CUDA_DOUBLE;
#else
const std::string double_of_cuda;
#endif

class OnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
        if (double_of_cuda.empty()) GTEST_SKIP() << "the CUDA plug-in was not built";
        setenv("CATENA_NVRTC_PATH", double_of_cuda.c_str(), 1);
        setenv("CATENA_KERNEL_CACHE", "off", 1);
        set_seed(7);
        Training training;
        auto step = static_graph(std::ref(training), {.name = "step"});
        for (int i = 0; i < 3; ++i) step(batch(i, 8), labels(i, 8));
        step.save(path(), {.input_names = {"x", "t"},
                           .output_names = {"loss"},
                           .code_levels = {"scalar"},
                           .cuda_architectures = {"sm_90"}});
    }
    static std::string path() { return temporary("x.catena"); }

    /// With cuda:0, and without Catena's compiler or NVRTC.
    static CommandResult run_there(const std::string& command) {
        return run("CATENA_CUDA_DRIVER=" + double_of_cuda +
                   " CATENA_COMPILER_PATH=/nowhere CATENA_NVRTC_PATH=/nowhere "
                   "CATENA_CUBLASLT_PATH=/none CATENA_CUDNN_PATH=/none " +
                   command);
    }
    static std::vector<double> losses_on_host(Program program) {
        std::vector<double> losses;
        for (int i = 0; i < 3; ++i)
            losses.push_back(
                program.run({batch(i, 8).array(), labels(i, 8).array()})[0].item<double>());
        return losses;
    }
};

TEST_F(OnDevice, c_runs_a_step_without_the_compiler) {
    const CommandResult result =
        run_there(program("run_program") + " " + path() + " " + temporary("y.catena") + " cuda:0");
    ASSERT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    for (double expected : losses_on_host(Program::load(path()))) {
        std::string name;
        double loss = 0;
        while (lines >> name && name.starts_with("=="))
            std::getline(lines, name);  // A sanitizer's warning.
        lines >> loss;
        EXPECT_EQ(name, "loss");
        EXPECT_NEAR(loss, expected, 1e-5);
    }
    EXPECT_THAT(result.output, HasSubstr("/l1/W rank 2, 16 by 6"));
    EXPECT_THAT(result.output, HasSubstr("LLVM is not there"));
    EXPECT_NE(Program::load(temporary("y.catena")).state("/l1/W").to_vector<float>(),
              Program::load(path()).state("/l1/W").to_vector<float>());
}

TEST_F(OnDevice, the_tool_runs_and_times_a_step_without_the_compiler) {
    save_npz(temporary("in.npz"), {{"x", batch(0, 8).array()}, {"t", labels(0, 8).array()}});
    const CommandResult result = run_there(
        program("catena") + " run " + path() + " " + temporary("in.npz") + " -o " +
        temporary("out.npz") + " --device cuda:0 --repeat 4 --save " + temporary("y.catena"));
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output,
                ::testing::ContainsRegex("the other 3 take [0-9.]+ ms each on cuda:0 \\(sm_90\\)"));
    Program program = Program::load(path());
    double loss = 0;
    for (int i = 0; i < 4; ++i)
        loss = program.run({batch(0, 8).array(), labels(0, 8).array()})[0].item<double>();
    EXPECT_NEAR(NpzFile(temporary("out.npz")).read("loss").item<double>(), loss, 1e-5);
    const std::vector<double>
        saved = Program::load(temporary("y.catena")).state("/l1/W").to_vector<double>(),
        expected = program.state("/l1/W").to_vector<double>();
    for (size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(saved[k], expected[k], 1e-5);
}

TEST_F(OnDevice, what_was_trained_there_is_saved_for_it_and_runs_on_another) {
    const std::string folder = temporary("programs"), stem = folder + "/mushroom";
    const CommandResult saved =
        run("CATENA_CUDA_DRIVER=" + double_of_cuda + " CATENA_CUBLASLT_PATH=/none " +
            program("catena") + " bench mushroom --device cuda:0 --save " + folder);
    ASSERT_EQ(saved.status, 0) << saved.output;
    EXPECT_THAT(run(program("catena") + " show " + stem + ".catena").output,
                HasSubstr("program  mushroom\ncode     sm_90\ncode     compute_90\ninput"));
    const CommandResult result = run_there(program("catena") + " run " + stem + ".catena " + stem +
                                           ".npz --device cuda:1 --repeat 3");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("on cuda:1 (sm_90)"));
    EXPECT_THAT(run_there(program("catena") + " run " + stem + ".catena " + stem + ".npz").output,
                HasSubstr("mushroom.catena: has no code for cpu, only for sm_90, compute_90"));
}

TEST_F(OnDevice, the_tool_tells_what_there_is_code_for) {
    const CommandResult shown = run(program("catena") + " show " + path());
    EXPECT_THAT(shown.output, HasSubstr("scalar\ncode     sm_90\n"));
    EXPECT_THAT(run(program("catena") + " show " + path() + " --stage kernels.cu").output,
                HasSubstr("__global__"));
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    step(batch(0, 8), labels(0, 8));
    step.save(temporary("host.catena"), {.code_levels = {"scalar"}});
    const CommandResult refused =
        run_there(program("catena") + " run " + temporary("host.catena") + " --device cuda:0");
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.output,
                HasSubstr("host.catena: has no CUDA code; save it with .cuda_architectures"));
}

}  // namespace
}  // namespace catena::testing
