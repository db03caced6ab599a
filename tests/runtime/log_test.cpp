// What the library says by itself: its level and where it goes.
#include "runtime/core/system/log.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/system/notice.h"
#include "tests/support/said.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::said;

/// Takes what is said; level and callback are as before afterwards.
class LogScope {
public:
    explicit LogScope(LogLevel level) { set_log_level(level); }
    ~LogScope() {
        set_log_level(level_);
        set_log_callback(nullptr);
    }
    LogScope(const LogScope&) = delete;

private:
    LogLevel level_ = log_level();
};

TEST(Log, lines_are_on_standard_error_with_the_librarys_name) {
    const LogScope scope(LogLevel::info);
    EXPECT_EQ(said([] { say(LogLevel::info, "a line"); }), "catena: a line\n");
}

TEST(Log, lines_above_the_level_are_not_said) {
    const LogScope scope(LogLevel::warning);
    const auto all = [] {
        say(LogLevel::error, "e");
        say(LogLevel::warning, "w");
        say(LogLevel::info, "i");
    };
    EXPECT_EQ(said(all), "catena: e\ncatena: w\n");
    set_log_level(LogLevel::error);
    EXPECT_EQ(said(all), "catena: e\n");
    set_log_level(LogLevel::quiet);
    EXPECT_EQ(said(all), "");
    EXPECT_EQ(log_level(), LogLevel::quiet);
}

TEST(Log, a_callback_gets_level_and_line_and_standard_error_nothing) {
    const LogScope scope(LogLevel::warning);
    std::vector<std::pair<LogLevel, std::string>> lines;
    set_log_callback(
        [&](LogLevel level, std::string_view line) { lines.emplace_back(level, line); });
    EXPECT_EQ(said([] {
                  say(LogLevel::warning, "w");
                  say(LogLevel::info, "i");
                  notice_once("log_test: a notice");
                  notice_once("log_test: a notice");
              }),
              "");
    EXPECT_THAT(lines, ElementsAre(Pair(LogLevel::warning, "w"),
                                   Pair(LogLevel::warning, "log_test: a notice")));
    EXPECT_TRUE(set_log_callback(nullptr)) << "the callback before is given back";
    EXPECT_EQ(said([] { say(LogLevel::error, "e"); }), "catena: e\n");
}

TEST(Log, a_notice_that_was_not_said_is_said_when_the_level_allows_it) {
    const LogScope scope(LogLevel::quiet);
    const auto tell = [] { notice_once("log_test: later"); };
    EXPECT_EQ(said(tell), "");
    set_log_level(LogLevel::warning);
    EXPECT_EQ(said(tell), "catena: log_test: later\n");
    EXPECT_EQ(said(tell), "");
}

TEST(Log, what_a_callback_throws_does_not_reach_the_library) {
    const LogScope scope(LogLevel::info);
    set_log_callback([](LogLevel, std::string_view) { throw std::runtime_error("full"); });
    EXPECT_EQ(said([] { say(LogLevel::error, "e"); }), "catena: e\n");
}

TEST(Log, a_callback_may_say_something_and_set_another_one) {
    const LogScope scope(LogLevel::info);
    set_log_callback([](LogLevel, std::string_view) {
        set_log_callback(nullptr);
        say(LogLevel::info, "within");
    });
    EXPECT_EQ(said([] { say(LogLevel::error, "e"); }), "catena: within\n");
}

}  // namespace
}  // namespace catena
