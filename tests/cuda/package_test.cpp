// Programs in files with code for devices: saved for source text, they run on the emulated device;
// saved for real architectures, they are compiled by NVRTC and loaded by the double of the driver.
#include <cmath>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "frontend/catena.h"
#include "runtime/program/file/loaded_program.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/program.h"
#include "runtime/program/run/device_code.h"
#include "tests/cuda/emulated_device.h"
#include "tests/export/saved_step.h"

namespace catena::testing {

std::string temporary(const std::string& name) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return ::testing::TempDir() + "catena_" + test->test_suite_name() + "_" + test->name() + "_" +
           name;
}

namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

EmulatedDevice& device() { return EmulatedDevice::instance(); }

template <class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing was thrown";
}

/// Complains when somebody asks for a kernel that the program's file does not have.
class NoCompiler : public KernelProvider {
public:
    void run(CodeDevice&, const KernelCall& call) override {
        throw std::logic_error("asked to compile " + call.op.name);
    }
    void copy(CodeDevice&, const Array&, const Array&) override {
        throw std::logic_error("asked to compile a copy");
    }
    int64_t host_calls() const override { return 0; }
};

struct Fixture : ::testing::Test {
    void SetUp() override { set_seed(7); }
    NoCompiler no_compiler;
};
using CudaPackage = Fixture;

Array there(const Variable& x) { return x.array().to(device()); }
std::vector<double> here(const Array& x) { return x.to(cpu_device()).to_vector<double>(); }

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance,
                 const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << what << " at " << i;
}

/// But for the bias before the batch normalization: its gradient is rounding alone, which Adam
/// makes whole steps of.
void expect_near_states(const Program& a, const Program& b, double tolerance) {
    for (const char* name : {"/l1/W", "/l2/W", "/l2/b", "/bn/gamma", "/bn/beta", "/bn/avg_var",
                             "/l2/W/v", "random_state"})
        expect_near(here(a.state(name)), here(b.state(name)), tolerance, name);
}

TEST_F(CudaPackage, a_step_recorded_on_the_host_runs_on_both) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    for (int i = 0; i < 3; ++i) step(batch(i, 8), labels(i, 8));
    step.save(temporary("x.catena"), {.code_levels = {"scalar"}, .cuda_architectures = {"text"}});
    Program host = Program::load(temporary("x.catena"));
    EXPECT_THAT(host.targets(), ElementsAre("x86_64 scalar", "text"));
    const KernelProviderScope nobody(&no_compiler);
    Program program = Program::load(temporary("x.catena"), device());
    EXPECT_EQ(program.code_level(), "text");
    EXPECT_EQ(&program.device(), &device());
    for (int i = 3; i < 8; ++i)
        EXPECT_NEAR(here(program.run({there(batch(i, 8)), there(labels(i, 8))})[0])[0],
                    host.run({batch(i, 8).array(), labels(i, 8).array()})[0].item<double>(), 1e-5);
    for (const std::string& name : host.state_names())
        EXPECT_EQ(&program.state(name).device(), &device());
    expect_near_states(program, host, 1e-5);
    EXPECT_THAT(message_of([&] { program.run({batch(0, 8).array(), labels(0, 8).array()}); }),
                HasSubstr("input 'x0' is on cpu, it runs on emulated"));
}

/// The region goes on beside the package; both must come to the same bits.
TEST_F(CudaPackage, a_step_of_the_device_goes_on_bit_for_bit) {
    Training training;
    training.net.to_device(device());
    auto step = static_graph(std::ref(training), {.name = "step"});
    const auto run_region = [&](int i) {
        return here(step(Variable(there(batch(i, 8)), false), Variable(there(labels(i, 8)), false))
                        .array());
    };
    for (int i = 0; i < 4; ++i) run_region(i);
    step.save(temporary("x.catena"));
    Program program = Program::load(temporary("x.catena"), device());
    EXPECT_THAT(program.targets(), ElementsAre("text"));
    EXPECT_THAT(Program::open(temporary("x.catena")).stage("kernels.cu"), HasSubstr("__global__"));
    EXPECT_THAT(message_of([&] { Program::load(temporary("x.catena")); }),
                HasSubstr("has no code for cpu, only for text"));
    const auto run_program = [&](Program& program, int i) {
        return here(program.run({there(batch(i, 8)), there(labels(i, 8))})[0]);
    };
    for (int i = 4; i < 7; ++i) EXPECT_EQ(run_program(program, i), run_region(i)) << "step " << i;
    program.save(temporary("y.catena"));
    Program later = Program::load(temporary("y.catena"), device());
    for (int i = 7; i < 10; ++i) EXPECT_EQ(run_program(later, i), run_region(i)) << "step " << i;
    for (auto& [path, parameter] : training.net.namedparams())
        EXPECT_EQ(here(later.state(path)), here(parameter->array())) << path;
    EXPECT_EQ(here(later.state("/bn/avg_var")), here(training.net.bn.avg_var.array()));
}

