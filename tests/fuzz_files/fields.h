#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/fuzz_files/supervised.h"

namespace catena::fuzz {

/// What a test of changed fields is about, for its limits and its report.
struct FieldsRun {
    const char* kind = "";  ///< "models", in the line it prints, and the ending of kept files.
    double seconds = 4;     ///< Times CATENA_FUZZ_FILES_SECONDS.
    int64_t least_inputs = 200;
    int64_t address_bytes = int64_t(4) << 30;
    int64_t most_bytes = int64_t(2) << 30;  ///< Of memory; more of it is a failure.
};

/// Reads a file for each seed: `write` makes it at a path, `read` is what must not fail but by an
/// Error of Catena's. CATENA_FUZZ_SEED says where to begin (1), CATENA_FUZZ_FILES_SECONDS how many
/// times longer it runs, CATENA_FUZZ_CASES how many files at least; a failure prints its seed, and
/// its files stay in CATENA_FUZZ_KEEP, if that is a folder.
void fuzz_fields(const FieldsRun& run,
                 const std::function<void(const std::string& path, uint64_t seed)>& write,
                 const std::function<void(const std::string& path, uint64_t seed)>& read);

}  // namespace catena::fuzz
