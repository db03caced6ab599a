#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace catena::testing {

/// The longest that a check on a card may take: a quarter of an hour is for all of them. One that
/// took longer fails when it ends; one that has not ended after twice the time ends the process,
/// with its name on standard error and the status 124.
class TimeLimit {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    /// The limit of the checks, in seconds: 30, and CATENA_TEST_CARD_SECONDS where it is set, as
    /// over a double of the driver.
    static double of_checks();

    TimeLimit(std::string name, double seconds, Now now = Clock::now);
    /// Adds the failure.
    ~TimeLimit();
    TimeLimit(const TimeLimit&) = delete;

private:
    void watch();

    std::string name_;
    double seconds_;
    Now now_;
    Clock::time_point begin_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread watch_;
};

}  // namespace catena::testing
