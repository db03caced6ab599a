// Where the system has no memory or no number left for a thread, an error says for what.
#include "runtime/core/parallel/start_thread.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

TEST(StartThread, runs_the_work) {
    std::atomic<int> done = 0;
    start_thread("a test", [&] { done = 7; }).join();
    EXPECT_EQ(done, 7);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(StartThreadInOwnProcess, says_what_no_thread_could_be_started_for) {
    long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    ASSERT_TRUE(file);
    char line[256] = {};
    ASSERT_TRUE(std::fgets(line, sizeof line, file));
    std::fclose(file);
    pages = std::strtol(line, nullptr, 10);
    rlimit before;
    getrlimit(RLIMIT_AS, &before);
    // A stack takes 8 MB of addresses, and a megabyte is left.
    const rlimit small{rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + (1 << 20), before.rlim_max};
    setrlimit(RLIMIT_AS, &small);
    std::string message;
    try {
        start_thread("a test", [] {}).join();
    } catch (const Error& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_AS, &before);
    EXPECT_THAT(message, testing::HasSubstr("a test: no thread could be started: "));
    EXPECT_THAT(message, testing::HasSubstr("ulimit -u"));
}
#endif

}  // namespace
}  // namespace catena
