// A process that is forked when the threads of the pool have started computes as its parent does.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"

namespace catena::testing {
namespace {

std::vector<float> computed() {
    const Variable x(Array::full({Dtype::float32, {300, 300}}, 0.5), false);
    return matmul(exp(x), x).array().to_vector<float>();
}

TEST(Fork, a_child_computes_and_so_does_its_parent_afterwards) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer does not follow forks of processes with threads";
#endif
    const int before = thread_count();
    set_thread_count(2);
    const std::vector<float> right = computed();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(30);  // A child that waits for threads which it does not have ends by this signal.
        _exit(computed() == right ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(computed(), right);
    set_thread_count(before);
}

}  // namespace
}  // namespace catena::testing
