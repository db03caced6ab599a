// Programs that one process compiles are read by the next, which does not even load the compiler.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/capture/kept/program_key.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/program/run/linked_object.h"
#include "tests/support/command.h"
#include "tests/support/mutator.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class KeptPrograms : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
#if !defined(__x86_64__)
        GTEST_SKIP() << "programs are kept on x86-64 only";
#endif
        std::string pattern = (fs::temp_directory_path() / "catena_kept_XXXXXX").string();
        root = mkdtemp(pattern.data());
    }
    void TearDown() override {
        if (!root.empty()) fs::remove_all(root);
    }
    std::string output_of(const std::string& arguments, int build = 1,
                          const std::string& environment = "") const {
        const CommandResult result =
            run(fmt::format("CATENA_CHECK_SCHEDULES=0 {} CATENA_KERNEL_CACHE={} {} {}", environment,
                            (root / "kernels").string(),
                            program(fmt::format("kept_programs_{}", build)), arguments));
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    }
    fs::path root;
};

TEST_F(KeptPrograms, are_read_by_the_next_process_without_a_compiler) {
    EXPECT_EQ(output_of("own 2"), "own 12 12\nprograms 1, from disk 0\nthe compiler is loaded\n");
    EXPECT_EQ(output_of("own 2"),
              "own 12 12\nprograms 1, from disk 1\nthe compiler is not loaded\n");
    EXPECT_EQ(output_of("own 2", 1, "CATENA_CHECK_SCHEDULES=1"),
              "own 12 12\nprograms 1, from disk 0\nthe compiler is loaded\n");
    // Checked: it is compiled as well, and compared.
    EXPECT_EQ(output_of("own 2", 1, "CATENA_CHECK_SCHEDULES=1"),
              "own 12 12\nprograms 1, from disk 1\nthe compiler is loaded\n");
}

TEST_F(KeptPrograms, belong_to_the_formulas_of_their_operations) {
    output_of("own 2");
    EXPECT_THAT(
        output_of("own 3"),
        HasSubstr("own 16 16\nprograms 1, from disk 0"));  // The same build, another formula.
    EXPECT_THAT(output_of("own 3"), HasSubstr("own 16 16\nprograms 1, from disk 1"));
    EXPECT_THAT(output_of("own 2"), HasSubstr("own 12 12\nprograms 1, from disk 1"));
}

TEST_F(KeptPrograms, belong_to_a_build) {
    output_of("own 2", 1);
    EXPECT_THAT(output_of("own 2", 2),
                HasSubstr("from disk 0"));  // The same formula, another build.
    EXPECT_THAT(output_of("own 2", 2), HasSubstr("from disk 1"));
    EXPECT_THAT(output_of("own 2", 1), HasSubstr("from disk 1"));
}

TEST_F(KeptPrograms, are_compiled_again_where_their_files_are_damaged_or_gone) {
    const std::string first = output_of("step mushroom");
    EXPECT_THAT(first, HasSubstr("from disk 0"));
    const std::string results = first.substr(0, first.find('\n'));
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(root / "kernels"))
        files.push_back(entry.path());
    ASSERT_EQ(files.size(), 2u) << "the program and its code";
    for (const fs::path& file : files) {
        fs::resize_file(file, fs::file_size(file) / 2);
        EXPECT_THAT(output_of("step mushroom"),
                    ::testing::AllOf(HasSubstr(results), HasSubstr("from disk 0")));
        fs::remove(file);
        EXPECT_THAT(output_of("step mushroom"),
                    ::testing::AllOf(HasSubstr(results), HasSubstr("from disk 0")));
        EXPECT_THAT(output_of("step mushroom"),
                    ::testing::AllOf(HasSubstr(results), HasSubstr("from disk 1")));
    }
}

TEST_F(KeptPrograms, are_not_read_while_a_compilation_is_to_be_seen) {
    output_of("own 2");
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(output_of("own 2", 1, "CATENA_PRINT_IR=fuse"),
                    ::testing::AllOf(HasSubstr("catena.group"), HasSubstr("from disk 0")));
}

