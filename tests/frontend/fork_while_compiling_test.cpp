// A process is forked while its other threads compile, allocate and call: no lock that they hold
// may stop the child.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Another program for every `length`.
Variable chain(const Variable& x, int length) {
    Variable y = x;
    for (int i = 0; i < length; ++i) y = i % 3 == 2 ? sum(y * y, 1, true) + x : tanh(y + double(i));
    return y;
}

double compiled_sum(int length) {
    auto region = static_graph([length](const Variable& x) { return chain(x, length); }, "chain");
    return sum(region(batch(length, 5, 7))).item<float>();
}

/// Threads at work as long as it lives.
class Busy {
public:
    Busy() {
        threads_.emplace_back([this] {
            while (!over_) compiled_sum(2 + length_++ % 40);
        });
        threads_.emplace_back([this] {
            auto region =
                static_graph([this](const Variable& x) { return chain(x, 50 + length_ % 40); },
                             {.name = "beside", .compile_mode = CompileMode::background});
            while (!over_) ++length_, region(batch(1, 3, 4));
        });
        threads_.emplace_back([this] {
            while (!over_)
                convolution_2d(reshape(batch(1, 1 + length_ % 50, 16), {-1, 1, 4, 4}),
                               ones({2, 1, 3, 3}));
        });
    }
    ~Busy() {
        over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

private:
    static Variable ones(const Shape& shape) {
        return Variable(Array::full({Dtype::float32, shape}, 1), false);
    }
    std::atomic<bool> over_{false};
    std::atomic<int> length_{0};
    std::vector<std::thread> threads_;
};

TEST(ForkWhileCompiling, children_compile_and_compute) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer does not follow forks of processes with threads";
#endif
    const double right[] = {compiled_sum(4), compiled_sum(5)};
    const Busy busy;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(60);  // A child that waits for a lock ends by this signal.
            const bool ok = compiled_sum(4) == right[0] && compiled_sum(5) == right[1] &&
                            compiled_sum(43 + i % 3) != 0;
            _exit(ok ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status)) << "child " << i << " ended by signal " << WTERMSIG(status);
        EXPECT_EQ(WEXITSTATUS(status), 0) << "child " << i;
    }
}

}  // namespace
}  // namespace catena::testing
