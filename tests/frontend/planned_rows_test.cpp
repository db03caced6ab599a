// Loops over texts so long that the rows of their embedding are multiplied once
// (passes/join/join_rows.h), with texts of other lengths: they are planned, with the bits of
// compiled ones. CATENA_FUZZ_SEED says where to begin (1), CATENA_FUZZ_LOOPS how many (4).
#include <algorithm>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"
#include "tests/frontend/planned_calls.h"
#include "tests/fuzz/environment_number.h"

namespace catena::testing {
namespace {

constexpr int64_t characters = 40, batch_size = 8, units = 64;
constexpr const char* note = "is that of 40 rows of";

/// Which products read the rows.
struct Drawn {
    bool lstm = false;               ///< An LSTM's gates, else one product.
    bool multiplied_before = false;  ///< The rows of all turns at once, too.
    bool reads_backwards = false;    ///< A second product, of the rows from the end.
    bool by_word = false;            ///< Each turn reads its own rows.
};

Drawn draw(uint64_t seed) {
    if (seed == 1) return {};
    std::mt19937_64 random(seed);
    const auto coin = [&] { return random() % 2 == 0; };
    return {
        .lstm = coin(), .multiplied_before = coin(), .reads_backwards = coin(), .by_word = coin()};
}

struct Reader : Chain {
    const Drawn drawn;
    EmbedID embed{characters, 32};
    Linear before{32, 32}, across{32, units}, back{32, units}, down{units, units},
        out{units, characters};
    LSTM lstm{32, units};
    explicit Reader(const Drawn& drawn) : drawn(drawn) {
        add_children({{"embed", embed},
                      {"before", before},
                      {"across", across},
                      {"back", back},
                      {"down", down},
                      {"out", out},
                      {"lstm", lstm}});
    }
    Variable loss(const Variable& text, const Variable& next) {
        const int64_t length = text.shape()[0];
        Variable x = embed(text);
        if (drawn.multiplied_before)
            x = reshape(before(reshape(x, {-1, 32})), {length, batch_size, 32});
        lstm.reset_state();
        Variable h(zeros({batch_size, units}));
        std::vector<Variable> states;
        for (int64_t t = 0; t < length; ++t) {
            const Variable row = drawn.by_word ? embed(text[t]) : x[t];
            h = drawn.lstm ? lstm(row) : tanh(across(row) + down(h));
            if (drawn.reads_backwards) h = h + back(x[length - 1 - t]);
            states.push_back(h);
        }
        lstm.reset_state();  // The states are the call's.
        return softmax_cross_entropy(out(concat(states, 0)), next);
    }
};

class Trained {
public:
    explicit Trained(const Drawn& drawn) : reader_(drawn) {}
    using Region = StaticFunction<Variable(Variable, Variable)>;
    Variable operator()(const Variable& text, const Variable& next) {
        reader_.cleargrads();
        const Variable loss = reader_.loss(text, next);
        loss.backward();
        return loss;
    }
    Region region() {
        return static_graph(
            [this](const Variable& text, const Variable& next) { return (*this)(text, next); },
            "rows");
    }
    /// The loss of a text of this length, and the gradients.
    template <class F>
    std::vector<Array> call(F&& function, int64_t length) {
        const Variable words = labels(int(length), batch_size * (length + 1), characters);
        const Variable text = reshape(words[slice(0, batch_size * length)], {length, batch_size});
        std::vector<Array> arrays{
            function(text, words[slice(batch_size, batch_size * (length + 1))]).array()};
        for (const Parameter* parameter : reader_.params()) arrays.push_back(parameter->grad());
        return arrays;
    }

private:
    Reader reader_;
};

/// From 20 to 60, growing; from seed to seed by other steps.
std::vector<int64_t> growing_lengths(uint64_t seed) {
    std::mt19937_64 random(seed + 100);
    std::vector<int64_t> lengths;
    for (int64_t length = 20; length <= 60; length += 1 + int64_t(random() % 6))
        lengths.push_back(length);
    return lengths;
}

TEST(PlannedRows, of_texts_that_grow_from_call_to_call_give_the_bits_of_compiled_ones) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const int64_t first = fuzz::environment_number("CATENA_FUZZ_SEED", 1),
                  loops = fuzz::environment_number("CATENA_FUZZ_LOOPS", 4);
    Counts counts;
    for (int64_t seed = first; seed < first + loops && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("CATENA_FUZZ_SEED=" + std::to_string(seed));
        set_seed(seed);
        Trained trained(draw(uint64_t(seed)));
        auto region = trained.region();
        for (const int64_t length : growing_lengths(uint64_t(seed))) {
            SCOPED_TRACE("length " + std::to_string(length));
            const std::vector<Array> found = trained.call(region, length);
            auto afresh = trained.region();
            expect_same_bits(found, trained.call(afresh, length));
            expect_near(found, trained.call(trained, length));
        }
        EXPECT_NE(region.explain().find(note), std::string::npos) << region.explain();
        counts += region.statistics();
    }
    counts.print(std::to_string(loops) + " loops");
    if (first == 1 && loops >= 4) {
        EXPECT_GT(counts.planned, 10) << "too few were planned to mean anything";
    }
}

}  // namespace
}  // namespace catena::testing