TEST_F(CudaPackage, a_step_of_the_device_may_have_open_sizes) {
    Training training;
    training.net.to_device(device());
    auto step = static_graph(std::ref(training), {.name = "step"});
    const auto run_region = [&](int i, int64_t rows) {
        return here(
            step(Variable(there(batch(i, rows)), false), Variable(there(labels(i, rows)), false))
                .array())[0];
    };
    for (int i = 0; i < 3; ++i) run_region(i, 16);
    step.save(temporary("x.catena"), {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}}});
    Program program = Program::load(temporary("x.catena"), device());
    for (int64_t rows : {16, 7, 16})
        EXPECT_NEAR(here(program.run({there(batch(1, rows)), there(labels(1, rows))})[0])[0],
                    run_region(1, rows), 2e-5);
    expect_near(here(program.state("/l1/W")), here(training.net.l1.W.array()), 1e-4, "/l1/W");
}

TEST_F(CudaPackage, open_sizes_take_a_ragged_last_batch) {
    Training training;
    auto step = static_graph(std::ref(training), {.name = "step"});
    for (int i = 0; i < 4; ++i) step(batch(i, 16), labels(i, 16));
    step.save(temporary("x.catena"), {.open_sizes = {{0, 0, "batch"}, {1, 0, "batch"}},
                                      .code_levels = {"scalar"},
                                      .cuda_architectures = {"text"}});
    Program host = Program::load(temporary("x.catena"));
    Program program = Program::load(temporary("x.catena"), device());
    for (int64_t rows : {16, 5, 16, 2, 300, 3, 16}) {
        const Variable x = batch(int(rows), rows), t = labels(int(rows), rows);
        EXPECT_NEAR(here(program.run({there(x), there(t)})[0])[0],
                    host.run({x.array(), t.array()})[0].item<double>(), 2e-5);
    }
    expect_near_states(program, host, 1e-4);
}

Variable waves(int64_t rows, int64_t columns) {
    std::vector<float> values(size_t(rows * columns));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(std::sin(double(i) * 0.37));
    return Variable(Array::from(values, {rows, columns}), false);
}

/// Steps of several elements fit 16 columns but not 5; rows are fixed at a number that they fit.
TEST_F(CudaPackage, the_innermost_size_may_be_open) {
    auto f = static_graph(
        [](const Variable& x) {
            return std::vector<Variable>{tanh(x) * 2 + sum(x, {1}, true), sum(x * x, {0}),
                                         cumsum(x, 1)};
        },
        {.name = "f"});
    f(waves(8, 16));
    f.save(temporary("x.catena"), {.open_sizes = {{0, 1, "n"}}, .cuda_architectures = {"text"}});
    f.save(temporary("y.catena"), {.open_sizes = {{0, 0, "n"}}, .cuda_architectures = {"text"}});
    Program columns = Program::load(temporary("x.catena"), device()),
            rows = Program::load(temporary("y.catena"), device());
    const auto check = [&](Program& program, const Variable& x) {
        const std::vector<Array> results = program.run({there(x)});
        const std::vector<Variable> expected = f(x);
        for (size_t r = 0; r < expected.size(); ++r)
            expect_near(here(results[r]), here(expected[r].array()), 1e-5,
                        "result " + std::to_string(r));
    };
    for (int64_t n : {16, 5, 1, 700, 32}) {
        check(columns, waves(8, n));
        check(rows, waves(n, 16));
    }
}

