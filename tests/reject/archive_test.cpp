// .npz archives that lie: each is refused by name, reason and place, before memory or elements are
// touched. Cut and changed archives, and what .npy headers can get wrong, stand in
// tests/frontend/npz_test.cpp.
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>
#include <zlib.h>

#include <gmock/gmock.h>

#include "runtime/file/npy.h"
#include "frontend/serializer/npz.h"
#include "runtime/file/zip_format.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using namespace zip;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string scalar_npy() {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n";
    return std::string("\x93NUMPY\1\0", 8) + char(header.size()) + '\0' + header +
           std::string(4, '\0');
}

/// A stored archive of one entry, in which every number can be a lie.
struct Archive {
    std::string name = "x.npy", content = scalar_npy(), extra;
    uint16_t flags = 0, method = stored, entries = 1;
    uint32_t packed = uint32_t(content.size()), bytes = uint32_t(content.size());
    uint32_t crc =
        uint32_t(crc32(0, reinterpret_cast<const Bytef*>(content.data()), uInt(content.size())));
    uint32_t header_offset = 0;
    std::optional<uint32_t> directory_offset, directory_bytes;

    std::string text() const {
        std::string file = local() + content, directory = central();
        const uint32_t at = uint32_t(file.size());
        file += directory;
        put(file, end_signature);
        put(file, uint32_t(0));  // Disks.
        put(file, entries);
        put(file, entries);
        put(file, directory_bytes.value_or(uint32_t(directory.size())));
        put(file, directory_offset.value_or(at));
        put(file, uint16_t(0));  // No comment.
        return file;
    }

private:
    void describe(std::string& record) const {
        put(record, flags);
        put(record, method);
        put(record, uint32_t(0));  // Time and date.
        put(record, crc);
        put(record, packed);
        put(record, bytes);
        put(record, uint16_t(name.size()));
    }
    std::string local() const {
        std::string record;
        put(record, local_signature);
        put(record, uint16_t(20));
        describe(record);
        put(record, uint16_t(0));
        return record + name;
    }
    std::string central() const {
        std::string record;
        put(record, central_signature);
        put(record, uint32_t(20 | 20 << 16));
        describe(record);
        put(record, uint16_t(extra.size()));
        put(record, uint64_t(0));  // Comment, disk, kind.
        put(record, uint16_t(0));
        put(record, header_offset);
        return record + name + extra;
    }
};

class RejectedArchive : public ::testing::Test {
protected:
    ~RejectedArchive() override { fs::remove(path_); }
    void write(const std::string& content) const {
        std::ofstream(path_, std::ios::binary) << content;
    }
    std::string refused(const Archive& archive) const {
        write(archive.text());
        return refusal<FileError>([&] { read_npz(path_); });
    }
    const std::string path_ =
        fs::temp_directory_path() / fmt::format("catena_reject_{}.npz", getpid());
};

TEST_F(RejectedArchive, an_honest_one_is_read) {
    write(Archive().text());
    NamedArrays arrays = read_npz(path_);
    ASSERT_EQ(arrays.size(), 1u);
    EXPECT_EQ(arrays[0].first, "x");
    EXPECT_EQ(arrays[0].second.item<float>(), 0);
}

TEST_F(RejectedArchive, what_cannot_be_unpacked) {
    EXPECT_THAT(refused({.flags = flag_encrypted}),
                HasSubstr("entry 'x.npy': it is encrypted at byte"));
    EXPECT_THAT(refused({.method = 93}),
                HasSubstr("entry 'x.npy': compression method 93 (0 and 8 are known)"));
    EXPECT_THAT(refused({.method = deflated}),
                HasSubstr("the compressed data is damaged near byte"));
}

TEST_F(RejectedArchive, sizes_that_are_not_there) {
    const uint32_t right = uint32_t(scalar_npy().size());
    EXPECT_THAT(refused({.bytes = right + 1}),
                HasSubstr(fmt::format("stored, yet {} bytes became {}", right + 1, right)));
    EXPECT_THAT(refused({.packed = 1u << 30, .bytes = 1u << 30}), HasSubstr("do not fit the file"));
    EXPECT_THAT(refused({.packed = right + 60, .bytes = right + 60}), HasSubstr("x.npy"));
    EXPECT_THAT(refused({.header_offset = 1u << 30}), HasSubstr("do not fit the file"));
    EXPECT_THAT(refused({.header_offset = 7}), HasSubstr("no header of entry 'x.npy' at byte 7"));
}

TEST_F(RejectedArchive, a_wrong_checksum) {
    EXPECT_THAT(refused({.crc = 0x12345678}), HasSubstr("not 12345678: the data is damaged"));
}

TEST_F(RejectedArchive, a_directory_elsewhere) {
    EXPECT_THAT(refused({.entries = 2}), HasSubstr("1 directory entries where 2 are declared"));
    EXPECT_THAT(refused({.directory_offset = 1u << 30}),
                HasSubstr("a directory of 51 bytes that does not fit"));
    EXPECT_THAT(refused({.directory_offset = 3}), HasSubstr("no directory entry at byte 3"));
    EXPECT_THAT(refused({.directory_bytes = 0x7fffffff}), HasSubstr("that does not fit"));
    EXPECT_THAT(refused({.directory_bytes = 50}), HasSubstr("a cut directory entry"));
}

TEST_F(RejectedArchive, zip64_fields_without_their_numbers) {
    EXPECT_THAT(refused({.extra = std::string("\1\0\0\0", 4), .bytes = in_zip64_32}),
                HasSubstr("a zip64 field without its sizes"));
    EXPECT_THAT(refused({.extra = std::string("\1\0\x40\0", 4)}),
                HasSubstr("an extra field that is longer than its record"));
    EXPECT_THAT(refused({.extra = std::string("\1\0\10\0\xff\xff\xff\xff\xff\xff\xff\xff", 12),
                         .bytes = in_zip64_32}),
                HasSubstr("stored, yet 18446744073709551615 bytes"));
}

TEST_F(RejectedArchive, what_is_no_archive_at_all) {
    write("");
    EXPECT_THAT(refusal<FileError>([&] { read_npz(path_); }),
                HasSubstr("is not a valid zip archive"));
    write(scalar_npy());
    EXPECT_THAT(refusal<FileError>([&] { read_npz(path_); }),
                HasSubstr("no end record (a truncated file?)"));
    EXPECT_THAT(refusal<FileError>([&] { read_npz(fs::temp_directory_path().string()); }),
                HasSubstr("is not a regular file"));
    EXPECT_THAT(refusal<FileError>([] { read_npz("/no/such/file.npz"); }),
                ::testing::StrEq("/no/such/file.npz: cannot be opened: No such file or directory"));
}

TEST_F(RejectedArchive, random_damage_is_an_error_or_harmless) {
    const std::string sound[] = {scalar_npy(), Archive().text()};
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string damaged = sound[i % 2];
        for (int k = 1 + i % 4; k > 0; --k) damaged[random() % damaged.size()] = char(random());
        write(damaged);
        try {
            if (i % 2)
                read_npz(path_);
            else
                load_npy(path_);
        } catch (const Error&) {
        }
    }
}

}  // namespace
}  // namespace catena::testing
