// Random recurrent models of links, with texts of other lengths and in batches of other sizes:
// whatever is planned must have the bits of what is compiled, and be what eager code gives.
// CATENA_FUZZ_SEED says where to begin (1), CATENA_FUZZ_LOOPS how many (8).
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"
#include "tests/frontend/planned_calls.h"
#include "tests/fuzz/environment_number.h"

namespace catena::testing {
namespace {

struct Sizes {
    int64_t length, batch;
};

/// What the code of a model does.
struct Drawn {
    enum Input {
        embedded_at_once,
        embedded_by_word,
        embedded_and_multiplied,
        both_words,
        input_count
    } input = embedded_at_once;
    enum Cell {
        tanh_of_both,
        lstm_link,
        lstm_function,
        gru_link,
        beside_input,
        cell_count
    } cell = tanh_of_both;
    enum Extra {
        nothing,
        normalized,
        dropped,
        earlier,
        row_of_place,
        attended,
        twice,
        extra_count
    } extra = nothing;
    enum End { of_all, of_last, of_stacked, tied, end_count } end = of_all;
    enum Form { forward, gradients_outside, gradients_inside, step, form_count } form = forward;
    int64_t characters = 10, units = 8;
    bool is_deep = false;  ///< Two cells.
    std::vector<Sizes> sizes;
};

std::vector<Sizes> draw_sizes(std::mt19937_64& random) {
    const auto between = [&](int64_t a, int64_t b) {
        return a + int64_t(random() % uint64_t(b - a + 1));
    };
    std::vector<Sizes> sizes;
    const bool batches_change = between(0, 2) == 0;
    const int64_t length = between(3, 12), batch = between(4, 9);
    // The ends first: what lies between may be planned.
    for (int i = 0; i < 9; ++i) {
        const int64_t each = i == 0 ? 12 : i == 1 ? 36 : between(13, 35);
        sizes.push_back(batches_change ? Sizes{length, each} : Sizes{each, batch});
    }
    if (between(0, 3) == 0)  // And a few of both kinds.
        for (int i = 0; i < 3; ++i) sizes.push_back({between(12, 36), between(1, 9)});
    return sizes;
}

Drawn draw(uint64_t seed) {
    std::mt19937_64 random(seed * 7919 + 17);
    const auto below = [&](int n) { return int(random() % uint64_t(n)); };
    Drawn drawn;
    drawn.input = Drawn::Input(below(Drawn::input_count));
    drawn.cell = Drawn::Cell(below(Drawn::cell_count));
    drawn.extra = Drawn::Extra(below(Drawn::extra_count));
    drawn.end = Drawn::End(below(Drawn::end_count));
    drawn.form = Drawn::Form(below(Drawn::form_count));
    drawn.characters = below(2) ? 10 : 37;
    drawn.units = std::array<int64_t, 3>{16, 24, 32}[size_t(below(3))];
    drawn.is_deep = below(4) == 0;
    drawn.sizes = draw_sizes(random);
    return drawn;
}

struct Cell : Chain {
    Drawn::Cell kind;
    Linear across, down, wide, four;
    LSTM lstm;
    StatefulGRU gru;
    Variable c, h;
    Cell(Drawn::Cell kind, int64_t units)
        : kind(kind),
          across(units, units),
          down(units, units),
          wide(2 * units, units),
          four(2 * units, 4 * units),
          lstm(units, units),
          gru(units, units) {
        add_children({{"across", across},
                      {"down", down},
                      {"wide", wide},
                      {"four", four},
                      {"lstm", lstm},
                      {"gru", gru}});
    }
    void reset(const Shape& shape) {
        lstm.reset_state();
        gru.reset_state();
        c = Variable(zeros(shape)), h = Variable(zeros(shape));
    }
    Variable operator()(const Variable& x) {
        switch (kind) {
            case Drawn::lstm_link:
                return h = lstm(x);
            case Drawn::lstm_function: {
                const LstmResult next = catena::lstm(c, four(concat({x, h}, 1)));
                c = next.c;
                return h = next.h;
            }
            case Drawn::gru_link:
                return h = gru(x);
            case Drawn::beside_input:
                return h = tanh(wide(concat({x, h}, 1)));
            default:
                return h = tanh(across(x) + down(h));
        }
    }
};

struct Model : Chain {
    const Drawn drawn;
    EmbedID embed, places;
    Linear before;
    Cell first, second;
    LayerNormalization norm;
    Linear out;
    explicit Model(const Drawn& drawn)
        : drawn(drawn),
          embed(drawn.characters, drawn.units),
          places(40, drawn.units),
          before(drawn.units, drawn.units),
          first(drawn.cell, drawn.units),
          second(drawn.cell, drawn.units),
          norm(drawn.units),
          out(drawn.units, drawn.characters) {
        add_children({{"embed", embed},
                      {"places", places},
                      {"before", before},
                      {"first", first},
                      {"second", second},
                      {"norm", norm},
                      {"out", out}});
    }

