#include "tests/gpu/time_limit.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/system/read_number.h"

namespace catena::testing {

double TimeLimit::of_checks() {
    const char* const set = std::getenv("CATENA_TEST_CARD_SECONDS");
    return set ? read_number<double>(set).value_or(30) : 30;
}

TimeLimit::TimeLimit(std::string name, double seconds, Now now)
    : name_(std::move(name)), seconds_(seconds), now_(std::move(now)), begin_(now_()) {
    watch_ = std::thread([this] { watch(); });
}

TimeLimit::~TimeLimit() {
    {
        std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    ended_.notify_all();
    watch_.join();
    const double took = std::chrono::duration<double>(now_() - begin_).count();
    if (took > seconds_)
        ADD_FAILURE() << fmt::format("{} took {:.1f} s, its limit is {} s", name_, took, seconds_);
}

void TimeLimit::watch() {
    std::unique_lock lock(mutex_);
    const auto most = std::chrono::duration<double>(2 * seconds_);
    if (ended_.wait_for(lock, most, [this] { return is_over_; })) return;
    fmt::print(stderr, "{} has not ended after {} s, its limit is {} s\n", name_, most.count(),
               seconds_);
    std::fflush(stderr);
    _exit(124);
}

}  // namespace catena::testing
