#include "tests/fuzz/random_host_program.h"

#include <chrono>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/settings/config.h"
#include "tests/fuzz/environment_number.h"

namespace catena::fuzz {
namespace {

// CATENA_FUZZ_PROGRAMS says how many (200), CATENA_FUZZ_SEED where to begin (1),
// CATENA_FUZZ_SECONDS when to stop (60, once a fifth is done); a failure prints its seed.
TEST(RandomHostProgram, compiled_regions_do_what_the_code_does) {
    const int64_t programs = environment_number("CATENA_FUZZ_PROGRAMS", 200),
                  first = environment_number("CATENA_FUZZ_SEED", 1);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(environment_number("CATENA_FUZZ_SECONDS", 60));
    constexpr int most_failures = 5;
    int64_t done = 0, calls = 0, errors = 0, failures = 0, refused = 0, compiled = 0, cuts = 0,
            made = 0;
    std::map<std::string, int> reasons;
    for (; done < programs && failures < most_failures; ++done) {
        if (done * 5 >= programs && std::chrono::steady_clock::now() > end) break;
        const HostProgram program = random_host_program(uint64_t(first + done));
        const Outcome outcome = compare(program);
        calls += outcome.calls;
        errors += outcome.errors;
        compiled += outcome.compiled_calls;
        cuts += outcome.cuts;
        made += outcome.programs;
        if (!outcome.trace_error.empty()) {
            ++refused;
            ++reasons[outcome.trace_error.substr(0, 100)];
        }
        if (outcome.difference.empty()) continue;
        ++failures;
        const HostProgram small = minimal(program);
        ADD_FAILURE() << "seed " << first + done << ":\n"
                      << outcome.difference << "\nat its smallest:\n"
                      << compare(small).difference << to_string(small);
    }
    std::cout << "[          ] " << done << " programs from seed " << first << ", " << calls
              << " calls, " << errors << " with errors, " << compiled << " compiled, " << cuts
              << " cuts, " << made << " programs compiled, " << refused << " refused\n";
    for (auto& [reason, times] : reasons)
        std::cout << "[          ] " << times << " times: " << reason << "\n";
    EXPECT_LE(refused * 10, done) << "what the rules refuse must be rare, or nothing is tested";
    EXPECT_LE(errors * 4, calls) << "calls that fail hide what comes after";
    EXPECT_GT(calls, 3 * done) << "programs that end at once test nothing";
    if (!compiler_available() || !config().use_static_graph) return;
    EXPECT_GT(compiled, done) << "hardly anything ran compiled";
}

TEST(RandomHostProgram, the_same_seed_is_the_same_program) {
    EXPECT_EQ(to_string(random_host_program(7)), to_string(random_host_program(7)));
    EXPECT_NE(to_string(random_host_program(7)), to_string(random_host_program(8)));
}

TEST(RandomHostProgram, programs_do_everything_that_there_is) {
    std::map<Act, int> seen;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        const HostProgram p = random_host_program(seed);
        for (const auto* list : {&p.before, &p.forward, &p.rest})
            for (const Action& a : *list) ++seen[a.act];
    }
    for (int act = 0; act < act_count; ++act) EXPECT_GE(seen[Act(act)], 3) << name_of(Act(act));
}

/// How many of sixty programs show a fault that was put in.
int noticed(Fault fault, std::string* smallest = nullptr) {
    int found = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        const HostProgram program = random_host_program(seed);
        if (compare(program, fault).difference.empty()) continue;
        if (found++ == 0 && smallest) *smallest = to_string(minimal(program, fault));
    }
    return found;
}

TEST(RandomHostProgram, an_input_that_is_wrong_in_one_run_is_noticed_and_the_program_cut_down) {
    std::string smallest;
    EXPECT_GE(noticed(Fault::perturbed_input, &smallest), 50);
    EXPECT_NE(smallest.find("3 calls"), std::string::npos) << smallest;
}

TEST(RandomHostProgram, an_action_that_is_left_out_or_a_state_that_is_lost_is_noticed) {
    EXPECT_GE(noticed(Fault::skipped_action), 5);
    EXPECT_GE(noticed(Fault::lost_state), 40);
}

TEST(RandomHostProgram, a_state_that_lies_elsewhere_in_memory_is_noticed) {
    EXPECT_GE(noticed(Fault::moved_state), 40);
}

}  // namespace
}  // namespace catena::fuzz
