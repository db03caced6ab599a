// Random trainings that an error ends anywhere: the resumed training equals the uninterrupted one.
#include "tests/trainer/random_training.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/fuzz/environment_number.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

bool is_trainers(const std::string& file) {
    return file.starts_with("snapshot_") || file.starts_with("other_");
}

/// The last key before it, or the text there.
std::string near_difference(const std::string& a, const std::string& b) {
    const auto at = size_t(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    const size_t equals = a.rfind('=', at);
    size_t begin = equals == a.npos ? 0 : equals;
    while (begin > 0 && (std::isalnum(a[begin - 1]) || std::strchr("/_:", a[begin - 1]))) --begin;
    return "at " + a.substr(begin, std::min<size_t>(equals - begin, 100));
}

class RandomTrainings : public ::testing::Test {
protected:
    RandomTrainings() {
        fs::create_directories(folder_ / "bin");
        fs::create_symlink("/bin/true", folder_ / "bin/gnuplot");
        setenv("PATH", (folder_ / "bin").c_str(), 1);
    }
    ~RandomTrainings() override { fs::remove_all(folder_); }

    /// What differs; empty: nothing.
    std::string difference(uint64_t seed, bool* was_resumed = nullptr) {
        RandomTraining training(seed);
        const std::string a = fresh("a"), b = fresh("b");
        const RandomTraining::Outcome whole = training.run(a, false, false),
                                      killed = training.run(b, true, false);
        const bool is_saved = killed.saved_at.has_value();
        if (was_resumed) *was_resumed = is_saved && killed.ended_at < whole.ended_at;
        const RandomTraining::Outcome resumed = training.run(b, false, is_saved);
        const std::vector<std::string> rest(
            whole.events.begin() +
                std::ptrdiff_t(std::min(killed.saved_at.value_or(0), whole.events.size())),
            whole.events.end());
        const std::string of =
            fmt::format("seed {}, killed at {}:{}: ", seed, killed.ended_at, training.description);
        if (resumed.events != rest)
            return of + fmt::format("called {}\nright  {}", fmt::join(resumed.events, ", "),
                                    fmt::join(rest, ", "));
        const auto counts = [&](const std::string& name) {
            return !training.saves_errors || !name.starts_with("snapshot_");
        };
        for (const auto& [name, content] : whole.content) {
            const auto found = resumed.content.find(name);
            if (found == resumed.content.end()) {
                if (counts(name)) return of + name + " is not there";
            } else if (found->second != content &&
                       (!is_trainers(name) || found->second != killed.content_of(name))) {
                return of + name + " differs " + near_difference(content, found->second);
            }
        }
        for (const auto& [name, content] : resumed.content)
            if (!whole.content.contains(name) && counts(name)) return of + name + " is too much";
        return "";
    }

private:
    std::string fresh(const char* name) const {
        const fs::path path = folder_ / name;
        fs::remove_all(path);
        fs::create_directories(path);
        return path.string();
    }
    /// In memory, where there is such a folder: files are synced.
    const fs::path folder_ =
        (fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
        fmt::format("catena_random_training_{}", getpid());
};

// CATENA_FUZZ_TRAININGS says how many (200), CATENA_FUZZ_SEED where to begin (1); a failure prints
// its seed.
TEST_F(RandomTrainings, resumed_ones_equal_those_that_were_not_interrupted) {
    const int64_t trainings = fuzz::environment_number("CATENA_FUZZ_TRAININGS", 200),
                  first = fuzz::environment_number("CATENA_FUZZ_SEED", 1);
    int64_t done = 0, resumed = 0;
    int failures = 0;
    for (; done < trainings && failures < 5; ++done) {
        bool was_resumed = false;
        const std::string difference = this->difference(uint64_t(first + done), &was_resumed);
        resumed += was_resumed;
        if (difference.empty()) continue;
        ++failures;
        ADD_FAILURE() << difference;
    }
    std::cout << "[          ] " << done << " trainings from seed " << first << ", " << resumed
              << " resumed\n";
    EXPECT_GT(resumed * 4, done) << "hardly any had a snapshot to go on from";
}

}  // namespace
}  // namespace catena::testing