TEST_F(CudaPackage, sizes_beyond_32_bits_are_refused_by_code_that_counts_so) {
    auto f = static_graph([](const Variable& x) { return relu(x) * 2; }, {.name = "f"});
    f(waves(8, 16));
    f.save(temporary("x.catena"), {.open_sizes = {{0, 0, "n"}}, .cuda_architectures = {"text"}});
    const program::Contents contents(temporary("x.catena"));
    const int64_t fits[] = {1 << 20}, too_many[] = {1 << 26};
    program::DeviceKernels kernels;
    for (const program::KernelLaunch& kernel : contents.device_schedule_at(fits).kernels)
        kernels[kernel.symbol] = &kernels;
    EXPECT_NO_THROW(
        program::DeviceExecutable(contents.device_schedule_at(fits), device(), kernels));
    EXPECT_THAT(message_of([&] {
                    program::DeviceExecutable(contents.device_schedule_at(too_many), device(),
                                              kernels);
                }),
                HasSubstr("has 32-bit indices, too narrow for 1073741824 elements"));
}

TEST_F(CudaPackage, brings_the_kernels_of_copies_and_of_calls) {
    auto f = static_graph(
        [](const Variable& x, const Variable& i) {
            const Variable both = concat({x, transpose(matmul(x, transpose(x)))}, 1);
            return std::vector<Variable>{both, take(both, i, 0), argmax(both, 1), cumsum(both, 0),
                                         sort(both, 1)};
        },
        {.name = "f"});
    const Variable x = batch(1, 5), i(Array::from<int64_t>({4, 0, 2}), false);
    f(x, i);
    const std::vector<Variable> expected = f(x, i);
    f.save(temporary("x.catena"), {.cuda_architectures = {"text"}});
    const KernelProviderScope nobody(&no_compiler);
    Program program = Program::load(temporary("x.catena"), device());
    const Array y = there(x);
    const auto check = [&](const Array& given) {
        const std::vector<Array> results = program.run({given, there(i)});
        for (size_t r = 0; r < expected.size(); ++r)
            expect_near(here(results[r]), here(expected[r].array()), 1e-6,
                        "result " + std::to_string(r));
    };
    check(y);
    // The same elements, transposed in memory: the program's own kernels lay them out.
    const Array columns = Variable(batch(1, 5).array().view({6, 5}, {1, 6}, 0), false)
                              .array()
                              .as_contiguous()
                              .to(device());
    check(columns.view({5, 6}, {1, 5}, 0));
    EXPECT_THAT(
        message_of([&] {
            program.run({y, Array::from<int64_t>({4, 9, 2}).to(device())})[1].to(cpu_device());
        }),
        HasSubstr("take: index 9 is outside of axis 0 of size 5"));
}

TEST_F(CudaPackage, what_is_not_there_is_said_with_what_is) {
    auto f = static_graph([](const Variable& x) { return relu(x) * 2; }, {.name = "f"});
    f(batch(0, 8));
    f.save(temporary("x.catena"));
    EXPECT_THAT(
        message_of([&] { Program::load(temporary("x.catena"), device()); }),
        HasSubstr("x.catena: has no CUDA code; save it with .cuda_architectures = {\"text\"}"));
    EXPECT_THAT(
        message_of([&] { f.save(temporary("x.catena"), {.cuda_architectures = {"h100"}}); }),
        HasSubstr("'h100' is no CUDA architecture"));
    const Program looked_at = Program::open(temporary("x.catena"));
    EXPECT_EQ(looked_at.inputs()[0].name, "x");
    EXPECT_THAT(message_of([&] { Program(looked_at).run({batch(0, 8).array()}); }),
                HasSubstr("opened for inspection only"));
}

TEST(CudaArchitectures, code_serves_its_generation_and_ptx_what_is_later) {
    using program::best_architecture;
    const std::vector<std::string> there = {"sm_80", "sm_90", "compute_80", "compute_90"};
    EXPECT_EQ(best_architecture(there, "sm_90"), "sm_90");
    EXPECT_EQ(best_architecture(there, "sm_86"), "sm_80");
    EXPECT_EQ(best_architecture(there, "sm_100"), "compute_90");
    EXPECT_EQ(best_architecture(there, "sm_75"), "");
    EXPECT_EQ(best_architecture(std::vector<std::string>{"sm_90a", "sm_86"}, "sm_80"), "");
    EXPECT_EQ(best_architecture(std::vector<std::string>{"compute_80"}, "text"), "");
}