TEST_F(KeptPrograms, without_a_compiler_regions_run_eagerly) {
    const std::string here = "CATENA_COMPILER_PATH=" + (root / "compiler.so").string();
    EXPECT_THAT(output_of("own 2", 1, here), ::testing::AllOf(HasSubstr("there is no compiler"),
                                                              HasSubstr("own 12 12\nprograms 0")));
    std::ofstream(root / "compiler.so") << "no library";  // There, and cannot be loaded.
    EXPECT_THAT(output_of("own 2", 1, here), ::testing::AllOf(HasSubstr("there is no compiler"),
                                                              HasSubstr("own 12 12\nprograms 0")));
}

TEST_F(KeptPrograms, an_object_with_any_damage_is_linked_or_refused) {
    output_of("step mushroom");
    std::vector<std::string> objects;
    for (const auto& entry : fs::directory_iterator(root / "kernels")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string content(std::istreambuf_iterator<char>(file), {});
        if (const size_t begin = content.find("\177ELF"); begin != std::string::npos)
            objects.push_back(content.substr(begin));
    }
    ASSERT_EQ(objects.size(), 1u);
    const program::LinkedObject whole(objects[0]);
    EXPECT_GT(whole.bytes(), 0u);
    EXPECT_THROW(whole.find("no_such_kernel"), FileError);
    for (const char* other : {"", "\177ELF", "no object"})
        EXPECT_THROW(program::LinkedObject{other}, FileError);
    int refused = 0;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        try {
            program::LinkedObject(
                mutated(objects, random));  // Not called: damaged code is what the checksum tells.
        } catch (const FileError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 300);
}

class KeptWorkloads : public KeptPrograms, public ::testing::WithParamInterface<std::string> {};

TEST_P(KeptWorkloads, give_the_same_bits_from_the_disk) {
    std::string names;
    for (const tool::Workload& workload : tool::workloads()) names += " " + workload.name;
    const std::string first = output_of(GetParam() + names), second = output_of(GetParam() + names);
    std::istringstream compiled(first), read(second);
    int programs = 0;
    for (std::string line, other; std::getline(compiled, line) && std::getline(read, other);) {
        int made = 0, from_disk = 0;
        if (std::sscanf(other.c_str(), "programs %d, from disk %d", &made, &from_disk) == 2) {
            EXPECT_EQ(from_disk, made) << second;
            programs += made;
        } else if (!other.starts_with("the compiler")) {
            EXPECT_EQ(other, line);
        }
    }
    EXPECT_GE(programs, int(tool::workloads().size()));
    EXPECT_THAT(first, HasSubstr("the compiler is loaded"));
    EXPECT_THAT(second, HasSubstr("the compiler is not loaded"));
    const std::string checking = "CATENA_CHECK_SCHEDULES=1";
    output_of(GetParam() + names, 1, checking);  // Compiled: the variable is part of the key.
    output_of(GetParam() + names, 1, checking);  // Read, compiled as well, and compared.
}

INSTANTIATE_TEST_SUITE_P(variants, KeptWorkloads, ::testing::Values("step", "compiled"),
                         [](const auto& info) { return std::string(info.param); });

// The key.

/// y = x + x, as recorded.
Trace recording() {
    Trace trace;
    trace.name = "region";
    trace.values.resize(2);
    for (Trace::Value& value : trace.values) value.type = {Dtype::float32, Shape{2, 3}};
    trace.values[0].role = Trace::Role::argument;
    trace.values[0].name = "x";
    Trace::Step& step = trace.steps.emplace_back();
    step.op = find_op("leaky_relu");
    step.inputs = {0};
    step.outputs = {1};
    step.scalars = {0};
    step.attributes = Attributes({{"axis", int64_t(1)}, {"ratio", 0.5}});
    step.location.file = "model.cpp";
    step.location.line = 7;
    step.function = "leaky_relu";
    trace.scalars.push_back({.value = 0.5});
    trace.inputs = {0};
    trace.outputs = {1};
    return trace;
}

