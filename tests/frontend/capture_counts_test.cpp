// What following costs in things that can be counted: programs, segments, allocations.
#include <gtest/gtest.h>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/system/environment.h"
#include "tests/frontend/allocation_count.h"

namespace catena::testing {
namespace {

using tool::Variant;

TEST(CaptureCounts, each_workload_is_one_program_of_its_sizes_without_a_cut) {
    for (const tool::Workload& workload : tool::workloads())
        for (Variant variant : {Variant::compiled, Variant::step, Variant::trusted}) {
            SCOPED_TRACE(workload.name + " " + tool::name_of(variant));
            tool::Iteration iteration = workload.prepare(variant, 16);
            const int runs = std::max(4, 2 * iteration.cycle);
            for (int i = 0; i < runs; ++i) iteration.run();
            const StaticGraphStatistics s = iteration.statistics();
            EXPECT_GE(s.calls, runs);
            EXPECT_EQ(s.cuts, 0);
            // The last state of a loop over time keeps its graph, which a call that skips the code
            // could not leave behind.
            const bool keeps_graph =
                workload.name == "ptb_lstm_unrolled" || workload.name == "char_rnn";
            EXPECT_EQ(s.followed_calls,
                      variant == Variant::trusted && !keeps_graph ? iteration.programs : s.calls);
            if (!compiler_available()) continue;
            EXPECT_EQ(s.programs, iteration.programs);
            EXPECT_EQ(s.mismatches, iteration.branches);
            EXPECT_EQ(s.compiled_calls, s.calls);
        }
}

enum class Way { forward, grad_inside, backward_inside };

/// operator new's calls in a call of a region that has been called before.
template <class F>
int64_t allocations_of_call(F call) {
    for (int i = 0; i < 4; ++i) call();
    const int64_t before = allocation_count();
    call();
    return allocation_count() - before;
}

/// Of a region of 2 * `operations` operations.
int64_t allocations(Way way, int operations) {
    auto region = static_graph([=](const Variable& a, const Variable& b) {
        Variable h = a;
        for (int i = 0; i < operations; ++i) h = (h + b) * b;
        const Variable y = sum(h);
        if (way == Way::forward) return std::pair(y, y);
        if (way == Way::grad_inside) {
            const std::vector<Variable> of{y}, to{a, b};
            const Variables g = grad(of, to);
            return std::pair(g[0], g[1]);
        }
        a.cleargrad();
        b.cleargrad();
        y.backward();
        return std::pair(a.grad_variable(), b.grad_variable());
    });
    const Variable a(Array::from<float>({1, 2})), b(Array::from<float>({0.1f, 0.2f}));
    return allocations_of_call([&] { region(a, b); });
}

/// Of a region of so many views, as many calls of a composite with a kernel, and as many results,
/// which are views, too, where `gives_views`.
int64_t allocations(int turns, bool gives_views) {
    auto region = static_graph([=](const Variable& x, const Variable& W, const Variable& b) {
        std::vector<Variable> results;
        Variable h = x;
        for (int i = 0; i < turns; ++i) {
            const Variable turned = transpose(h);
            h = linear(turned, W, b);
            results.push_back(gives_views ? turned : h);
        }
        return results;
    });
    const Variable x(Array::from(std::vector<float>{1, 2, 3, 4}, {2, 2}), false),
        W(Array::from(std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f}, {2, 2})),
        b(Array::from<float>({0.1f, 0.2f}));
    std::vector<Variable> results;
    return allocations_of_call([&] { results = region(x, W, b); });
}

/// Null: they are.
const char* why_not_counted() {
    if (!compiler_available()) return "built without the compiler: the eager kernels allocate";
    if (environment::flag("CATENA_CHECK_WALKS", false))
        return "walks are recorded at every call to be compared";
    const int64_t before = allocation_count();
    ::operator delete(::operator new(1));
    return allocation_count() == before ? "a sanitizer counts" : nullptr;
}

TEST(CaptureCounts, operations_that_are_followed_allocate_nothing) {
    if (const char* why = why_not_counted()) GTEST_SKIP() << why;
    for (Way way : {Way::forward, Way::grad_inside, Way::backward_inside}) {
        // Lists that a walk over the graph keeps grow by doubling.
        EXPECT_LE(allocations(way, 320) - allocations(way, 20), 16) << int(way);
        EXPECT_LE(allocations(way, 20), 60) << int(way);
    }
}

TEST(CaptureCounts, views_and_composites_that_are_followed_allocate_nothing) {
    if (const char* why = why_not_counted()) GTEST_SKIP() << why;
    for (bool gives_views : {false, true}) {
        // The lists of results grow by doubling: each once more, where every turn would add 20.
        EXPECT_LE(allocations(40, gives_views) - allocations(20, gives_views), 12) << gives_views;
    }
}

TEST(CaptureCounts, compiled_code_keeps_nothing_of_the_eager_past) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    constexpr size_t past = 100 << 20;
    {
        std::vector<Array> together;
        for (int i = 0; i < 5; ++i)
            together.push_back(Array::empty({Dtype::int8, {int64_t(past / 5)}}));
    }
    const size_t before = cpu_memory_statistics().bytes_reserved;
    ASSERT_GE(before, past);
    auto f = static_graph([](const Variable& x) { return sum(exp(matmul(x, x))); });
    const Variable x(Array::from(std::vector<float>(64 * 64, 0.1f), {64, 64}));
    f(x);
    EXPECT_LE(cpu_memory_statistics().bytes_reserved, before - past + (past / 20))
        << "more than the region itself needs";
    f(x);
    const size_t steady = cpu_memory_statistics().system_allocations;
    for (int i = 0; i < 20; ++i) f(x);
    EXPECT_EQ(cpu_memory_statistics().system_allocations, steady);
}

}  // namespace
}  // namespace catena::testing
