#include "frontend/hooks/timer_hook.h"

#include <chrono>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

TimerHook timed() {
    TimerHook timer;
    FunctionHookScope scope(timer);
    Variable x(Array::from<float>({1, 2}));
    Variable y = x * x + x;
    y.set_grad(Array::from<float>({1, 1}));
    y.backward();
    return timer;
}

TEST(TimerHook, counts_operations_forward_and_backward) {
    const auto begin = std::chrono::steady_clock::now();
    TimerHook timer = timed();
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    auto summary = timer.summary();
    EXPECT_EQ(summary["multiply"].occurrence + summary["mul"].occurrence, 1);
    EXPECT_EQ(summary["backward of multiply"].occurrence + summary["backward of mul"].occurrence,
              1);
    double sum = 0;
    for (auto& [name, seconds] : timer.call_history()) {
        EXPECT_LE(seconds, elapsed) << name;
        sum += seconds;
    }
    EXPECT_GT(timer.total_time(), 0);
    EXPECT_LE(timer.total_time(), elapsed);
    EXPECT_LE(timer.total_time(), sum * 1.000001);  // Calls inside others count once.
}

TEST(TimerHook, hears_nothing_after_its_scope) {
    TimerHook timer = timed();
    size_t calls = timer.call_history().size();
    Variable x(Array::from<float>({1, 2}));
    x + x;
    EXPECT_EQ(timer.call_history().size(), calls);
}

TEST(TimerHook, prints_a_table_in_the_unit_asked_for) {
    TimerHook timer = timed();
    std::ostringstream out;
    timer.print_report(out, "us");
    EXPECT_THAT(out.str(), HasSubstr("function"));
    EXPECT_THAT(out.str(), HasSubstr(" us "));
    EXPECT_THROW(timer.print_report(out, "weeks"), ValueError);
}

TEST(TimerHook, listens_once) {
    TimerHook timer;
    FunctionHookScope scope(timer);
    EXPECT_THROW(FunctionHookScope again(timer), ValueError);
}

}  // namespace
}  // namespace catena
