#include <algorithm>

#include <fmt/format.h>

#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/noise/random.h"
#include "tests/fuzz/function_program_check.h"
#include "tests/fuzz/function_program_run.h"

namespace catena::fuzz {
namespace {

/// Results of a model's call, and the gradients that flow through it from outside.
template <class Model>
Values backward_outside(Model& model, const Step& step) {
    const auto begin = step.arguments.begin();
    const Values leaves(begin, begin + long(step.leaves)),
        gy(begin + long(step.leaves), begin + long(step.leaves + step.results));
    Values all = model(leaves), ys, targets;
    for (const Variable& y : all)
        if (y.requires_grad()) ys.push_back(y);
    for (const Variable& x : leaves)
        if (x.requires_grad()) targets.push_back(x);
    if (ys.empty()) return all;
    for (const Variable& g : grad(ys, targets, gy))
        if (g.defined()) all.push_back(g);
    return all;
}

/// What eager code makes of a program: results and gradients, and the same in float64.
struct Wanted {
    explicit Wanted(const FunctionProgram& p) : step(step_of(p, false)) {
        eager = outcome(
            p, [&] { return backward(p, step, step.arguments, false, false); }, step.arguments);
        truth = truth_of(p, [&] {
            const Step wide = step_of(p, true);
            set_seed(int64_t(p.seed));
            return backward(p, wide, wide.arguments, true, false);
        });
        results = outcome(p, [&] { return forward(p, leaves_of(p)); });
    }
    /// "" where the results differ: what rounding decides otherwise has other gradients.
    std::string difference(const FunctionProgram& p, const char* what,
                           const Outcome& compiled) const {
        Outcome front = compiled;
        front.arrays.resize(std::min(front.arrays.size(), results.arrays.size()));
        if (eager.error.empty() && !too_far(p, "", results, front, std::nullopt, {}).empty())
            return "";
        return too_far(p, what, eager, compiled, truth, {});
    }

    Step step;
    Outcome eager, results;
    std::optional<Outcome> truth;
};

constexpr const char* waits = "forward waits for what only backward is given";

}  // namespace

std::string disagreement_of_gradients(const FunctionProgram& p) {
    if (p.specials) return "";
    const Wanted wanted(p);
    auto whole =
        static_graph([&](const Values& xs) { return backward(p, wanted.step, xs, false, false); },
                     {.name = "step"});
    outcome(p, [&] { return whole(wanted.step.arguments); });
    const Outcome stepped =
        outcome(p, [&] { return whole(wanted.step.arguments); }, wanted.step.arguments);
    if (std::string text = other_memory("gradients in a region", wanted.eager, stepped);
        !text.empty())
        return text;
    if (std::string text = wanted.difference(p, "gradients in a region", stepped); !text.empty())
        return text;
    auto model = static_graph([&](const Values& xs) { return forward(p, xs); }, {.name = "model"});
    const auto around = [&] { return backward_outside(model, wanted.step); };
    outcome(p, around);
    const Outcome modelled = outcome(p, around);
    if (model.explain().find("the forward part reads") != std::string::npos) return waits;
    return wanted.difference(p, "gradients of a region", modelled);
}

std::string disagreement_of_gradients_at_sizes(const FunctionProgram& p) {
    if (p.specials) return "";
    const FunctionProgram* present = &p;
    auto model =
        static_graph([&](const Values& xs) { return forward(*present, xs); }, {.name = "sizes"});
    const Step* step = nullptr;
    auto whole =
        static_graph([&](const Values& xs) { return backward(*present, *step, xs, false, false); },
                     {.name = "sizes_step"});
    for (uint64_t k = 0; k < 6; ++k) {
        const FunctionProgram other = k % 3 == 0 ? p : resized(p, p.seed * 10 + k);
        present = &other;
        const Wanted wanted(other);
        step = &wanted.step;
        std::string text =
            wanted.difference(other, "gradients of a region of several sizes",
                              outcome(other, [&] { return backward_outside(model, wanted.step); }));
        if (text.empty())
            text = wanted.difference(other, "gradients in a region of several sizes",
                                     outcome(other, [&] { return whole(wanted.step.arguments); }));
        if (!text.empty())
            return fmt::format("{}, size change {} to\n{}", text, k, to_string(other));
    }
    return "";
}

}  // namespace catena::fuzz
