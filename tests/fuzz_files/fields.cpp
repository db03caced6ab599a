#include "tests/fuzz_files/fields.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"

namespace catena::fuzz {
namespace {

namespace fs = std::filesystem;

double number_of_environment(const char* name, double fallback) {
    const char* text = std::getenv(name);
    if (text) {
        const std::string_view whole(text);
        std::from_chars(whole.data(), whole.data() + whole.size(), fallback);
    }
    return fallback;
}

/// In memory, where there is such a folder: every input is a file.
std::string folder_of_files() {
    std::error_code none;
    const bool in_memory = fs::is_directory("/dev/shm", none) && access("/dev/shm", W_OK) == 0;
    std::string pattern =
        ((in_memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "catena_fields_XXXXXX")
            .string();
    return mkdtemp(pattern.data());
}

/// What a file may declare, and what is computed from it.
FileLimits small_limits() {
    FileLimits limits;
    limits.bytes = uint64_t(64) << 20;
    limits.steps = 100;
    limits.memory = uint64_t(256) << 20;
    return limits;
}

}  // namespace

void fuzz_fields(const FieldsRun& run,
                 const std::function<void(const std::string& path, uint64_t seed)>& write,
                 const std::function<void(const std::string& path, uint64_t seed)>& read) {
    const std::string folder = folder_of_files(), path = folder + "/input." + run.kind;
    const uint64_t first = uint64_t(number_of_environment("CATENA_FUZZ_SEED", 1)) << 32;
    const Supervision supervision{
        .first_seed = first,
        .seconds = run.seconds * number_of_environment("CATENA_FUZZ_FILES_SECONDS", 1),
        .least_inputs =
            int64_t(number_of_environment("CATENA_FUZZ_CASES", double(run.least_inputs))),
        .patience = 20,
        .address_bytes = run.address_bytes,
        .most_bytes = run.most_bytes};
    const Tally tally = supervised(supervision, [&](uint64_t seed) {
        set_file_limits(small_limits());
        write(path, seed);
        try {
            read(path, seed);
            return true;
        } catch (const Error&) {
            return false;
        }
    });
    std::cout << "[          ] " << tally.inputs << " files from seed " << (first >> 32) << ", "
              << tally.accepted << " accepted, " << tally.refused << " refused, "
              << tally.failures.size() << " failures, at most " << (tally.peak_bytes >> 20)
              << " MiB and " << tally.slowest << " s\n";
    for (const Tally::Failure& failure : tally.failures) {
        ADD_FAILURE() << "seed " << (failure.seed >> 32) << " file " << (failure.seed & 0xffffffff)
                      << ": " << failure.what;
        if (const char* keep = std::getenv("CATENA_FUZZ_KEEP"))
            write(fmt::format("{}/fields-{:x}.{}", keep, failure.seed, run.kind), failure.seed);
    }
    EXPECT_GT(tally.accepted * 20, tally.inputs) << "hardly anything was accepted";
    EXPECT_GT(tally.refused * 20, tally.inputs) << "hardly anything was refused";
    fs::remove_all(folder);
}

}  // namespace catena::fuzz
