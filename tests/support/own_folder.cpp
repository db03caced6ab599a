#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

namespace catena::test {
namespace {

/// Gives each process of tests a folder of its own as testing::TempDir(), and removes it at the
/// end: tests run side by side, one process each, and two that chose the same name for a file would
/// take it from each other.
class OwnFolder {
public:
    OwnFolder() {
        path_ = ::testing::TempDir() + "XXXXXX";
        if (!mkdtemp(path_.data()))
            return;  // TempDir() stays what it was; a test that writes there says what is wrong.
        owner_ = getpid();
        setenv("TEST_TMPDIR", (path_ + "/").c_str(), 1);
    }
    ~OwnFolder() {
        std::error_code ignored;
        if (getpid() == owner_) std::filesystem::remove_all(path_, ignored);
    }

private:
    std::string path_;
    pid_t owner_ = 0;  // Of a process that fork() made it is the parent's.
};

const OwnFolder own_folder;

}  // namespace
}  // namespace catena::test
