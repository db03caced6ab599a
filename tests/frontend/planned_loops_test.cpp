// Random loops whose turns are not all alike: other rows, numbers, operations, weights or
// attributes at some turn or from some length on. Whatever is planned from other lengths must have
// the bits of what is compiled, and be what eager code gives. CATENA_FUZZ_SEED says where to begin
// (1), CATENA_FUZZ_LOOPS how many (24).
#include <gtest/gtest.h>

#include <random>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"
#include "tests/frontend/planned_calls.h"
#include "tests/fuzz/environment_number.h"

namespace catena::testing {
namespace {

constexpr int64_t batch_size = 4, width = 6, table_rows = 10;
constexpr int64_t digits[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8,
                              4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8, 8, 4, 1};

/// At which turns something is done.
struct When {
    enum Kind { always, once, every, from, before_end, in_long_texts, count } kind = always;
    int64_t k = 0;
    bool holds(int64_t t, int64_t length) const {
        switch (kind) {
            case once:
                return t == k;
            case every:
                return t % (2 + k % 3) == 0;
            case from:
                return t >= k;
            case before_end:
                return t == length - 1 - k % 4;
            case in_long_texts:
                return length >= 12 + k;
            default:
                return true;
        }
    }
};

/// A number below `below` at each turn.
struct Place {
    enum Kind { turn, reversed, twice, square, table, first, half, count } kind = turn;
    int64_t at(int64_t t, int64_t below) const {
        switch (kind) {
            case reversed:
                return below - 1 - t % below;
            case twice:
                return 2 * t % below;
            case square:
                return t * t % below;
            case table:
                return digits[size_t(t) % std::size(digits)] % below;
            case first:
                return 0;
            case half:
                return t / 2 % below;
            default:
                return t % below;
        }
    }
};

struct Act {
    enum Kind {
        product,
        scaled,
        gated,
        skip,
        drop,
        normalized,
        rolled,
        swapped,
        window,
        row_of_table,
        collected,
        count
    } kind = product;
    When when;
    Place place;
    int a = 0, b = 1, number = 0;
};

struct LoopProgram {
    std::vector<Act> acts;
    bool learns = false;       ///< A backward in the region, towards x;
    bool has_weights = false;  ///< and towards the weights.
};

LoopProgram random_loop(uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return int(random() % uint64_t(n)); };
    LoopProgram program{.acts = {}, .learns = below(4) == 0, .has_weights = below(4) == 0};
    for (int i = below(3); i >= 0; --i) {
        Act act;
        act.kind = Act::Kind(below(Act::count));
        if (below(6) == 0) act.when = {When::Kind(below(When::count)), 1 + below(20)};
        if (below(6) == 0) act.place.kind = Place::Kind(below(Place::count));
        act.a = below(2), act.b = below(2), act.number = below(5);
        program.acts.push_back(act);
    }
    return program;
}

struct Data {
    Variable x, table;
    std::vector<Variable> weights;
};

/// A number that depends on the turn.
double number_at(int number, int64_t t) {
    const double numbers[] = {0.5, 1.0 / double(t), double(t * t), t == 7 ? 1.0 : 0.25,
                              0.1 * double(digits[size_t(t) % std::size(digits)])};
    return numbers[number];
}

struct State {
    Variable s[2];
    std::vector<Variable> history, collected;
};

void take(const Act& act, int64_t t, const Data& data, State& state) {
    const int64_t length = data.x.shape()[0], row = act.place.at(t, length);
    Variable& s = state.s[act.a];
    const Variable& other = state.s[act.b];
    switch (act.kind) {
        case Act::product:
            s = tanh(matmul(s, data.weights[size_t(act.place.at(t, 4))]) + data.x[t]);
            break;
        case Act::scaled:
            s = sigmoid(s * number_at(act.number, t)) + other * 0.5;
            break;
        case Act::gated:
            s = tanh(s * data.x[row] + other);
            break;
        case Act::skip:
            s = maximum(s, state.history[size_t(act.place.at(t, int64_t(state.history.size())))]);
            break;
        case Act::drop:
            s = dropout(s, number_at(act.number, t) > 0.4 ? 0.5 : 0.1);
            break;
        case Act::normalized:
            s = softmax(s + data.x[row], int(act.place.at(t, 2)));
            break;
        case Act::rolled:
            s = roll(s, 1 + act.place.at(t, width), 1) + data.x[t];
            break;
        case Act::swapped:
            std::swap(state.s[0], state.s[1]);
            break;
        case Act::window:
            s = tanh(
                s +
                sum(data.x[slice(std::min(row, length - 2), std::min(row, length - 2) + 2)], 0));
            break;
        case Act::row_of_table:
            s = tanh(s + data.table[act.place.at(t, table_rows)]);
            break;
        default:
            state.collected.push_back(s);
            break;
    }
}

Variable result_of(const LoopProgram& program, const Data& data) {
    State state{.s = {data.x[0], data.x[0] * 0.5}, .history = {data.x[0]}, .collected = {}};
    const int64_t length = data.x.shape()[0];
    for (int64_t t = 1; t < length; ++t) {
        // A product keeps the turns apart: what is pointwise alone is one kernel for all turns,
        // other code for each length.
        state.s[0] = tanh(matmul(state.s[0], data.weights[0]) + data.x[t]);
        for (const Act& act : program.acts)
            if (act.when.holds(t, length)) take(act, t, data, state);
        state.history.push_back(state.s[0]);
    }
    const Variable y = state.collected.empty() ? state.s[0] + state.s[1]
                                               : sum(stack(state.collected), 0) + state.s[0];
    return sum(y * y, 1);
}

class Loop {
public:
    explicit Loop(const LoopProgram& program) : program_(program) {
        for (int i = 0; i < 4; ++i)
            weights_.emplace_back(testing::batch(i, width, width).array(), program.has_weights);
        table_ = reshape(testing::batch(9, table_rows * batch_size, width),
                         {table_rows, batch_size, width});
    }
    using Region = StaticFunction<Variable(Variable)>;
    Variable operator()(const Variable& x) {
        const Variable y = result_of(program_, {x, table_, weights_});
        if (program_.learns) sum(y).backward();
        return y;
    }
    Region region() {
        return static_graph([this](const Variable& x) { return (*this)(x); }, "loop");
    }
    /// What `function` gives for a text of this length, and gradients.
    template <class F>
    std::vector<Array> call(F&& function, int64_t length) {
        set_seed(length);
        const Variable rows = testing::batch(int(length), length * batch_size, width);
        const Variable x(reshape(rows, {length, batch_size, width}).array(), program_.learns);
        for (const Variable& w : weights_) w.cleargrad();
        std::vector<Array> arrays{function(x).array()};
        if (!program_.learns) return arrays;
        for (const Variable& v : weights_) arrays.push_back(v.grad());
        arrays.push_back(x.grad());
        return arrays;
    }

private:
    const LoopProgram program_;
    std::vector<Variable> weights_;
    Variable table_;
};

/// Calls a region of each random loop with these lengths.
Counts check_loops(int64_t first, int64_t loops, std::initializer_list<int64_t> lengths) {
    Counts counts;
    for (int64_t seed = first; seed < first + loops; ++seed) {
        SCOPED_TRACE("CATENA_FUZZ_SEED=" + std::to_string(seed));
        Loop loop(random_loop(uint64_t(seed)));
        auto region = loop.region();
        for (const int64_t length : lengths) {
            SCOPED_TRACE("length " + std::to_string(length));
            const std::vector<Array> found = loop.call(region, length);
            auto afresh = loop.region();
            expect_same_bits(found, loop.call(afresh, length));
            expect_near(found, loop.call(loop, length));
        }
        counts += region.statistics();
        if (::testing::Test::HasFailure()) break;
    }
    counts.print(std::to_string(loops) + " loops");
    return counts;
}

TEST(PlannedLoops, give_the_bits_of_compiled_ones_and_what_eager_code_gives) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const int64_t first = fuzz::environment_number("CATENA_FUZZ_SEED", 1),
                  loops = fuzz::environment_number("CATENA_FUZZ_LOOPS", 24);
    const Counts counts = check_loops(first, loops, {10, 34, 22, 17, 29, 12, 33, 26, 19, 31, 14});
    if (first == 1 && loops >= 24) {
        EXPECT_GT(counts.planned, 20) << "too few were planned to mean anything";
    }
}

