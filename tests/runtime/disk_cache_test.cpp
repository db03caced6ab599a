#include "runtime/file/disk_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/mutator.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "catena_disk_cache_XXXXXX").string();
        root = mkdtemp(pattern.data());
        folder = root / "kernels";
    }
    void TearDown() override { fs::remove_all(root); }
    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
        return found;
    }
    fs::path root, folder;
};

TEST_F(DiskCacheTest, gives_back_what_another_process_stored) {
    DiskCache(folder, 1 << 20).store("a kernel", std::string("code\0code", 9));
    DiskCache other(folder, 1 << 20);
    EXPECT_EQ(other.find("a kernel"), std::string("code\0code", 9));
    EXPECT_EQ(other.find("another"), std::nullopt);
    EXPECT_EQ(other.counts().found, 1);
    EXPECT_EQ(other.counts().missed, 1);
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(files()[0].filename(), fingerprint("a kernel"));
}

TEST_F(DiskCacheTest, damaged_entries_are_ignored_and_written_again) {
    DiskCache cache(folder, 1 << 20);
    cache.store("a kernel", "the code");
    const fs::path file = files().at(0);
    for (uintmax_t length : {uintmax_t(0), uintmax_t(20), fs::file_size(file) - 1}) {
        fs::resize_file(file, length);
        EXPECT_EQ(cache.find("a kernel"), std::nullopt);
        cache.store("a kernel", "the code");
        EXPECT_EQ(cache.find("a kernel"), "the code");
    }
    {
        std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekp(-1, std::ios::end);
        bytes.put('x');
    }
    EXPECT_EQ(cache.find("a kernel"), std::nullopt);
    EXPECT_EQ(cache.counts().damaged, 4);
    // The file of one key under the name of another.
    cache.store("a kernel", "the code");
    fs::copy_file(file, folder / fingerprint("another"));
    EXPECT_EQ(cache.find("another"), std::nullopt);
}

TEST_F(DiskCacheTest, forgets_what_was_longest_unused) {
    DiskCache cache(folder, 10'000);
    const std::string value(1000, 'x');
    for (int i = 0; i < 9; ++i) {
        cache.store("kernel " + std::to_string(i), value);
        struct timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
        utimensat(AT_FDCWD, (folder / fingerprint("kernel " + std::to_string(i))).c_str(), times,
                  0);
    }
    EXPECT_TRUE(cache.find("kernel 0"));  // Used now.
    cache.store("kernel 9", value);
    EXPECT_TRUE(cache.find("kernel 0"));
    EXPECT_FALSE(cache.find("kernel 1"));
    EXPECT_TRUE(cache.find("kernel 8"));
    EXPECT_TRUE(cache.find("kernel 9"));
    EXPECT_GT(cache.counts().deleted, 0);
    cache.store("too large", std::string(20'000, 'x'));
    EXPECT_FALSE(cache.find("too large"));
}

TEST_F(DiskCacheTest, stores_nothing_that_is_larger_than_files_may_be) {
    DiskCache cache(folder, 1 << 20);
    rlimit before{}, small{};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &small);  // Beyond it the system sends a signal that ends the process.
    cache.store("a kernel", std::string(1000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(cache.find("a kernel"), std::nullopt);
    EXPECT_TRUE(files().empty());
    cache.store("a kernel", "the code");
    EXPECT_EQ(cache.find("a kernel"), "the code");
}

TEST_F(DiskCacheTest, belongs_to_one_user) {
    DiskCache first(folder, 1 << 20);
    struct stat status;
    ASSERT_EQ(stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    chmod(folder.c_str(), 0777);
    DiskCache second(folder, 1 << 20);
    EXPECT_FALSE(second.on());
    EXPECT_THAT(second.problem(), ::testing::HasSubstr("can be written by others"));
    second.store("a kernel", "code");
    EXPECT_TRUE(files().empty());
    std::ofstream(root / "file") << "no folder";
    EXPECT_THAT(DiskCache(root / "file", 1).problem(), ::testing::HasSubstr("is not a folder"));
    EXPECT_FALSE(DiskCache("", 1).on());
}

TEST_F(DiskCacheTest, finds_by_name_what_has_the_key_of_that_name) {
    DiskCache cache(folder, 1 << 20);
    cache.store("a kernel", "the code");
    EXPECT_EQ(cache.find_named(fingerprint("a kernel")), "the code");
    EXPECT_EQ(cache.find_named(fingerprint("another")), std::nullopt);
    fs::rename(files().at(0), folder / fingerprint("another"));
    EXPECT_EQ(cache.find_named(fingerprint("another")), std::nullopt);
}

TEST(Fingerprint, is_that_of_the_reference) {
    EXPECT_EQ(fingerprint(""),
              "99aa06d3014798d86001c324468d497f");  // XXH3_128bits of nothing, seed 0.
    EXPECT_NE(fingerprint("abc"), fingerprint("abd"));
}

TEST_F(DiskCacheTest, what_cannot_be_read_is_a_miss) {
    DiskCache cache(folder, 1 << 20);
    cache.store("a kernel", "the code");
    const fs::path file = files()[0];
    const auto instead = [&](const char* what, auto&& make) {
        fs::remove_all(file);
        make();
        EXPECT_EQ(cache.find("a kernel"), std::nullopt) << what;
    };
    instead("a folder: reading it is an error", [&] { fs::create_directory(file); });
    instead("a pipe that nobody writes to", [&] { ASSERT_EQ(mkfifo(file.c_str(), 0600), 0); });
    instead("a device", [&] { fs::create_symlink("/dev/zero", file); });
    instead("memory of nobody: reading it is an error",
            [&] { fs::create_symlink("/proc/self/mem", file); });
    instead("a link to itself", [&] { fs::create_symlink(file, file); });
    instead("more than the cache may hold", [&] {
        std::ofstream(file).put('x');
        fs::resize_file(file, uintmax_t(1) << 40);
    });
    fs::remove(file);
    cache.store("a kernel", "the code");
    EXPECT_EQ(cache.find("a kernel"), "the code");
}

TEST_F(DiskCacheTest, damage_of_any_kind_gives_the_value_or_nothing) {
    DiskCache cache(folder, 1 << 20);
    const std::string key = "a kernel", value(300, 'v');
    cache.store(key, value);
    const fs::path file = files()[0];
    std::ifstream whole(file, std::ios::binary);
    const std::vector<std::string> corpus{std::string(std::istreambuf_iterator<char>(whole), {})};
    int missed = 0;
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        testing::Random random(seed);
        const std::string damaged = testing::mutated(corpus, random);
        fs::remove(file);  // A file system may wait for its disk where one is written over.
        std::ofstream(file, std::ios::binary) << damaged;
        const std::optional<std::string> found = cache.find(key);
        EXPECT_EQ(found.has_value(), damaged == corpus[0]) << "seed " << seed;
        if (found) {
            EXPECT_EQ(*found, value) << "seed " << seed;
        }
        missed += !found;
    }
    EXPECT_GT(missed, 1500);
}

}  // namespace
}  // namespace catena
