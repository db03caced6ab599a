#include "tests/fuzz/function_program_run.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/noise/random.h"
#include "tests/fuzz/nearness.h"
#include "tests/ops/row_runner.h"
#include "tests/support/memory.h"

namespace catena::fuzz {

Outcome outcome(const FunctionProgram& p, const std::function<Values()>& run,
                const Values& leaves) {
    set_seed(int64_t(p.seed));
    Outcome made;
    try {
        std::vector<Array> given;
        for (const Variable& y : run()) given.push_back(y.array());
        for (const Array& y : given) made.arrays.push_back(y.as_contiguous());
        for (const Variable& x : leaves) given.push_back(x.array());
        made.memory = testing::memory_of(given);
    } catch (const Error& error) {
        made.error = error.what();
    }
    return made;
}

std::string other_bits(const char* what, const Outcome& a, const Outcome& b) {
    if (a.error.empty() != b.error.empty() || a.arrays.size() != b.arrays.size())
        return fmt::format("{}: {} results {}, then {} {}", what, a.arrays.size(), a.error,
                           b.arrays.size(), b.error);
    for (size_t i = 0; i < a.arrays.size(); ++i) {
        const Array &x = a.arrays[i], &y = b.arrays[i];
        if (x.type() != y.type())
            return fmt::format("{}: result {} is {}, then {}", what, i, catena::to_string(x.type()),
                               catena::to_string(y.type()));
        if (x.size() > 0 &&
            std::memcmp(x.elements(), y.elements(), size_t(x.size()) * size_of(x.dtype())) != 0)
            return fmt::format("{}: result {} has other bits, {}", what, i, first_difference(x, y));
    }
    return "";
}

std::string other_memory(const char* what, const Outcome& eager, const Outcome& compiled) {
    if (!eager.error.empty() || !compiled.error.empty()) return "";
    for (size_t i = 0; i < std::min(eager.memory.size(), compiled.memory.size()); ++i)
        if (eager.memory[i] != compiled.memory[i])
            return fmt::format("{}: array {} of {} results and the leaves: {} eager, {} compiled",
                               what, i, eager.arrays.size(), eager.memory[i], compiled.memory[i]);
    return "";
}

std::string too_far(const FunctionProgram& p, const char* what, const Outcome& eager,
                    const Outcome& compiled, const std::optional<Outcome>& truth,
                    const std::vector<char>& exact) {
    if (eager.error.empty() != compiled.error.empty())
        return fmt::format("{}: eager {}, compiled {}", what,
                           eager.error.empty() ? "passes" : eager.error,
                           compiled.error.empty() ? "passes" : compiled.error);
    if (!eager.error.empty()) return "";
    if (eager.arrays.size() != compiled.arrays.size())
        return fmt::format("{}: {} results eager, {} compiled", what, eager.arrays.size(),
                           compiled.arrays.size());
    for (size_t i = 0; i < eager.arrays.size(); ++i) {
        const Array* right =
            truth && truth->error.empty() && truth->arrays.size() == eager.arrays.size()
                ? &truth->arrays[i]
                : nullptr;
        const bool decided = p.precision() == Dtype::float64 || i >= exact.size() || exact[i];
        const std::string difference = not_near(eager.arrays[i], compiled.arrays[i], right,
                                                p.precision(), decided, p.specials);
        if (!difference.empty()) return fmt::format("{}: result {}: {}", what, i, difference);
    }
    return "";
}

std::vector<char> exact_results(const FunctionProgram& p, const std::vector<Values>& outputs) {
    std::vector<char> exact(p.calls.size(), 1), results;
    for (size_t c = 0; c < p.calls.size(); ++c)
        for (const auto& argument : p.calls[c].arguments)
            if (argument.call >= 0 &&
                (!exact[size_t(argument.call)] ||
                 is_float(outputs[size_t(argument.call)][size_t(argument.output)].dtype())))
                exact[c] = 0;
    for (const auto& [c, o] : results_of(p, outputs)) results.push_back(exact[size_t(c)]);
    return results;
}

Values forward(const FunctionProgram& p, const Values& leaves, bool in_float64) {
    const std::vector<Values> outputs = evaluate(p, leaves, in_float64);
    Values results;
    for (const auto& [c, o] : results_of(p, outputs))
        results.push_back(outputs[size_t(c)][size_t(o)]);
    return results;
}

Step step_of(const FunctionProgram& p, bool in_float64) {
    Step step;
    step.arguments = leaves_of(p, in_float64);
    step.leaves = step.arguments.size();
    Values targets;
    for (const Variable& x : step.arguments)
        if (x.requires_grad()) targets.push_back(x);
    set_seed(int64_t(p.seed));
    testing::Generator generator(uint32_t(p.seed));
    const auto add_like = [&](const Variable& v) {
        // Rounded to the program's type, so that float64 starts from the same numbers.
        Array g = testing::draw_like(
            {p.dtype == Dtype::float64 ? p.dtype : Dtype::bfloat16, v.shape()}, generator);
        step.arguments.emplace_back(g.astype(v.dtype()), true);
    };
    for (const Variable& y : forward(p, step.arguments, in_float64))
        if (y.requires_grad()) add_like(y), ++step.results;
    for (const Variable& x : targets) add_like(x), ++step.targets;
    return step;
}

Values backward(const FunctionProgram& p, const Step& step, const Values& arguments,
                bool in_float64, bool twice) {
    const Values leaves(arguments.begin(), arguments.begin() + long(step.leaves));
    const Values gy(arguments.begin() + long(step.leaves),
                    arguments.begin() + long(step.leaves + step.results));
    const Values directions(arguments.begin() + long(step.leaves + step.results), arguments.end());
    Values all = forward(p, leaves, in_float64), ys, targets;
    for (const Variable& y : all)
        if (y.requires_grad()) ys.push_back(y);
    for (const Variable& x : leaves)
        if (x.requires_grad()) targets.push_back(x);
    if (ys.empty()) return all;
    const Variables gx = grad(ys, targets, gy, {.enable_double_backprop = twice});
    Values flowing, towards;
    for (size_t i = 0; i < gx.size(); ++i) {
        if (!gx[i].defined()) continue;
        all.push_back(gx[i]);
        if (twice && gx[i].requires_grad())
            flowing.push_back(gx[i]), towards.push_back(directions[i]);
    }
    if (flowing.empty()) return all;
    Values second = targets;
    second.insert(second.end(), gy.begin(), gy.end());
    for (const Variable& g : grad(flowing, second, towards))
        if (g.defined()) all.push_back(g);
    return all;
}

namespace {

/// Float64 can be asked when every function takes it.
bool has_truth(const FunctionProgram& p) {
    return p.dtype != Dtype::float64 && !p.specials &&
           std::all_of(p.calls.begin(), p.calls.end(), [](const auto& call) {
               return !is_float(call.run) || testing::runs_in(*call.row, Dtype::float64);
           });
}

}  // namespace

std::optional<Outcome> truth_of(const FunctionProgram& p, const std::function<Values()>& run) {
    if (!has_truth(p)) return std::nullopt;
    return outcome(p, run);
}

}  // namespace catena::fuzz
