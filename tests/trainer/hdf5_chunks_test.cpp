// Chunks of HDF5 files that unpack to fewer bytes than a chunk has: libhdf5 would read beyond them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/serializer/hdf5.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

using Hdf5Chunks = testing::FolderTest;

void save_x(const std::string& path, const Array& x) {
    save_hdf5(path, SerializeFunction([&](const Serializer& s) { s.write("x", x); }));
}

TEST_F(Hdf5Chunks, that_are_too_short_are_refused) {
    if (!hdf5_available()) GTEST_SKIP() << "built without HDF5";
    std::vector<float> numbers(1200);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = float(i * i % 977);
    save_x(path("x.h5"), Array::from(numbers, {30, 40}));
    std::string file = content("x.h5");
    const std::string begin = "\x78\x5e";  // Of what zlib packs at the level of these files.
    const size_t at = file.find(begin);
    ASSERT_NE(at, file.npos);
    ASSERT_EQ(file.find(begin, at + 1), file.npos) << "which one is the chunk?";
    // Unpacks to "abc".
    const std::string abc(
        "\x78\x01\x01\x03\x00\xfc\xff"
        "abc"
        "\x02\x4d\x01\x27",
        14);
    write("x.h5", file.replace(at, abc.size(), abc));
    EXPECT_THAT(message_of<FileError>([&] { open_hdf5(path("x.h5"))->read("x"); }),
                HasSubstr("'x': its chunk at [0, 0] is damaged: has 3 bytes, not 4800"));
}

TEST_F(Hdf5Chunks, of_any_number_and_size_are_read) {
    if (!hdf5_available()) GTEST_SKIP() << "built without HDF5";
    for (const int64_t rows : {1, 3, 1000, 70001}) {
        std::vector<float> numbers(size_t(rows * 7));
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = float(i % 977);
        save_x(path("x.h5"), Array::from(numbers, {rows, 7}));
        EXPECT_EQ(open_hdf5(path("x.h5"))->read("x").to_vector<float>(), numbers) << rows;
    }
}

}  // namespace
}  // namespace catena
