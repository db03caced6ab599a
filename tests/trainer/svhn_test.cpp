// House numbers from MATLAB files, and the data sets in MNIST's format.
#include "frontend/dataset/well_known/svhn.h"

#include <limits>

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <filesystem>

#include <zlib.h>

#include "frontend/dataset/well_known/fashion_mnist.h"
#include "frontend/dataset/well_known/idx.h"
#include "frontend/dataset/well_known/mat5.h"
#include "runtime/file/limits.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

std::string number(uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), 4); }

std::string element(uint32_t type, const std::string& content) {
    return number(type) + number(uint32_t(content.size())) + content +
           std::string((8 - content.size() % 8) % 8, '\0');
}

/// A matrix of bytes as MATLAB writes it; sizes columns first.
std::string matrix(const std::string& name, std::vector<uint32_t> sizes, const std::string& bytes,
                   uint32_t kind = 9, uint32_t type = 2) {
    std::string dimensions;
    for (const uint32_t size : sizes) dimensions += number(size);
    return element(14, element(6, number(kind) + number(0)) + element(5, dimensions) +
                           element(1, name) + element(type, bytes));
}

std::string deflated(const std::string& content) {
    std::string packed(compressBound(content.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(content.data()), content.size());
    return number(15) + number(uint32_t(size)) + packed.substr(0, size);
}

const std::string header = std::string(124, ' ') + std::string("\x00\x01IM", 4);

/// n images whose pixel at (channel, row, column) is 10 channel + row + 2 column + image.
std::string images(uint32_t n) {
    std::string bytes;
    for (uint32_t image = 0; image < n; ++image)
        for (uint32_t channel = 0; channel < 3; ++channel)
            for (uint32_t column = 0; column < 32; ++column)
                for (uint32_t row = 0; row < 32; ++row)
                    bytes += char(10 * channel + row + 2 * column + image);
    return matrix("X", {32, 32, 3, n}, bytes);
}

using SvhnTest = testing::FolderTest;

TEST_F(SvhnTest, images_and_labels_are_read) {
    write("train_32x32.mat",
          header + deflated(images(3)) + deflated(matrix("y", {3, 1}, "\x01\x0a\x07")));
    write("test_32x32.mat", header + images(1) + matrix("y", {1, 1}, "\x0a"));  // not compressed
    const std::vector<Dataset> sets = get_svhn(path(), {.scale = 255});
    ASSERT_EQ(sets.size(), 2u);
    ASSERT_EQ(sets[0].size(), 3);
    EXPECT_EQ(sets[0][1][1].item<int>(), 0);  // 10 is the digit 0
    EXPECT_EQ(sets[0][2][1].item<int>(), 7);
    const Array image = sets[0][2][0];
    EXPECT_EQ(image.shape(), (Shape{3, 32, 32}));
    const std::vector<float> pixels = image.to_vector<float>();
    EXPECT_FLOAT_EQ(pixels[(1 * 32 + 5) * 32 + 9], 10 + 5 + 18 + 2);
    EXPECT_EQ(sets[1].size(), 1);
    EXPECT_THAT(message_of<FileError>([&] { get_svhn(path(), {.add_extra = true}); }),
                HasSubstr("extra_32x32.mat"));
    EXPECT_FLOAT_EQ(get_svhn(path(), {.withlabel = false})[0][0][0].to_vector<float>()[1],
                    2.f / 255);
}

// Written by scipy.io.savemat(..., do_compression=True): X[row, column, channel, image] is the
// lowest byte of its number in C order.
TEST_F(SvhnTest, a_file_of_another_library_is_read) {
    for (const char* name : {"train_32x32.mat", "test_32x32.mat"})
        std::filesystem::copy(CATENA_SOURCE_DIR "/tests/trainer/data/two_house_numbers.mat",
                              path(name));
    const Dataset training = get_svhn(path(), {.scale = 255})[0];
    ASSERT_EQ(training.size(), 2);
    EXPECT_EQ(training[0][1].item<int>(), 0);
    EXPECT_EQ(training[1][1].item<int>(), 3);
    for (const auto& [channel, row, column] :
         {std::array{1, 5, 9}, std::array{2, 31, 0}, std::array{0, 0, 31}})
        EXPECT_FLOAT_EQ(training[1][0].to_vector<float>()[(channel * 32 + row) * 32 + column],
                        float((((row * 32 + column) * 3 + channel) * 2 + 1) % 256));
}

TEST_F(SvhnTest, wrong_files_are_refused_by_name) {
    const auto told = [&](const std::string& content) {
        write("train_32x32.mat", content);
        return message_of<FileError>([&] { get_svhn(path()); });
    };
    EXPECT_THAT(told("no file of MATLAB"), HasSubstr("train_32x32.mat: is no MATLAB 5 file"));
    EXPECT_THAT(told(header + images(1)), HasSubstr("X and y are expected"));
    EXPECT_THAT(told(header + images(1) + matrix("y", {1, 1}, "\x0b")), HasSubstr("a label is 11"));
    const auto with_label = [&](double label) {
        return told(header + images(1) +
                    matrix("y", {1, 1},
                           std::string(reinterpret_cast<const char*>(&label), sizeof label), 6, 9));
    };
    EXPECT_THAT(with_label(1.5), HasSubstr("a label is 1.5"));
    EXPECT_THAT(with_label(std::numeric_limits<double>::quiet_NaN()), HasSubstr("a label is nan"));
    EXPECT_THAT(with_label(4294967297.0), HasSubstr("a label is 4294967297"));
    EXPECT_THAT(told(header + images(2) + matrix("y", {1, 1}, "\x01")),
                HasSubstr("X is uint8 [2,3,32,32] and y has 1 elements"));
    EXPECT_THAT(told(header + matrix("X", {2, 2}, "abc")),
                HasSubstr("'X' [2,2] takes 4 bytes, there are 3"));
    EXPECT_THAT(told(header + matrix("c", {1, 1}, "a", 1)),
                HasSubstr("'c' is no array of real numbers (class 1)"));
    EXPECT_THAT(told((header + images(1)).substr(0, 2000)), HasSubstr("bytes are expected and"));
    std::string damaged = header + deflated(images(1));
    damaged[200] = char(damaged[200] + 1);
    EXPECT_THAT(told(damaged), HasSubstr("compressed data are damaged"));
}

TEST_F(SvhnTest, every_truncation_is_an_error_or_fewer_arrays) {
    const std::string whole =
        header + matrix("a", {2, 3}, "abcdef") + deflated(matrix("b", {1, 2}, "gh"));
    write("a.mat", whole);
    const auto arrays = read_mat5(path("a.mat"));
    EXPECT_EQ(arrays.at("a").shape(), (Shape{3, 2}));
    EXPECT_EQ(arrays.at("b").to_vector<int>(), (std::vector<int>{'g', 'h'}));
    for (size_t size = 0; size < whole.size(); ++size) {
        write("a.mat", whole.substr(0, size));
        try {
            EXPECT_LT(read_mat5(path("a.mat")).size(), 2u) << size;
        } catch (const FileError&) {
        }
    }
}

TEST_F(SvhnTest, content_that_unfolds_beyond_the_limit_is_refused) {
    const FileLimits before = file_limits();
    FileLimits limits = before;
    limits.bytes = 1 << 20;
    limits.ratio = 1;
    set_file_limits(limits);
    write("a.mat", header + deflated(matrix("a", {1 << 22, 1}, std::string(1 << 22, 'a'))));
    EXPECT_THAT(message_of<FileError>([&] { read_mat5(path("a.mat")); }),
                HasSubstr("its compressed data"));
    set_file_limits(before);
}

class IdxTest : public testing::FolderTest {
protected:
    /// 65536 bytes: so many that zlib could store them where they belong, and stop before the
    /// checksum.
    std::string compressed(const std::string& more = "") const {
        gzFile file = gzopen(path("idx.gz").c_str(), "wb");
        std::string bytes("\x00\x00\x08\x01\x00\x01\x00\x00", 8);
        for (int i = 0; i < 65536; ++i) bytes += char(i * i / 7);
        bytes += more;
        gzwrite(file, bytes.data(), unsigned(bytes.size()));
        gzclose(file);
        return content("idx.gz");
    }
    Array read(const std::string& bytes) const {
        write("idx.gz", bytes);
        return read_idx(path("idx.gz"), 1);
    }
};

TEST_F(IdxTest, damaged_checksums_cut_files_and_more_content_are_errors) {
    const std::string whole = compressed();
    EXPECT_EQ(read(whole).to_vector<int>().at(1000), 1000 * 1000 / 7 % 256);
    for (size_t at = whole.size() - 8; at < whole.size();
         ++at) {  // CRC and length lie behind the content.
        std::string damaged = whole;
        damaged[at] = char(damaged[at] ^ 4);
        EXPECT_THAT(message_of<FileError>([&] { read(damaged); }),
                    HasSubstr("idx.gz: is damaged: incorrect"))
            << at;
        EXPECT_THAT(message_of<FileError>([&] { read(whole.substr(0, at)); }),
                    HasSubstr("unexpected end of file"))
            << at;
    }
    EXPECT_THAT(message_of<FileError>([&] { read(compressed("4")); }),
                HasSubstr("goes on after the 65544 bytes of content that are expected"));
}

TEST(FashionMnist, labels_have_names) {
    EXPECT_EQ(get_fashion_mnist_labels().size(), 10u);
    EXPECT_EQ(get_fashion_mnist_labels()[9], "Ankle boot");
    EXPECT_EQ(get_kuzushiji_mnist_labels().size(), 10u);
    EXPECT_EQ(get_kuzushiji_mnist_labels()[3], std::pair(std::string("tsu"), std::string("つ")));
    EXPECT_THAT(message_of<FileError>([] { get_fashion_mnist("/nowhere"); }),
                HasSubstr("there is no /nowhere/train-images-idx3-ubyte.gz; download_mnist(), "
                          "download_fashion_mnist()"));
    EXPECT_THAT(message_of<FileError>([] { get_kuzushiji_mnist("/nowhere"); }),
                HasSubstr("/nowhere/train-images-idx3-ubyte.gz"));
}

}  // namespace
}  // namespace catena
