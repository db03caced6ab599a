// How a program is drawn: what a call takes from earlier ones, its sizes, settings, types and the
// layout of its leaves.
#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"
#include "tests/fuzz/function_program.h"
#include "tests/ops/row_runner.h"

namespace catena::fuzz {
namespace {

using Random = std::mt19937_64;
using Layout = FunctionProgram::Layout;

constexpr int64_t most_elements = 20'000;  ///< Of an array.

/// The functions of the deck's cards [first, first + count): one shuffled deck after another.
std::vector<std::string> draw_cards(uint64_t first, int count) {
    std::vector<std::string> drawn;
    for (uint64_t at = first; int(drawn.size()) < count; ++at) {
        const std::vector<const FunctionDef*> functions = all_functions();
        std::vector<std::string> deck;
        for (const FunctionDef* function : functions) deck.push_back(function->name);
        Random random(at / deck.size());
        for (size_t i = deck.size(); i > 1; --i) std::swap(deck[i - 1], deck[random() % i]);
        drawn.push_back(deck[at % deck.size()]);
    }
    return drawn;
}

/// Nothing that rounding would be magnified by.
bool is_moderate(const Values& outputs, bool any_element) {
    for (const Variable& y : outputs) {
        if (!y.defined()) continue;
        if (y.size() > most_elements) return false;
        if (any_element || !is_float(y.dtype())) continue;
        for (const double e : y.array().to_vector<double>())
            if (!(std::abs(e) < 1e3)) return false;
    }
    return true;
}

Dtype run_dtype(const testing::Row& row, Dtype wanted, Random& random) {
    if (!testing::has_run_dtype(row)) return Dtype::float32;
    if (testing::runs_in(row, wanted) && random() % 8) return wanted;
    return row.dtypes[random() % row.dtypes.size()];
}

/// Another size in place of one, in all arguments that have it.
void change_size(FunctionProgram::Call& call, Random& random) {
    std::vector<int64_t> sizes;
    for (const auto& argument : call.arguments)
        if (!argument.input.absent)
            for (const int64_t size : argument.input.shape) sizes.push_back(size);
    if (sizes.empty()) return;
    const int64_t before = sizes[random() % sizes.size()];
    const int64_t choices[] = {0, 1, 1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 130};
    const int64_t after = choices[random() % std::size(choices)];
    for (auto& argument : call.arguments) {
        for (int64_t& size : argument.input.shape)
            if (size == before) size = after;
        const std::vector<double> given = argument.input.values;
        argument.input.values.clear();
        if (!given.empty())
            for (int64_t k = 0; k < element_count(argument.input.shape); ++k)
                argument.input.values.push_back(given[size_t(k) % given.size()]);
    }
}

/// Whether the call is small, even if it meets every element of one argument with every one of
/// another.
bool is_small(const FunctionProgram::Call& call) {
    double largest = 1, second = 1;
    for (const auto& argument : call.arguments) {
        double size = 1;
        for (const int64_t n : argument.input.shape) size *= double(n);
        second = std::max(second, std::min(largest, size));
        largest = std::max(largest, size);
    }
    return largest <= double(most_elements) && largest * second <= 5e5;
}

/// A value whose elements the argument may have.
bool may_take(const FunctionProgram& p, const FunctionProgram::Call& call,
              const FunctionProgram::Argument& argument, const Variable& x) {
    if (!argument.input.values.empty() || !x.defined()) return false;
    const Dtype dtype = argument.input.dtype.value_or(call.run);
    if (is_float(dtype)) return true;
    // Rounding decides which integer a float becomes: only float64 decides the same way nearly
    // always.
    return !is_float(x.dtype()) ||
           (p.dtype == Dtype::float64 && x.dtype() == Dtype::float64 && !p.specials);
}

void take_values(const FunctionProgram& p, FunctionProgram::Call& call,
                 const std::vector<Values>& outputs, Random& random) {
    if (outputs.empty()) return;
    for (auto& argument : call.arguments) {
        if (argument.input.absent || random() % 3 == 0) continue;
        // Recent calls more often, so that programs grow deep rather than wide.
        const int from = int(std::max(random() % outputs.size(), random() % outputs.size()));
        const Values& candidates = outputs[size_t(from)];
        if (candidates.empty()) continue;
        const int output = int(random() % candidates.size());
        if (!may_take(p, call, argument, candidates[size_t(output)])) continue;
        argument.call = from;
        argument.output = output;
        const bool any_value = argument.input.low == testing::Input{}.low &&
                               argument.input.high == testing::Input{}.high;
        argument.as_it_is = any_value && random() % 2;
        if (call.row->truth.elementwise && random() % 2)
            argument.input.shape = candidates[size_t(output)].shape();
    }
}

void lay_out(FunctionProgram::Call& call, Random& random) {
    for (auto& argument : call.arguments)
        if (argument.call < 0 && random() % 3 == 0) {
            argument.layout = Layout(1 + random() % 4);
            if (argument.layout == Layout::repeated && !argument.input.values.empty())
                argument.layout = Layout::strided;
        }
}

FunctionProgram::Call plain_call(const testing::Row& row, Dtype run, uint64_t seed) {
    FunctionProgram::Call call{
        .row = &row, .set = row.set, .run = run, .arguments = {}, .seed = seed};
    for (const testing::Input& input : row.inputs) call.arguments.push_back({.input = input});
    return call;
}

/// The row's call with as much changed as it takes.
FunctionProgram::Call random_call(const FunctionProgram& p, const testing::Row& row,
                                  const std::vector<Values>& outputs, Random& random,
                                  Values& results) {
    const Dtype run = run_dtype(row, p.dtype, random);
    const uint64_t seed = random();
    for (int attempt = 0; attempt < 8; ++attempt) {
        FunctionProgram::Call call = plain_call(row, run, seed);
        if (attempt < 7) {
            if (random() % 3 == 0) change_size(call, random);
            if (!call.set.empty() && random() % 6 == 0)
                call.set.erase(std::next(call.set.begin(), long(random() % call.set.size())));
            if (attempt < 5) take_values(p, call, outputs, random);
            lay_out(call, random);
            if (!is_small(call)) continue;
        }
        try {
            results = evaluate(call, outputs, leaves_of(p, call));
            if (attempt == 7 || is_moderate(results, p.specials)) return call;
        } catch (const Error&) {
            if (attempt == 7 && !p.specials) throw;  // The row's own arguments.
        }
    }
    results.clear();
    return plain_call(row, run, seed);
}

}  // namespace

FunctionProgram random_function_program(uint64_t seed, int calls) {
    Random random(seed);
    const Dtype dtypes[] = {Dtype::float64, Dtype::float32, Dtype::float64, Dtype::float32,
                            Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};
    FunctionProgram p{.seed = seed, .dtype = dtypes[random() % std::size(dtypes)], .calls = {}};
    p.specials = random() % 8 == 0;
    set_seed(int64_t(seed));
    std::vector<Values> outputs;
    for (const std::string& function : draw_cards((seed - 1) * uint64_t(calls), calls)) {
        std::vector<const testing::Row*> rows;
        for (const testing::Row& row : testing::all_rows())
            if (row.function == function) rows.push_back(&row);
        if (rows.empty()) continue;
        Values results;
        p.calls.push_back(random_call(p, *rows[random() % rows.size()], outputs, random, results));
        outputs.push_back(results);
    }
    return p;
}

FunctionProgram resized(const FunctionProgram& p, uint64_t seed) {
    Random random(seed);
    for (int attempt = 0; attempt < 12; ++attempt) {
        FunctionProgram made = p;
        FunctionProgram::Call& call = made.calls[random() % made.calls.size()];
        change_size(call, random);
        if (!is_small(call)) continue;
        try {
            const std::vector<Values> outputs = evaluate(made, leaves_of(made));
            if (std::all_of(outputs.begin(), outputs.end(),
                            [&](const Values& v) { return is_moderate(v, p.specials); }))
                return made;
        } catch (const Error&) {
            continue;  // A size that one of the calls does not take.
        }
    }
    return p;
}

}  // namespace catena::fuzz