class HostileCudaPackage : public Fixture {
protected:
    void SetUp() override {
        Fixture::SetUp();
        Training training;
        auto step = static_graph(std::ref(training), {.name = "step"});
        step(batch(0, 8), labels(0, 8));
        step.save(path(), {.cuda_architectures = {"text"}});
    }
    static std::string path() { return temporary("x.catena"); }
    static std::string changed() { return temporary("y.catena"); }

    /// The message of a FileError at loading; everything else fails the test.
    static std::string refusal(const std::string& file) {
        try {
            Program::load(file, device());
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }
    static std::string after(const std::function<void(Json& manifest, Json& schedule,
                                                      program::Package& package)>& change) {
        Json manifest;
        program::Package package = program::read_package(path(), manifest);
        Json schedule = Json::parse(package.texts.at("cuda/schedule.json"));
        change(manifest, schedule, package);
        package.texts["cuda/schedule.json"] = schedule.dump();
        program::write_package(changed(), manifest, package);
        return refusal(changed());
    }
    static Json& elements(Json& schedule) {
        for (Json& call : schedule["library_calls"])
            if (call.contains("elements")) return call["elements"];
        throw std::logic_error("no call has elements");
    }
};

TEST_F(HostileCudaPackage, every_truncation_is_refused) {
    std::ifstream file(path(), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    for (size_t bytes = 0; bytes < whole.size(); bytes += std::max<size_t>(whole.size() / 97, 1)) {
        std::ofstream(changed(), std::ios::binary).write(whole.data(), std::streamsize(bytes));
        EXPECT_THAT(refusal(changed()), HasSubstr("y.catena")) << bytes << " of " << whole.size();
    }
}

TEST_F(HostileCudaPackage, launches_that_do_not_fit_are_refused) {
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["device"]["threads"] = 4096; }),
                HasSubstr("4096 threads"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["device"]["threads"] = 0; }),
                HasSubstr("is not for devices"));
    EXPECT_THAT(
        after([](Json&, Json& s, auto&) { s["kernels"][0]["device"]["reduce_threads"] = 3; }),
        HasSubstr("3 a result"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["device"]["vector"] = 16; }),
                HasSubstr("16 elements at a time"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["symbol"] = "map_0"; }),
                HasSubstr("no kernel map_0"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    s["kernels"][0]["operands"][0]["byte_offset"] = 1 << 20;
                }),
                HasSubstr("outside of its memory"));
    EXPECT_THAT(
        after([](Json&, Json& s, auto&) { elements(s)["passes"][0]["count"] = int64_t(1) << 40; }),
        HasSubstr("has a pass over 1099511627776 elements"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { elements(s)["scratch"] = -1; }),
                HasSubstr("wants -1 words of scratch"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { elements(s)["passes"][0]["symbol"] = "abort"; }),
                HasSubstr("no kernel abort"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { elements(s)["passes"].push_back("nothing"); }),
                HasSubstr("damaged"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& call : s["library_calls"]) call.erase("elements");
                }),
                HasSubstr("has no kernels for "));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["launches"][0]["kernels"].push_back(9999); }),
                HasSubstr("kernel 9999"));
}

TEST_F(HostileCudaPackage, images_that_are_not_there_are_named) {
    EXPECT_THAT(after([](Json&, Json&, program::Package& p) { p.texts.erase("cuda/text.0.cu"); }),
                HasSubstr("code for text is missing"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["cuda"]["images"][0]["kernels"] = 3; }),
                HasSubstr("damaged"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["cuda"]["schedule"] = "none.json"; }),
                HasSubstr("'none.json' is missing"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["cuda"].erase("images"); }),
                HasSubstr("damaged"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) {
                    for (Json& image : m["cuda"]["images"]) image["architecture"] = "sm_90";
                }),
                HasSubstr("has code for sm_90; emulated is text"));
}

}  // namespace
}  // namespace catena::testing
