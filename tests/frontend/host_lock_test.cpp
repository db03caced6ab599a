// A host language's lock is free while compiled code runs and while the compiler does.
#include "runtime/core/system/host_lock.h"

#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/foreign_array.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// As an interpreter has one: a thread of the language holds it while its code runs.
class Interpreter final : public HostLock {
public:
    Interpreter() { set_host_lock(this); }
    ~Interpreter() { set_host_lock(nullptr); }

    void* let_go() noexcept override {
        if (!holds_) return nullptr;
        holds_ = false;
        mutex_.unlock();
        ++times_free;
        return this;
    }
    void take(void*) noexcept override {
        mutex_.lock();
        holds_ = true;
    }
    void* enter() noexcept override {
        if (holds_) return nullptr;
        take(nullptr);
        return this;
    }
    void leave(void*) noexcept override { let_go(); }
    static bool is_held() { return holds_; }
    /// Of the language's own code.
    class Code {
    public:
        explicit Code(Interpreter& interpreter) : interpreter_(interpreter) {
            interpreter_.take(nullptr);
        }
        ~Code() { interpreter_.let_go(); }

    private:
        Interpreter& interpreter_;
    };

    std::atomic<int> times_free = 0;

private:
    std::mutex mutex_;
    static thread_local bool holds_;
};
thread_local bool Interpreter::holds_ = false;

Variable ones(int64_t size) { return Variable(Array::full({Dtype::float32, {size}}, 1)); }

TEST(HostLock, is_free_while_the_compiler_and_long_programs_run) {
    auto region = static_graph([](Variable x) { return exp(tanh(x) * 2); });
    Interpreter interpreter;
    const Interpreter::Code code(interpreter);
    region(ones(1 << 18));
    const int while_compiling = interpreter.times_free.exchange(0);
    region(ones(1 << 18));
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    ASSERT_EQ(region.statistics().compiled_calls, 2);
    EXPECT_EQ(while_compiling, 2);
    EXPECT_EQ(interpreter.times_free, 1);
}

TEST(HostLock, is_kept_by_short_programs) {
    auto region = static_graph([](Variable x) { return exp(tanh(x) * 2); });
    Interpreter interpreter;
    const Interpreter::Code code(interpreter);
    region(ones(4));
    interpreter.times_free = 0;
    region(ones(4));
    EXPECT_EQ(interpreter.times_free, 0);
}

TEST(HostLock, is_taken_to_ask_who_looks_at_the_memory_of_an_update) {
    Interpreter interpreter;
    for (const bool is_left : {true, false}) {
        std::vector<float> numbers(3);
        Parameter p(foreign_array(
            {.data = numbers.data(),
             .type = {Dtype::float32, {3}},
             .strides = {1},
             .others_may_write = [&] { return !is_left || !Interpreter::is_held(); }}));
        assign(p, ones(3));
        EXPECT_EQ(numbers, std::vector<float>(3, is_left ? 0.f : 1.f));
        EXPECT_FALSE(Interpreter::is_held());
    }
}

TEST(HostLock, is_left_alone_by_threads_that_do_not_hold_it) {
    auto region = static_graph([](Variable x) { return exp(tanh(x) * 2); });
    Interpreter interpreter;
    for (int i = 0; i < 2; ++i) region(ones(1 << 18));
    EXPECT_EQ(interpreter.times_free, 0);
}

TEST(HostLock, of_several_threads_in_one_program_none_waits_for_it_with_a_lock_of_ours) {
    auto region = static_graph([](Variable x) { return exp(tanh(x) * 2); });
    Interpreter interpreter;
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; ++k)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                const Interpreter::Code code(interpreter);
                region(ones(i % 2 ? 1 << 16 : 4));
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(region.statistics().calls, 150);
}

}  // namespace
}  // namespace catena::testing
