#include "tests/fuzz/random_program.h"

#include <chrono>
#include <iostream>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/fuzz/environment_number.h"

namespace catena::fuzz {
namespace {

// CATENA_FUZZ_SECONDS says how long (8, but 40 programs at least), CATENA_FUZZ_SEED where to begin
// (1); a failure prints its seed.
constexpr int64_t least_programs = 40;

TEST(RandomProgram, eager_and_compiled_agree_with_float64_gradients_included) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    auto end = std::chrono::steady_clock::now() +
               std::chrono::seconds(environment_number("CATENA_FUZZ_SECONDS", 8));
    int64_t first = environment_number("CATENA_FUZZ_SEED", 1), seed = first;
    for (; seed < first + least_programs || std::chrono::steady_clock::now() < end; ++seed) {
        Program program = random_program(uint64_t(seed), 3 + int(seed % 28));
        std::string difference = disagreement(program);
        if (difference.empty()) continue;
        Program small = minimal(program);
        ADD_FAILURE() << "seed " << seed << ": " << difference
                      << "\nat its smallest: " << disagreement(small) << "\n"
                      << reproducer(small);
        return;
    }
    std::cout << "[          ] " << seed - first << " programs, seeds " << first << " to "
              << seed - 1 << "\n";
}

TEST(RandomProgram, sizes_planned_from_others_give_the_bits_of_compiled_ones) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const int64_t sizes[] = {5, 9, 7, 6, 8, 31, 13, 40, 1, 3, 4, 17, 2, 77, 60, 15, 0, 12, 90, 500};
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(environment_number("CATENA_FUZZ_SECONDS", 8));
    const int64_t first = environment_number("CATENA_FUZZ_SEED", 1);
    int64_t seed = first, resized = 0;
    for (; seed < first + least_programs || std::chrono::steady_clock::now() < end; ++seed) {
        const Program program = random_program(uint64_t(seed), 3 + int(seed % 28));
        const std::string difference = disagreement_of_sizes(program, sizes, resized);
        if (difference.empty()) continue;
        ADD_FAILURE() << "seed " << seed << ": " << difference << "\n" << reproducer(program);
        return;
    }
    std::cout << "[          ] " << seed - first << " programs, " << resized
              << " sizes planned from others\n";
    EXPECT_GT(resized, 20) << "too few sizes were planned to mean anything";
}

TEST(RandomProgram, the_same_seed_is_the_same_program) {
    EXPECT_EQ(reproducer(random_program(7, 20)), reproducer(random_program(7, 20)));
    EXPECT_GT(random_program(7, 20).values.size(), 15u);
}

TEST(RandomProgram, a_part_that_disagrees_is_found_and_written_as_a_program) {
    // Nothing disagrees here: the smallest part of an agreeing program is the program.
    Program program = random_program(3, 6);
    EXPECT_EQ(minimal(program).values.size(), program.values.size());
    EXPECT_NE(reproducer(program).find("static_graph"), std::string::npos);
}

}  // namespace
}  // namespace catena::fuzz
