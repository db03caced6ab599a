// HDF5 files of every form that libhdf5 writes, with numbers of their headers changed: what they
// hold or an error of Catena's, and nothing else.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/hdf5.h"
#include "runtime/core/array/array.h"
#include "runtime/core/system/error.h"
#include "tests/fuzz_files/fields.h"
#include "tests/fuzz_files/hdf5_fields.h"

namespace catena::fuzz {
namespace {

/// All that can be read is; then the first error is thrown, if there was one.
void read_entries(const ArchiveReader& file) {
    std::optional<std::string> problem;
    for (const std::string& key : file.keys()) {
        try {
            if (file.is_text(key))
                file.read_text(key);
            else
                to_string(file.read(key));
        } catch (const Error& error) {
            problem = error.what();
        }
    }
    if (problem) fail<FileError>("{}", *problem);
}

TEST(FieldsOfHdf5, give_contents_or_errors_whatever_they_are) {
    if (!hdf5_available()) GTEST_SKIP() << "this build has no HDF5";
    const auto write = [](const std::string& path, uint64_t seed) {
        write_random_hdf5(path, seed);
    };
    const auto read = [](const std::string& path, uint64_t) { read_entries(*open_hdf5(path)); };
    fuzz_fields({.kind = "h5", .seconds = 4}, write, read);
}

}  // namespace
}  // namespace catena::fuzz