TEST(PlannedLoops, that_grow_from_call_to_call_do_so_too) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const int64_t first = fuzz::environment_number("CATENA_FUZZ_SEED", 1),
                  loops = fuzz::environment_number("CATENA_FUZZ_LOOPS", 24) / 2;
    const Counts counts =
        check_loops(first, loops, {9, 10, 11, 12, 13, 14, 15, 17, 20, 24, 29, 35});
    if (first == 1 && loops >= 12) {
        EXPECT_GT(counts.planned, 10) << "too few were planned to mean anything";
    }
}

TEST(PlannedLoops, of_a_length_that_grows_by_one_are_seldom_compiled) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    constexpr int64_t width = 16;  // Products so small as those above are added in bundles, whose
                                   // number is part of the form.
    Linear across(width, width), down(width, width);
    auto region = static_graph(
        [&](const Variable& x) {
            Variable h(zeros({batch_size, width}));
            for (int64_t t = 0; t < x.shape()[0]; ++t) h = tanh(across(x[t]) + down(h));
            across.cleargrads(), down.cleargrads();
            const Variable loss = mean(h * h);
            loss.backward();
            return loss;
        },
        "growing");
    for (int64_t length = 1; length <= 120; ++length)
        region(Variable(ones({length, batch_size, width}), false));
    const StaticGraphStatistics first = region.statistics();
    EXPECT_LE(first.programs - first.resized, 20) << "of " << first.programs;
    for (int64_t length = 121; length <= 160; ++length)
        region(Variable(ones({length, batch_size, width}), false));
    const StaticGraphStatistics second = region.statistics();
    EXPECT_EQ(second.programs - second.resized, first.programs - first.resized);
    EXPECT_EQ(second.interpreted_calls, first.interpreted_calls);
    (Counts() += second).print("160 lengths");
}

}  // namespace
}  // namespace catena::testing
