#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/ops/noise/random.h"

namespace catena::test {
namespace {

/// A folder of this process as testing::TempDir(), removed at the end: programs of tests run side
/// by side, and two that chose the same name for a file would take it from each other.
class OwnFolder {
public:
    OwnFolder() {
        path_ = ::testing::TempDir() + "XXXXXX";
        if (!mkdtemp(path_.data())) {
            path_.clear();  // TempDir() stays what it was; a test that writes there says so.
            return;
        }
        owner_ = getpid();
        setenv("TEST_TMPDIR", (path_ + "/").c_str(), 1);
    }
    ~OwnFolder() {
        std::error_code ignored;
        if (getpid() == owner_) std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;  ///< "" if it could not be made.
    pid_t owner_ = 0;   ///< Of a process that fork() made it is the parent's.
};

std::vector<std::string> environment() {
    std::vector<std::string> entries;
    for (char** at = ::environ; at && *at; ++at) entries.push_back(*at);
    return entries;
}

void restore_environment(const std::vector<std::string>& entries) {
    if (environment() == entries) return;
    clearenv();
    for (const std::string& entry : entries) {
        const size_t equals = entry.find('=');
        setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
}

/// Lets every test begin as if it were the first of the process: with an empty folder, and with the
/// environment, the number of threads and the random numbers of the start.
class FreshStart : public ::testing::EmptyTestEventListener {
    void OnTestProgramStart(const ::testing::UnitTest&) override {
        // Not for a program that a test starts.
        for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(name);
        environment_ = environment();
    }
    void OnTestStart(const ::testing::TestInfo&) override {
        set_seed(0);
        threads_ = thread_count();
        if (process_.path().empty()) return;
        folder_ = fmt::format("{}/{}", process_.path(), ++tests_);
        std::filesystem::create_directory(folder_);
        setenv("TEST_TMPDIR", (folder_ + "/").c_str(), 1);
    }
    void OnTestEnd(const ::testing::TestInfo&) override {
        restore_environment(environment_);
        if (thread_count() != threads_) set_thread_count(threads_);
        std::error_code ignored;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
    }

    OwnFolder process_;
    std::string folder_;  ///< Of the test that runs.
    int tests_ = 0, threads_ = 0;
    std::vector<std::string> environment_;
};

const bool listens = (::testing::UnitTest::GetInstance()->listeners().Append(new FreshStart), true);

}  // namespace
}  // namespace catena::test