    Variable input(const Variable& text, const Variable& x, int64_t t) {
        switch (drawn.input) {
            case Drawn::embedded_by_word:
                return embed(text[t]);
            case Drawn::embedded_and_multiplied:
                return before(x[t]);
            case Drawn::both_words:
                return x[t] + x[text.shape()[0] - 1 - t];
            default:
                return x[t];
        }
    }
    Variable changed(const Variable& h, const std::vector<Variable>& states, int64_t t) {
        switch (drawn.extra) {
            case Drawn::normalized:
                return norm(h);
            case Drawn::dropped:
                return dropout(h, 0.3);
            case Drawn::earlier:
                return h + states[size_t(t / 2) % states.size()] * 0.5;
            case Drawn::row_of_place:
                return h + broadcast_to(embed_place(t), h.shape());
            case Drawn::attended:
                return h * softmax(h * states.front(), 1);
            case Drawn::twice:
                return first(h);
            default:
                return h;
        }
    }
    Variable embed_place(int64_t t) { return places.W[slice(t, t + 1)]; }

    Variable loss(const Variable& text, const Variable& next) {
        const int64_t length = text.shape()[0], batch = text.shape()[1];
        for (Cell* cell : {&first, &second}) cell->reset({batch, drawn.units});
        const Variable x = drawn.input == Drawn::embedded_by_word ? Variable() : embed(text);
        std::vector<Variable> states;
        for (int64_t t = 0; t < length; ++t) {
            Variable h = first(input(text, x, t));
            if (!states.empty()) h = changed(h, states, t);
            states.push_back(drawn.is_deep ? second(h) : h);
        }
        for (Cell* cell : {&first, &second})
            cell->reset({batch, drawn.units});  // The states are the call's.
        const Variable last = next[slice(batch * (length - 1), batch * length)];
        switch (drawn.end) {
            case Drawn::of_last:
                return softmax_cross_entropy(out(states.back()), last);
            case Drawn::of_stacked:
                return softmax_cross_entropy(out(sum(stack(states), 0) / double(length)), last);
            case Drawn::tied:
                return softmax_cross_entropy(matmul(concat(states, 0), embed.W, false, true), next);
            default:
                return softmax_cross_entropy(out(concat(states, 0)), next);
        }
    }
};

class Trained {
public:
    explicit Trained(const Drawn& drawn) : drawn_(drawn) {
        set_seed(3);
        model_ = std::make_unique<Model>(drawn);
        optimizer_.setup(*model_);
        optimizer_.add_hook(std::make_shared<GradientClipping>(1.0));
    }
    using Region = StaticFunction<Variable(Variable, Variable)>;
    Variable operator()(const Variable& text, const Variable& next) {
        const Variable loss = model_->loss(text, next);
        if (drawn_.form < Drawn::gradients_inside) return loss;
        model_->cleargrads();
        loss.backward();
        if (drawn_.form == Drawn::step) optimizer_.update();
        return loss;
    }
    Region region() {
        return static_graph(
            [this](const Variable& text, const Variable& next) { return (*this)(text, next); },
            "model");
    }
    /// The loss for a text of these sizes, and gradients or the new parameters. The parameters are
    /// as before then.
    template <class F>
    std::vector<Array> call(F&& function, Sizes sizes) {
        set_seed(sizes.length * 100 + sizes.batch);
        const auto [length, batch] = sizes;
        const Variable words =
            labels(int(length + 7 * batch), batch * (length + 1), int(drawn_.characters));
        const Variable text = reshape(words[slice(0, batch * length)], {length, batch}),
                       next = words[slice(batch, batch * (length + 1))];
        const std::vector<Parameter*> parameters = model_->params();
        std::vector<Array> before;
        for (const Parameter* parameter : parameters) before.push_back(parameter->array());
        model_->cleargrads();
        const Variable loss = function(text, next);
        if (drawn_.form == Drawn::gradients_outside) loss.backward();
        std::vector<Array> arrays{loss.array()};
        for (const Parameter* parameter : parameters) {
            if (drawn_.form == Drawn::step)
                arrays.push_back(parameter->array());
            else if (drawn_.form != Drawn::forward)
                arrays.push_back(parameter->grad());
        }
        for (size_t i = 0; i < parameters.size(); ++i) parameters[i]->set_array(before[i]);
        return arrays;
    }

private:
    const Drawn drawn_;
    std::unique_ptr<Model> model_;
    SGD optimizer_{0.1};
};

TEST(PlannedLinks, give_the_bits_of_compiled_ones_and_what_eager_code_gives) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const int64_t first = fuzz::environment_number("CATENA_FUZZ_SEED", 1),
                  loops = fuzz::environment_number("CATENA_FUZZ_LOOPS", 8);
    Counts counts;
    for (int64_t seed = first; seed < first + loops && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("CATENA_FUZZ_SEED=" + std::to_string(seed));
        const Drawn drawn = draw(uint64_t(seed));
        Trained trained(drawn);
        auto region = trained.region();
        for (const Sizes sizes : drawn.sizes) {
            SCOPED_TRACE("length " + std::to_string(sizes.length) + ", batch " +
                         std::to_string(sizes.batch));
            const std::vector<Array> found = trained.call(region, sizes);
            auto afresh = trained.region();
            expect_same_bits(found, trained.call(afresh, sizes));
            expect_near(found, trained.call(trained, sizes));
        }
        counts += region.statistics();
    }
    counts.print(std::to_string(loops) + " models");
    if (first == 1 && loops >= 8) {
        EXPECT_GT(counts.planned, 5) << "too few were planned to mean anything";
    }
}

/// Long texts: the rows of the embedding are multiplied once (passes/join/join_rows.h), and that
/// was once enough for no length to be planned.
TEST(PlannedLinks, lengths_are_planned_where_rows_of_an_embedding_are_multiplied_once) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    set_seed(3);
    EmbedID embed(40, 32);
    Linear across(32, 64), down(64, 64), out(64, 40);
    auto region = static_graph(
        [&](const Variable& text, const Variable& next) {
            const Variable x = embed(text);
            Variable h(zeros({text.shape()[1], 64}));
            std::vector<Variable> states;
            for (int64_t t = 0; t < text.shape()[0]; ++t)
                states.push_back(h = tanh(across(x[t]) + down(h)));
            for (Link* link : std::initializer_list<Link*>{&embed, &across, &down, &out})
                link->cleargrads();
            const Variable loss = softmax_cross_entropy(out(concat(states, 0)), next);
            loss.backward();
            return loss;
        },
        "rows");
    int calls = 0;
    for (int64_t i = 0; i < 41; ++i) {
        const int64_t length = 20 + (37 * i + 11) % 41;
        const Variable words = labels(int(i), 8 * (length + 1), 40);
        region(reshape(words[slice(0, 8 * length)], {length, 8}),
               words[slice(8, 8 * (length + 1))]);
        ++calls;
    }
    EXPECT_NE(region.explain().find("is that of 40 rows of"), std::string::npos)
        << region.explain();
    const StaticGraphStatistics statistics = region.statistics();
    EXPECT_EQ(statistics.programs, calls);
    EXPECT_GT(statistics.resized, calls / 2);
    (Counts() += statistics).print("41 lengths");
}

}  // namespace
}  // namespace catena::testing