std::string key(const std::function<void(Trace&)>& change, const CompileOptions& options = {}) {
    Trace trace = recording();
    change(trace);
    return capture::program_key(trace, options);
}

TEST(ProgramKey, is_that_of_an_equal_recording_with_other_numbers) {
    const std::string known = key([](Trace&) {});
    if (known.empty()) GTEST_SKIP() << "there is no compiler";
    EXPECT_EQ(key([](Trace&) {}), known);
    EXPECT_EQ(key([](Trace& t) { t.scalars[0].value = 3; }), known);
    EXPECT_EQ(key([](Trace& t) { t.values[0].captured = Array::zeros(t.values[0].type); }), known);
}

TEST(ProgramKey, tells_everything_else_apart) {
    std::set<std::string> keys{key([](Trace&) {})};
    if (keys.contains("")) GTEST_SKIP() << "there is no compiler";
    size_t expected = 1;
    const auto add = [&](const char* what, const std::string& key) {
        keys.insert(key);
        EXPECT_EQ(keys.size(), ++expected) << what;
        expected = keys.size();
    };
    add("name", key([](Trace& t) { t.name = "other"; }));
    add("dtype", key([](Trace& t) { t.values[0].type.dtype = Dtype::float64; }));
    add("shape", key([](Trace& t) { t.values[0].type.shape = Shape{3, 2}; }));
    add("rank", key([](Trace& t) { t.values[0].type.shape = Shape{6}; }));
    add("role", key([](Trace& t) { t.values[0].role = Trace::Role::captured; }));
    add("name of a value", key([](Trace& t) { t.values[0].name = "W"; }));
    add("operation", key([](Trace& t) { t.steps[0].op = find_op("elu"); }));
    add("inputs", key([](Trace& t) { t.steps[0].inputs = {0, 0}; }));
    add("outputs of a step", key([](Trace& t) { t.steps[0].outputs = {0}; }));
    add("scalars", key([](Trace& t) { t.steps[0].scalars = {}; }));
    add("integer", key([](Trace& t) {
            t.steps[0].attributes = Attributes({{"axis", int64_t(0)}, {"ratio", 0.5}});
        }));
    add("number", key([](Trace& t) {
            t.steps[0].attributes = Attributes({{"axis", int64_t(1)}, {"ratio", 0.25}});
        }));
    add("kind of a number", key([](Trace& t) {
            t.steps[0].attributes = Attributes({{"axis", true}, {"ratio", 0.5}});
        }));
    add("name of an attribute", key([](Trace& t) {
            t.steps[0].attributes = Attributes({{"axes", int64_t(1)}, {"ratio", 0.5}});
        }));
    add("line", key([](Trace& t) { t.steps[0].location.line = 8; }));
    add("file", key([](Trace& t) { t.steps[0].location.file = "other.cpp"; }));
    add("function", key([](Trace& t) { t.steps[0].function = "other"; }));
    add("scalar slots", key([](Trace& t) { t.scalars.push_back({}); }));
    add("named slot", key([](Trace& t) { t.scalars[0].cell = Cell(1, "alpha").body(); }));
    add("results", key([](Trace& t) { t.outputs = {1, 1}; }));
    add("arguments", key([](Trace& t) { t.inputs = {0, 0}; }));
    add("assigns", key([](Trace& t) { t.assigns = {{0, 1}}; }));
    add("fast_math", key([](Trace&) {}, {.fast_math = true}));
    add("memory_budget", key([](Trace&) {}, {.memory_budget = 1}));
    {
        const auto scope = using_config(&Config::dtype, Dtype::float64);
        add("settings", key([](Trace&) {}));
    }
    setenv("CATENA_TEST_KEY", "1", 1);
    add("environment", key([](Trace&) {}));
    setenv("CATENA_TEST_KEY", "2", 1);
    add("its values", key([](Trace&) {}));
    unsetenv("CATENA_TEST_KEY");
    const int threads = thread_count();
    set_thread_count(threads + 1);
    add("threads", key([](Trace&) {}));
    set_thread_count(threads);
}

}  // namespace
}  // namespace catena::testing
