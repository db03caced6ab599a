#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace catena::test {
namespace {

/// Appends to the file CATENA_TEST_REPORT which tests this process is going to run, which one is
/// running and what became of it, line by line: of a process that dies, the file has the names of
/// the test that was running and of those that were not reached (tests/support/summary.py reads
/// it).
class CaseReport : public ::testing::EmptyTestEventListener {
public:
    explicit CaseReport(const char* path)
        : file_(::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
        if (file_ < 0) {
            std::perror(path);
            std::exit(1);
        }
        unsetenv("CATENA_TEST_REPORT");  // Not for a program that a test starts.
    }

private:
    void OnTestProgramStart(const ::testing::UnitTest& all) override {
        std::string lines;
        for (int i = 0; i < all.total_test_suite_count(); ++i) {
            const ::testing::TestSuite& suite = *all.GetTestSuite(i);
            for (int j = 0; j < suite.total_test_count(); ++j)
                if (const ::testing::TestInfo& test = *suite.GetTestInfo(j); test.should_run())
                    lines += fmt::format("planned {}\n", name_of(test));
        }
        write(lines);
    }
    void OnTestStart(const ::testing::TestInfo& test) override {
        write(fmt::format("running {}\n", name_of(test)));
    }
    void OnTestEnd(const ::testing::TestInfo& test) override {
        const ::testing::TestResult& result = *test.result();
        write(fmt::format("{} {} {:.3f}\n",
                          result.Failed()    ? "failed"
                          : result.Skipped() ? "skipped"
                                             : "passed",
                          name_of(test), double(result.elapsed_time()) / 1000));
    }

    static std::string name_of(const ::testing::TestInfo& test) {
        return fmt::format("{}.{}", test.test_suite_name(), test.name());
    }
    void write(const std::string& lines) {
        if (::write(file_, lines.data(), lines.size()) != ssize_t(lines.size())) {
            std::perror("CATENA_TEST_REPORT");
            std::abort();
        }
    }

    int file_;
};

const bool reports = [] {
    const char* path = std::getenv("CATENA_TEST_REPORT");
    if (path) ::testing::UnitTest::GetInstance()->listeners().Append(new CaseReport(path));
    return path != nullptr;
}();

}  // namespace
}  // namespace catena::test
