#include "tests/fuzz/function_program_check.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/noise/random.h"
#include "runtime/program/file/program.h"
#include "tests/fuzz/conditioning.h"
#include "tests/fuzz/function_program_run.h"
#include "tests/fuzz/nearness.h"
#include "tests/support/threads.h"

namespace catena::fuzz {
namespace {

int64_t& explained() {
    static int64_t count = 0;
    return count;
}

/// Whether output `o` of a call is what eager code makes of its inputs after a rounding of each.
bool call_explains(const FunctionProgram::Call& call, const std::vector<Values>& watched,
                   const Values& own, size_t o, const Array& found) {
    Values inputs;
    for (const Values& values : watched) inputs.insert(inputs.end(), values.begin(), values.end());
    inputs.insert(inputs.end(), own.begin(), own.end());
    const auto run = [&](const Values& rounded) {
        std::vector<Values> before;
        auto next = rounded.begin();
        for (const Values& values : watched) {
            before.emplace_back(next, next + ptrdiff_t(values.size()));
            next += ptrdiff_t(values.size());
        }
        return evaluate(call, before, Values(next, rounded.end()))[o].array();
    };
    return follows_from_rounded_inputs(run, inputs, found);
}

/// Whether rounding explains that the results of a region differ: each call's outputs are what
/// eager code makes of the values that the region itself gave to it, or of these after a rounding.
bool rounding_explains(const FunctionProgram& p, const Values& leaves) {
    std::vector<Values> watched;
    std::vector<size_t> counts;
    const auto all_outputs = [&](const Values& xs) {
        const std::vector<Values> outputs = evaluate(p, xs);
        Values all;
        counts.clear();
        for (const Values& ys : outputs) {
            counts.push_back(ys.size());
            for (const Variable& y : ys)
                all.push_back(y.defined() ? y : Variable(Array::scalar(0.0f), false));
        }
        return all;
    };
    auto region = static_graph(all_outputs);
    const Outcome made = outcome(p, [&] { return region(leaves); }),
                  expected = outcome(p, [&] { return all_outputs(leaves); });
    if (!made.error.empty() || !expected.error.empty()) return false;
    size_t next = 0, leaf = 0;
    for (size_t c = 0; c < p.calls.size(); ++c) {
        const Values own = leaves_of(p, p.calls[c]);
        const bool is_random =
            bool(p.calls[c].row->before);  // A second run would draw other numbers.
        const Values eager = is_random ? Values() : evaluate(p.calls[c], watched, own);
        leaf += own.size();
        watched.emplace_back();
        for (size_t o = 0; o < counts[c]; ++o) {
            const Array compiled = made.arrays[next], right = is_random ? expected.arrays[next]
                                                              : eager[o].defined()
                                                                  ? eager[o].array()
                                                                  : compiled;
            ++next;
            watched.back().emplace_back(compiled, false);
            if (not_near(right, compiled, nullptr, p.precision(), true, p.specials).empty())
                continue;
            if (is_random || !is_float(compiled.dtype()) ||
                !call_explains(p.calls[c], watched, own, o, compiled))
                return false;
        }
    }
    ++explained();
    return true;
}

}  // namespace

int64_t explained_differences() { return explained(); }

std::string disagreement_of_threads(const FunctionProgram& p) {
    const Step step = step_of(p, false);
    const auto run = [&](int threads) {
        testing::Threads scope(threads);
        return outcome(p, [&] { return backward(p, step, step.arguments, false, false); });
    };
    return other_bits("1 thread and 2", run(1), run(2));
}

std::string disagreement_of_results(const FunctionProgram& p) {
    const Values leaves = leaves_of(p);
    const Outcome eager = outcome(p, [&] { return forward(p, leaves); }, leaves);
    const std::optional<Outcome> truth =
        truth_of(p, [&] { return forward(p, leaves_of(p, true), true); });
    auto region = static_graph([&](const Values& xs) { return forward(p, xs); }, {.name = "fuzz"});
    const Outcome first = outcome(p, [&] { return region(leaves); }, leaves);
    const Outcome second = outcome(p, [&] { return region(leaves); }, leaves);
    for (const Outcome& compiled : {first, second})
        if (std::string text = other_memory("compiled", eager, compiled); !text.empty())
            return text;
    set_seed(int64_t(p.seed));
    const std::vector<char> exact =
        eager.error.empty() ? exact_results(p, evaluate(p, leaves)) : std::vector<char>();
    if (std::string text = too_far(p, "compiled", eager, second, truth, exact);
        !text.empty() && !rounding_explains(p, leaves))
        return text;
    if (std::string text = too_far(p, "the first call of a region", eager, first, truth, exact);
        !text.empty() && !rounding_explains(p, leaves))
        return text;
    testing::Threads one(1);
    return other_bits("compiled, on 2 threads and 1", second,
                      outcome(p, [&] { return region(leaves); }));
}

std::string disagreement_of_double_gradients(const FunctionProgram& p) {
    if (p.specials || std::any_of(p.calls.begin(), p.calls.end(), [](const auto& c) {
            return c.row->gradient && !c.row->double_gradient;
        }))
        return "";
    const Step step = step_of(p, false);
    const auto body = [&](const Values& xs) { return backward(p, step, xs, false, true); };
    const Outcome eager = outcome(p, [&] { return body(step.arguments); });
    const std::optional<Outcome> truth = truth_of(p, [&] {
        const Step wide = step_of(p, true);
        set_seed(int64_t(p.seed));
        return backward(p, wide, wide.arguments, true, true);
    });
    auto region = static_graph(body, {.name = "twice"});
    outcome(p, [&] { return region(step.arguments); });
    return too_far(p, "gradients of gradients", eager,
                   outcome(p, [&] { return region(step.arguments); }), truth, {});
}

std::string disagreement_of_budgets(const FunctionProgram& p) {
    const Step step = step_of(p, false);
    const auto run = [&](size_t budget) {
        auto region =
            static_graph([&](const Values& xs) { return backward(p, step, xs, false, false); },
                         {.name = "budget", .memory_budget = budget});
        outcome(p, [&] { return region(step.arguments); });
        return outcome(p, [&] { return region(step.arguments); });
    };
    return other_bits("without a memory budget and with one", run(0), run(4096));
}

std::string disagreement_of_parts(const FunctionProgram& p) {
    std::mt19937_64 random(p.seed);
    const int count = int(p.calls.size());
    const int from = int(random() % uint64_t(count)),
              to = from + 1 + int(random() % uint64_t(count - from));
    const Values leaves = leaves_of(p);
    std::vector<Values> outputs;
    auto part = static_graph(
        [&](const Values& given) {
            std::vector<Values> own;
            size_t next = 0;
            for (int c = 0; c < from; ++c) {
                own.emplace_back(outputs[size_t(c)].size());
                for (Variable& v : own.back()) v = given[next++];
            }
            Values results;
            for (int c = from; c < to; ++c) {
                const size_t needed = leaves_of(p, p.calls[size_t(c)]).size();
                own.push_back(evaluate(
                    p.calls[size_t(c)], own,
                    Values(given.begin() + long(next), given.begin() + long(next + needed))));
                next += needed;
                for (const Variable& y : own.back()) results.push_back(y);
            }
            return results;
        },
        {.name = "part"});
    const auto run = [&] {
        outputs.clear();
        Values given, results;
        size_t next = 0;
        const auto leaves_of_call = [&](int c) {
            const size_t needed = leaves_of(p, p.calls[size_t(c)]).size();
            Values own(leaves.begin() + long(next), leaves.begin() + long(next + needed));
            next += needed;
            return own;
        };
        for (int c = 0; c < from; ++c) {
            outputs.push_back(evaluate(p.calls[size_t(c)], outputs, leaves_of_call(c)));
            for (const Variable& y : outputs.back()) given.push_back(y);
        }
        for (int c = from; c < to; ++c)
            for (const Variable& x : leaves_of_call(c)) given.push_back(x);
        Values made = part(given);
        std::vector<Values> all(outputs);
        size_t at = 0;
        for (int c = from; c < to; ++c) {
            all.emplace_back();
            const size_t produced =
                evaluate(p.calls[size_t(c)], all, leaves_of(p, p.calls[size_t(c)])).size();
            for (size_t o = 0; o < produced; ++o) all.back().push_back(made[at++]);
        }
        for (int c = to; c < count; ++c)
            all.push_back(evaluate(p.calls[size_t(c)], all, leaves_of_call(c)));
        for (const auto& [c, o] : results_of(p, all)) results.push_back(all[size_t(c)][size_t(o)]);
        return results;
    };
    if (p.is_random()) return "";  // The calls that count results draw numbers, too.
    const Outcome eager = outcome(p, [&] { return forward(p, leaves); });
    if (!eager.error.empty()) return "";
    const std::optional<Outcome> truth =
        truth_of(p, [&] { return forward(p, leaves_of(p, true), true); });
    outcome(p, run);
    const std::string text =
        too_far(p, fmt::format("calls {} to {} in a region", from, to - 1).c_str(), eager,
                outcome(p, run), truth, exact_results(p, evaluate(p, leaves)));
    return text.empty() || rounding_explains(p, leaves) ? "" : text;
}

std::string disagreement_of_sizes(const FunctionProgram& p) {
    const FunctionProgram* present = &p;
    auto region =
        static_graph([&](const Values& xs) { return forward(*present, xs); }, {.name = "sizes"});
    for (uint64_t k = 0; k < 5; ++k) {
        const FunctionProgram other = k == 0 ? p : resized(p, p.seed * 10 + k);
        present = &other;
        const Values leaves = leaves_of(other);
        const Outcome eager = outcome(other, [&] { return forward(other, leaves); });
        const std::optional<Outcome> truth =
            truth_of(other, [&] { return forward(other, leaves_of(other, true), true); });
        const Outcome compiled = outcome(other, [&] { return region(leaves); });
        if (!eager.error.empty() && !compiled.error.empty()) continue;
        set_seed(int64_t(p.seed));
        const std::vector<char> exact = eager.error.empty()
                                            ? exact_results(other, evaluate(other, leaves))
                                            : std::vector<char>();
        const std::string text =
            too_far(other, "in a region of several sizes", eager, compiled, truth, exact);
        if (!text.empty() && !rounding_explains(other, leaves))
            return fmt::format("{}, size change {} to\n{}", text, k, to_string(other));
    }
    return "";
}

std::string disagreement_of_package(const FunctionProgram& p) {
    if (p.is_random()) return "";  // A package has the random state of when it was saved.
    const Values leaves = leaves_of(p);
    auto region =
        static_graph([&](const Values& xs) { return forward(p, xs); }, {.name = "package"});
    outcome(p, [&] { return region(leaves); });
    const Outcome compiled = outcome(p, [&] { return region(leaves); });
    if (!compiled.error.empty() || region.statistics().cuts > 0) return "";
    const std::string path = fmt::format("{}catena_fuzz_{}.catena", ::testing::TempDir(), p.seed);
    std::optional<Program> program;
    const Outcome loaded = outcome(p, [&] {
        region.save(path, {.stages = false});
        std::vector<Array> inputs;
        for (const Variable& x : leaves) inputs.push_back(x.array());
        Values results;
        for (const Array& y : Program::load(path).run(inputs)) results.emplace_back(y, false);
        return results;
    });
    std::filesystem::remove(path);
    return other_bits("compiled, and from a package", compiled, loaded);
}

std::string disagreement(const FunctionProgram& p) {
    if (!outcome(p, [&] {
             return forward(p, leaves_of(p));
         }).error.empty())  // Of NaN and the like only.
        return compiler_available() ? disagreement_of_results(p) : "";
    std::string text = disagreement_of_threads(p);
    if (!text.empty() || !compiler_available()) return text;
    using Check = std::string (*)(const FunctionProgram&);
    const Check always[] = {disagreement_of_results, disagreement_of_gradients};
    const Check sometimes[] = {disagreement_of_budgets, disagreement_of_double_gradients,
                               disagreement_of_parts,   disagreement_of_sizes,
                               disagreement_of_package, disagreement_of_gradients_at_sizes};
    for (const Check check : always)
        if (text.empty()) text = check(p);
    return text.empty() ? sometimes[p.seed % std::size(sometimes)](p) : text;
}

}  // namespace catena::fuzz
