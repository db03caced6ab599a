#include "passes/pipeline/dump.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "ir/dialect.h"
#include "ir/import.h"
#include "passes/pipeline/pipeline.h"
#include "runtime/core/system/error.h"
#include "tests/support/environment.h"

namespace catena::passes {
namespace {

using testing::HasSubstr;

class DumpTest : public testing::Test {
protected:
    DumpTest() {
        ir::load_dialects(context_);
        folder_ = std::filesystem::temp_directory_path() /
                  ("catena_dump_test_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
    }
    ~DumpTest() override { std::filesystem::remove_all(folder_); }

    mlir::OwningOpRef<mlir::ModuleOp> program() {
        return mlir::parseSourceString<mlir::ModuleOp>(R"(
            func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
              %0 = catena.map "exp"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
              ^bb0(%a: f32):
                %1 = math.exp %a : f32 loc("src/user.cpp":7:0)
                catena.yield %1 : f32 loc("src/user.cpp":7:0)
              } loc("src/user.cpp":7:0)
              return %0 : tensor<8xf32>
            })",
                                                       &context_);
    }
    std::string read(const std::string& name) {
        std::ifstream file(folder_ / name);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
    std::string run(DumpSettings settings, const std::string& region = "f") {
        testing::internal::CaptureStderr();
        Dump dump(region, settings);
        auto module = program();
        dump.program("import", *module);
        std::vector<std::string> notes;
        EXPECT_TRUE(mlir::succeeded(run_pipeline(*module, {.dump = &dump}, notes)));
        dump.text("kernel", "ll", "define void @k()");
        return testing::internal::GetCapturedStderr();
    }

    mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
    std::filesystem::path folder_;
};

TEST_F(DumpTest, stages_become_numbered_files_that_are_programs) {
    EXPECT_EQ(run({.directory = folder_}, "a_b"), "");
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "a_b"))
        names.insert(entry.path().filename());
    EXPECT_THAT(names,
                testing::ElementsAre("00-import.mlir", "01-canonicalize.mlir", "02-cse.mlir",
                                     "03-drop-dead.mlir", "04-join-calls.mlir", "05-variance.mlir",
                                     "06-fuse.mlir", "07-recompute.mlir", "08-kernel.ll"));
    std::string fused = read("a_b/06-fuse.mlir");
    EXPECT_THAT(fused, HasSubstr("catena.group \"exp\""));
    EXPECT_THAT(fused, HasSubstr("// user.cpp:7\n"));
    EXPECT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(fused, &context_)) << fused;
}

TEST_F(DumpTest, any_name_of_a_region_is_a_folder_in_the_folder) {
    for (const char* name : {"a/b", "..", "../../outside", "/tmp", ""})
        run({.directory = folder_ / "inside"}, name);
    int folders = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "inside")) {
        EXPECT_TRUE(std::filesystem::exists(entry.path() / "00-import.mlir")) << entry.path();
        ++folders;
    }
    EXPECT_EQ(folders, 5);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(DumpTest, a_region_compiled_again_gets_its_own_folder) {
    run({.directory = folder_}, "twice");
    run({.directory = folder_}, "twice");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "twice" / "00-import.mlir"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "twice-2" / "00-import.mlir"));
}

TEST_F(DumpTest, one_stage_or_all_are_printed) {
    std::string all = run({.print = "after-all"});
    EXPECT_THAT(all, HasSubstr("// ---- f after import"));
    EXPECT_THAT(all, HasSubstr("// ---- f after fuse"));
    std::string one = run({.print = "fuse"});
    EXPECT_THAT(one, HasSubstr("// ---- f after fuse"));
    EXPECT_THAT(one, testing::Not(HasSubstr("after cse")));
}

TEST_F(DumpTest, times_are_per_stage) {
    EXPECT_THAT(run({.time = true}), testing::ContainsRegex("catena: f fuse [0-9.]+ ms\n"));
    EXPECT_EQ(run({}), "");
}

TEST_F(DumpTest, a_stage_that_does_not_exist_is_an_error_with_those_that_do) {
    test::EnvironmentScope scope("CATENA_PRINT_IR", "after-nonsense");
    try {
        DumpSettings::from_environment();
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(
            error.what(),
            HasSubstr("CATENA_PRINT_IR is 'after-nonsense' in the environment and should be one of "
                      "after-all, import, "
                      "canonicalize, cse, drop-dead, join-calls, statistics, variance, tails, "
                      "blocks, fuse, recompute, layout, rematerialize, schedule, kernels"));
    }
}

TEST_F(DumpTest, every_stage_that_is_shown_can_be_named) {
    for (const char* stage : {"import", "fuse", "schedule", "kernels-code", "after-all"}) {
        test::EnvironmentScope scope("CATENA_PRINT_IR", stage);
        EXPECT_EQ(DumpSettings::from_environment().print, stage);
    }
}

}  // namespace
}  // namespace catena::passes
