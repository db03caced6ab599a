// The end of a process, or a fork, while a region is compiled in the background.
#include <cstdlib>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Long enough to be compiled still when its first call has returned.
Variable long_chain(const Variable& x) {
    Variable h = x;
    for (int i = 0; i < 24; ++i) h = sin(h * double(i) + sum(h)) * tanh(h);
    return sum(h);
}

const StaticGraphOptions beside{.name = "beside", .compile_mode = CompileMode::background};

class BackgroundExit : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
        // The child begins anew: it loads the compiler itself, after its static objects.
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

TEST_F(BackgroundExit, waits_for_what_is_compiled_for_a_static_region) {
    for (int i = 0; i < 2; ++i)
        EXPECT_EXIT(
            {
                static auto region = static_graph(long_chain, beside);
                region(batch(1, 4, 8));
                std::exit(0);
            },
            ::testing::ExitedWithCode(0), "");
}

TEST_F(BackgroundExit, waits_for_what_another_thread_began) {
    EXPECT_EXIT(
        {
            static auto region = static_graph(long_chain, beside);
            std::thread([] { region(batch(1, 4, 8)); }).join();
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), "");
}

TEST_F(BackgroundExit, of_a_forked_child_waits_for_nobody) {
    EXPECT_EXIT(
        {
            auto region = std::make_unique<StaticGraph<Variable (*)(const Variable&)>>(
                static_graph(&long_chain, beside));
            (*region)(batch(1, 4, 8));
            const pid_t child = fork();
            if (child == 0) {
                alarm(30);
                region.reset();
                std::exit(0);
            }
            int status = -1;
            waitpid(child, &status, 0);
            std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace catena::testing
