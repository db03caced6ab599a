// Random programs of all functions as programs in C: against what the package gives.
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/export/exported_rows.h"
#include "tests/export/saved_step.h"
#include "tests/fuzz/function_program_run.h"
#include "tests/fuzz/nearness.h"
#include "tests/ops/host_only.h"

namespace catena::testing {
namespace {

TEST(CRandomPrograms, exported_programs_compute_what_random_programs_do) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    ExportedRows rows(temporary("random_programs"));
    std::vector<fuzz::FunctionProgram> programs;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        const fuzz::FunctionProgram p = fuzz::random_function_program(seed, 5);
        if (p.specials || p.is_random()) continue;
        rows.row = fuzz::to_string(p);
        SCOPED_TRACE(rows.row);
        const size_t before = rows.all().size();
        try {
            rows.add(
                [&](const std::vector<Variable>& xs) {
                    const fuzz::Values ys = fuzz::forward(p, xs);
                    return Variables(std::span<const Variable>(ys));
                },
                fuzz::leaves_of(p));
        } catch (const std::exception& error) {
            // A value that the host reads divides a program, and a part of one is no package.
            const std::string text = error.what();
            if (!tells_of_host_only(text) && text.find("host") == text.npos) ADD_FAILURE() << text;
        }
        if (rows.all().size() > before) programs.push_back(p);
    }
    ASSERT_GT(programs.size(), 20u);
    const std::vector<std::vector<Array>> results = rows.run_c();
    for (size_t i = 0; i < programs.size(); ++i) {
        SCOPED_TRACE(rows.all()[i].row);
        for (size_t k = 0; k < results[i].size(); ++k)
            EXPECT_EQ(fuzz::not_near(rows.all()[i].outputs[k], results[i][k], nullptr,
                                     programs[i].precision(), !rows.all()[i].near, false),
                      "");
    }
    std::printf("%zu programs\n", programs.size());
}

}  // namespace
}  // namespace catena::testing
