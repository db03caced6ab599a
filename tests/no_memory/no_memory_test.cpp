// Each allocation fails once, alone or with all that follow: the work ends with an error of
// Catena's or with the right result, and what is done next is right.
//
// Every run of the tests fails some allocations of each work. CATENA_FUZZ_NO_MEMORY=all fails every
// one (of a first call's, which asks the compiler and the libraries for all they have, every
// CATENA_FUZZ_NO_MEMORY_STEP-th, 25), "own" those of a first call that Catena's own code asks for
// (every CATENA_FUZZ_NO_MEMORY_STEP-th of them), and a number that one.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/no_memory/works.h"
#include "tests/support/environment.h"

namespace catena::testing {
namespace {

constexpr int64_t all_that_follow = int64_t(1) << 40;

/// What docs/out_of_memory.md says of libraries: what they do where an allocation of their own
/// fails.
struct Limit {
    const char* library;
    bool dies;      ///< The process ends there.
    bool is_spent;  ///< Its later calls fail.
    bool rounds;    ///< It goes on by another method, which rounds otherwise.
};
constexpr Limit limits[] = {
    {"libdnnl", true, true, true},
    {"libhdf5", true, true, false},
    {"libcatena_compiler", true, true, false},
    {"libLLVM", true, true, false},
    {"libMLIR", true, true, false},
    {"libgomp", true, false, false},
    {"libc.so", true, false, false},
    {"ld-linux", true, false, false},
    {"", true, false, false},
};

/// The C library ends the process where it has no memory to note what a thread has for itself.
bool notes_a_thread(const CallStack& stack) {
    return std::any_of(stack.frames.begin(), stack.frames.begin() + stack.size, [](const auto& f) {
        return std::string_view(f.function).starts_with("__cxa_thread_atexit");
    });
}

bool is_named_limit(const Trial& trial) {
    if (trial.outcome == Outcome::died && notes_a_thread(trial.death)) return true;
    return std::ranges::any_of(limits, [&](const Limit& limit) {
        const std::string_view library = limit.library, asker = trial.failed.asker();
        if (library.empty() ? !asker.empty() : !asker.starts_with(library)) return false;
        return (trial.outcome == Outcome::died && limit.dies) ||
               (trial.outcome == Outcome::unusable && limit.is_spent) ||
               (trial.outcome == Outcome::other_bits && limit.rounds);
    });
}

/// This program's own lists and strings are not Catena's.
bool is_callers(const Trial& trial) {
    return trial.outcome == Outcome::other_error && trial.latest.asker() == "test_no_memory" &&
           std::string_view(trial.message).starts_with("St9bad_alloc");
}

std::string described(const CallStack& stack) {
    std::string text;
    for (int i = 0; i < stack.size; ++i) {
        const CallStack::Frame& frame = stack.frames[size_t(i)];
        text += fmt::format("    {}+{:#x} {}\n", frame.library, frame.offset, frame.function);
    }
    return text;
}

void check(const std::string& name, const std::vector<Trial>& list) {
    std::map<std::string, int> counts;
    for (const Trial& trial : list) {
        ++counts[fmt::format("{} in {}", name_of(trial.outcome), trial.failed.asker())];
        if (trial.outcome == Outcome::right || trial.outcome == Outcome::refused ||
            is_named_limit(trial) || is_callers(trial))
            continue;
        ADD_FAILURE() << name << ", allocation " << trial.number << ": " << name_of(trial.outcome)
                      << ": " << trial.message << "\n  failed in\n"
                      << described(trial.failed) << (trial.death.size ? "  died in\n" : "")
                      << described(trial.death);
    }
    std::cout << name << ": " << list.size() << " failing allocations";
    for (const auto& [what, count] : counts) std::cout << ", " << count << " " << what;
    std::cout << std::endl;
}

bool is_wish(std::string_view text) {
    const char* const wish = std::getenv("CATENA_FUZZ_NO_MEMORY");
    return wish && wish == text;
}

std::optional<int64_t> the_one() {
    const char* const wish = std::getenv("CATENA_FUZZ_NO_MEMORY");
    if (!wish || !*wish || is_wish("all") || is_wish("own")) return std::nullopt;
    return std::atoll(wish);
}

int64_t step_of_first_calls() {
    const char* const wish = std::getenv("CATENA_FUZZ_NO_MEMORY_STEP");
    return wish && *wish ? std::atoll(wish) : 25;
}

/// Every so many of Catena's own.
TrialOptions own_of(const NamedWork& work, int64_t many) {
    TrialOptions options{.many = many, .first_run = true};
    const std::vector<int64_t> own = own_allocations(work.make);
    const auto step = size_t(step_of_first_calls());
    for (size_t i = 0; i < own.size(); i += step) options.numbers.push_back(own[i]);
    options.most = int64_t(options.numbers.size());
    return options;
}

/// Which allocations fail: in every run of the tests some, at distances that meet other places in
/// other works.
TrialOptions options_of(const NamedWork& work, int64_t many, int64_t distance) {
    if (const std::optional<int64_t> one = the_one())
        return {.first = *one, .most = 1, .many = many, .first_run = work.is_first};
    if (is_wish("own") && work.is_first) return own_of(work, many);
    if (is_wish("all") || is_wish("own"))
        return {.step = work.is_first ? step_of_first_calls() : 1,
                .many = many,
                .first_run = work.is_first};
    return {.first = distance,
            .step = work.is_first ? 40 * distance : distance,
            .most = work.compiles && work.is_first ? 2 : 25,
            .many = many,
            .first_run = work.is_first};
}

class NoMemory : public ::testing::TestWithParam<const char*> {};

TEST_P(NoMemory, ends_in_an_error_that_leaves_everything_usable) {
    if (!allocations_can_fail()) GTEST_SKIP() << "a sanitizer has malloc";
    // Else programs of another process would be read instead of compiled.
    const test::EnvironmentScope no_cache("CATENA_KERNEL_CACHE", "off");
    const std::string name = GetParam();
    const std::optional<NamedWork> work = find_work(name, ::testing::TempDir());
    if (!work) GTEST_SKIP() << "not in this build";
    if (work->compiles && !compiler_installed()) GTEST_SKIP() << "built without the compiler";
    check(name, trials(work->make, options_of(*work, 1, 3)));
    check(name + ", and all that follow",
          trials(work->make, options_of(*work, all_that_follow, 4)));
}

INSTANTIATE_TEST_SUITE_P(works, NoMemory, ::testing::ValuesIn(work_names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace catena::testing
