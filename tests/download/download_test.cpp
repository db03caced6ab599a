// Downloads from file:// addresses, and what is said when there is no network.
#include "frontend/download/download.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/dataset/well_known/cifar.h"
#include "frontend/download/archive.h"
#include "frontend/download/datasets.h"
#include "runtime/core/system/error.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

class Download : public ::testing::Test {
protected:
    fs::path folder =
        fs::path(::testing::TempDir()) / ("catena_download_" + std::to_string(getpid()));
    void SetUp() override {
        fs::create_directories(folder / "remote");
        set_dataset_root(folder / "cache");
    }
    void TearDown() override {
        set_dataset_root("");
        fs::remove_all(folder);
    }
    std::string url() const { return "file://" + (folder / "remote").string() + "/"; }
    void put(const fs::path& path, const std::string& content) const {
        fs::create_directories((folder / path).parent_path());
        std::ofstream(folder / path, std::ios::binary) << content;
    }
    std::string get(const fs::path& path) const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const FileError& error) {
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const char* const abc_md5 = "900150983cd24fb0d6963f7d28e17f72";  // RFC 1321's test suite
const char* const abc_sha256 =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-2's

TEST_F(Download, stores_files_whose_published_checksums_are_right) {
    put("remote/a", "abc");
    download_missing(folder / "to", {{"a", "", abc_md5}}, {url()});
    EXPECT_EQ(get(folder / "to/a"), "abc");
    fs::remove(folder / "to/a");
    download_missing(folder / "to", {{"a", abc_sha256, abc_md5}}, {url()});
    EXPECT_EQ(get(folder / "to/a"), "abc");
    put("remote/a", "other");
    download_missing(folder / "to", {{"a", "", abc_md5}}, {url()});  // It is there.
    fs::remove(folder / "to/a");
    const std::string error =
        error_of([&] { download_missing(folder / "to", {{"a", "", abc_md5}}, {url()}); });
    EXPECT_TRUE(has(error,
                    "5 bytes with md5 795f3202b17cb6bc3d4b771d8c6c9eaf, expected "
                    "900150983cd24fb0d6963f7d28e17f72"))
        << error;
    EXPECT_FALSE(fs::exists(folder / "to/a"));
}

TEST_F(Download, of_every_set_says_which_file_belongs_where) {
    const struct {
        std::string set, file;
        std::string (*download)(const std::string&);
    } sets[] = {{"fashion_mnist", "train-images-idx3-ubyte.gz", download_fashion_mnist},
                {"kuzushiji_mnist", "train-images-idx3-ubyte.gz", download_kuzushiji_mnist},
                {"cifar10", "cifar-10-binary.tar.gz", download_cifar10},
                {"cifar100", "cifar-100-binary.tar.gz", download_cifar100},
                {"ptb", "ptb.train.txt", download_ptb},
                {"svhn", "train_32x32.mat",
                 [](const std::string& url) { return download_svhn(true, url); }}};
    for (const auto& [set, file, download] : sets) {
        const std::string error = error_of([&] { download(url()); });
        EXPECT_TRUE(has(error, file + " is not in " + (folder / "cache" / set).string())) << error;
        EXPECT_TRUE(has(error, url() + file)) << error;
        EXPECT_TRUE(has(error, "put the file there by hand")) << error;
        put("remote/" + file, "not the file");
        EXPECT_TRUE(has(error_of([&] { download(url()); }), "12 bytes with md5 ")) << set;
    }
}

TEST_F(Download, takes_what_is_there) {
    for (const char* part : {"train", "valid", "test"})
        put(fs::path("cache/ptb") / ("ptb." + std::string(part) + ".txt"), "a b\n");
    EXPECT_EQ(download_ptb(url()), (folder / "cache/ptb").string());
    const std::string record(1 + 3072, '\3');
    for (const char* name : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                             "data_batch_5", "test_batch"})
        put(fs::path("cache/cifar10") / (std::string(name) + ".bin"), record);
    const auto [train, test] = get_cifar10(download_cifar10(url()));
    EXPECT_EQ(train.size(), 5);
    EXPECT_EQ(test[0][1].item<int32_t>(), 3);
}

TEST_F(Download, is_cached_by_its_address) {
    put("remote/a", "abc");
    const std::string path = cached_download(url() + "a", abc_sha256);
    EXPECT_EQ(get(path), "abc");
    EXPECT_EQ(fs::path(path).parent_path(), folder / "cache/_dl_cache");
    put("remote/a", "changed");
    EXPECT_EQ(cached_download(url() + "a"), path);
    EXPECT_EQ(get(path), "abc");
    put("remote/b", "b");
    EXPECT_NE(cached_download(url() + "b"), path);
    EXPECT_TRUE(has(error_of([&] { cached_download(url() + "none"); }),
                    "put its content into " + (folder / "cache/_dl_cache").string()));
    put("remote/c", "c");
    EXPECT_TRUE(
        has(error_of([&] { cached_download(url() + "c", abc_sha256); }), "1 bytes with sha256 "));
}

TEST_F(Download, unpacks_archives) {
    const std::string big(100000, 'x');
    put("set/inner/one.bin", "first");
    put("set/two.bin", big);
    put("set/other", "not asked for");
    const std::string archive = (folder / "set.tar.gz").string();
    ASSERT_EQ(
        std::system(
            ("tar -C " + folder.string() + " --format=ustar -czf " + archive + " set").c_str()),
        0);
    fs::create_directories(folder / "to");
    unpack_tar_gz(archive, folder / "to", {"one.bin", "two.bin"});
    EXPECT_EQ(get(folder / "to/one.bin"), "first");
    EXPECT_EQ(get(folder / "to/two.bin"), big);
    EXPECT_FALSE(fs::exists(folder / "to/other"));
    EXPECT_TRUE(has(error_of([&] { unpack_tar_gz(archive, folder / "to", {"three.bin"}); }),
                    "there is no 'three.bin'"));
    const std::string whole = get(archive);
    for (size_t length = 0; length < whole.size(); length += 11) {
        put("cut.tar.gz", whole.substr(0, length));
        EXPECT_THROW(
            unpack_tar_gz(folder / "cut.tar.gz", folder / "to", {"one.bin", "two.bin", "three"}),
            FileError)
            << length;
    }
    std::string damaged = whole;
    damaged[damaged.size() - 6] ^= 1;  // Of the checksum.
    put("damaged.tar.gz", damaged);
    fs::create_directories(folder / "nothing");
    EXPECT_TRUE(has(error_of([&] {
                        unpack_tar_gz(folder / "damaged.tar.gz", folder / "nothing", {"one.bin"});
                    }),
                    "incorrect data check"));
    EXPECT_TRUE(fs::is_empty(folder / "nothing"));
    put("plain.tar.gz", std::string(2048, 'a'));
    EXPECT_TRUE(
        has(error_of([&] { unpack_tar_gz(folder / "plain.tar.gz", folder / "to", {"one.bin"}); }),
            "no whole .tar.gz archive"));
}

}  // namespace
}  // namespace catena::testing
