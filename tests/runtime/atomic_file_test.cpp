#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "catena_atomic_file_XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder); }
    static void write(const fs::path& path, const std::string& text) {
        AtomicFile file(path.string());
        file.write(text.data(), text.size());
        file.commit();
    }
    fs::path folder;
};

TEST_F(AtomicFileTest, replaces_a_file) {
    const fs::path path = folder / "file";
    write(path, "old");
    write(path, "new");
    EXPECT_EQ(FileReader(path.string()).read_all(), "new");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(AtomicFileTest, has_the_access_that_the_umask_allows) {
    for (const mode_t mask : {022, 027, 077}) {
        const mode_t before = umask(mask);
        const fs::path path = folder / "file";
        write(path, "text");
        umask(before);
        struct stat status;
        ASSERT_EQ(stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
    }
}

TEST_F(AtomicFileTest, asks_for_the_umask_without_changing_it) {
    AtomicFile file((folder / "file").string());
    const fs::path temporary = fs::directory_iterator(folder)->path();
    EXPECT_TRUE(temporary.filename().string().starts_with("file.partial-"));
    const mode_t before = umask(022);
    struct stat status;
    ASSERT_EQ(stat(temporary.c_str(), &status), 0);
    umask(before);
    EXPECT_EQ(status.st_mode & 0777, 0666 & ~before) << "it is so from the beginning";
}

TEST_F(AtomicFileTest, replaces_nothing_else) {
    const fs::path pipe = folder / "pipe", below = folder / "below", device = folder / "null";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_directory(below);
    fs::create_symlink("/dev/null", device);
    for (const fs::path& path : {pipe, below, device}) {
        EXPECT_REFUSED_WITHOUT_LINE(
            FileError,
            path.string() +
                ": cannot be written: there is something of that name that is not a regular file",
            write(path, "text"));
    }
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_TRUE(fs::is_directory(below));
    EXPECT_TRUE(fs::is_symlink(device));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 3) << "a temporary file was left";
}

}  // namespace
}  // namespace catena::testing
