// Machine code that one process compiles is loaded by the next.
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class KernelCacheOnDisk : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
        std::string pattern = (fs::temp_directory_path() / "catena_kernels_XXXXXX").string();
        root = mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(root); }

    /// What the stages of a training step's compilation were.
    std::string train(const std::string& cache) const {
        const auto result =
            run("CATENA_TIME=1 CATENA_KERNEL_CACHE=" + cache + " " + program("catena") +
                " bench --here --seconds 0 --variant step mushroom");
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    }
    fs::path file() const { return fs::directory_iterator(root / "kernels")->path(); }
    fs::path root;
};

TEST_F(KernelCacheOnDisk, spares_the_next_process_the_compilation) {
    const std::string cache = (root / "kernels").string();
    EXPECT_THAT(train(cache), HasSubstr("kernels-code"));
    const std::string second = train(cache);
    EXPECT_THAT(second, HasSubstr("kernels-from-disk"));
    EXPECT_THAT(second, Not(HasSubstr("kernels-code")));
    // What is cut is compiled and written again.
    const uintmax_t bytes = fs::file_size(file());
    fs::resize_file(file(), bytes / 2);
    EXPECT_THAT(train(cache), HasSubstr("kernels-code"));
    EXPECT_EQ(fs::file_size(file()), bytes);
    EXPECT_THAT(train(cache), HasSubstr("kernels-from-disk"));
}

TEST_F(KernelCacheOnDisk, can_be_off) {
    EXPECT_THAT(train("off"), HasSubstr("kernels-code"));
    EXPECT_TRUE(fs::is_empty(root));
}

TEST_F(KernelCacheOnDisk, a_folder_that_others_can_write_to_is_refused_with_a_line) {
    const fs::path folder = root / "kernels";
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::all);
    EXPECT_THAT(train(folder.string()), HasSubstr("catena: compiled code is not kept: " +
                                                  folder.string() + " can be written by others"));
    EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace catena::testing
