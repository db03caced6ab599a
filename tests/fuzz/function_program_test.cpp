#include <chrono>
#include <iostream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fuzz/environment_number.h"
#include "tests/fuzz/function_program_check.h"

namespace catena::fuzz {
namespace {

constexpr int calls = 7;

/// So many programs have every function at least once.
int64_t programs_of_a_deck() { return int64_t(all_functions().size() + calls - 1) / calls; }

int64_t first_seed() { return environment_number("CATENA_FUZZ_SEED", 1); }

/// A disagreement, or what no program may throw.
std::string found(const FunctionProgram& program) {
    try {
        return disagreement(program);
    } catch (const std::exception& error) {
        return error.what();
    }
}

// As many programs as it takes to draw every function; CATENA_FUZZ_FUNCTION_PROGRAMS says how many
// more, CATENA_FUZZ_SEED where to begin. A failure prints its seed.
TEST(FunctionProgram, eager_compiled_and_saved_forms_agree) {
    const int64_t first = first_seed(),
                  count = environment_number("CATENA_FUZZ_FUNCTION_PROGRAMS", programs_of_a_deck());
    for (int64_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("CATENA_FUZZ_SEED=" + std::to_string(seed));
        const FunctionProgram program = random_function_program(uint64_t(seed), calls);
        const std::string difference = found(program);
        if (difference.empty()) continue;
        const FunctionProgram small = minimal(program, found);
        ADD_FAILURE() << "CATENA_FUZZ_SEED=" << seed << ": " << difference
                      << "\nat its smallest: " << found(small) << "\n"
                      << to_string(small);
    }
    std::cout << "[          ] " << count << " programs; rounding explains "
              << explained_differences() << " differences\n";
}

TEST(FunctionProgram, every_function_is_drawn) {
    std::set<std::string> drawn, missing;
    int64_t chained = 0, all = 0;
    for (int64_t seed = 1; seed <= programs_of_a_deck(); ++seed)
        for (const FunctionProgram::Call& call :
             random_function_program(uint64_t(seed), calls).calls) {
            drawn.insert(call.row->function);
            for (const auto& argument : call.arguments) chained += argument.call >= 0, ++all;
        }
    for (const FunctionDef* function : all_functions())
        if (!drawn.contains(function->name)) missing.insert(function->name);
    EXPECT_THAT(missing, ::testing::IsEmpty());
    EXPECT_GT(chained, all / 5) << "too few calls take what others gave to mean anything";
}

TEST(FunctionProgram, the_same_seed_is_the_same_program) {
    EXPECT_EQ(to_string(random_function_program(5, calls)),
              to_string(random_function_program(5, calls)));
}

}  // namespace
}  // namespace catena::fuzz
