// Another number of turns of a loop is planned from the numbers that were compiled. With
// CATENA_CHECK_SCHEDULES=1, as the tests run, each such plan is also compared with the compiled
// one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "benchmarks/models/char_rnn.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using Lengths = std::vector<int64_t>;

bool same_bits(const Array& a, const Array& b) {
    const Array x = a.as_contiguous(), y = b.as_contiguous();
    return x.type() == y.type() &&
           std::memcmp(x.data<float>(), y.data<float>(),
                       size_t(element_count(x.shape())) * sizeof(float)) == 0;
}

class NewLengths : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

enum class Form { forward, joint, step };

struct Training {
    std::vector<Array> results;  ///< Losses, and in the end the parameters.
    int64_t programs = 0, resized = 0;
};

/// Trains a small model of characters with texts of these lengths. `afresh`: with a region of its
/// own for each text, so that each is compiled.
constexpr int64_t batch = 3;

Training train(const Lengths& lengths, Form form, bool afresh) {
    set_seed(3);
    models::CharRnn model(11, 6);
    SGD optimizer(0.1);
    optimizer.setup(model);
    optimizer.add_hook(std::make_shared<GradientClipping>(1.0));
    using Region = StaticFunction<Variable(Variable, Variable)>;
    auto loss_of = [&](Variable x, Variable t) { return softmax_cross_entropy(model(x), t); };
    auto step_of = [&](Variable x, Variable t) {
        const Variable loss = loss_of(x, t);
        learn(model, optimizer, loss);
        return loss;
    };
    auto made = [&] {
        return form == Form::step ? Region(static_graph(step_of, "step"))
                                  : Region(static_graph(loss_of, "loss"));
    };
    Region region = made();
    Training training;
    auto count = [&] {
        training.programs += region.statistics().programs;
        training.resized += region.statistics().resized;
    };
    for (size_t i = 0; i < lengths.size(); ++i) {
        const Variable words = labels(int(i), batch * (lengths[i] + 1), 11),
                       x = reshape(words[slice(0, batch * lengths[i])], {lengths[i], batch});
        const Variable t = words[slice(batch, batch * (lengths[i] + 1))];
        if (form == Form::forward) {
            const auto no_graph = no_backprop_mode();
            training.results.push_back(region(x, t).array());
        } else {
            const Variable loss = region(x, t);
            if (form == Form::joint) learn(model, optimizer, loss);
            training.results.push_back(loss.array());
        }
        if (!afresh) continue;
        count();
        region = made();
    }
    if (!afresh) count();
    for (const auto& [name, parameter] : model.namedparams())
        training.results.push_back(parameter->array());
    return training;
}

void expect_bits_of_compiled(const Lengths& lengths, Form form, int64_t least_resized) {
    const Training compiled = train(lengths, form, true), planned = train(lengths, form, false);
    EXPECT_EQ(compiled.resized, 0);
    EXPECT_EQ(planned.programs, int64_t(lengths.size()));
    EXPECT_GE(planned.resized, least_resized);
    ASSERT_EQ(compiled.results.size(), planned.results.size());
    for (size_t i = 0; i < planned.results.size(); ++i)
        EXPECT_TRUE(same_bits(compiled.results[i], planned.results[i])) << i;
}

// Compiled: the first ones, each that is longer than all before, and short ones, whose sums over
// rows are not divided into blocks.
const Lengths mixed = {40, 5, 31, 60, 23, 1, 2, 55, 35, 29, 130, 41, 100, 70, 28, 9, 3};

TEST_F(NewLengths, of_a_forward_pass) { expect_bits_of_compiled(mixed, Form::forward, 7); }
TEST_F(NewLengths, of_forward_and_backward_together) {
    expect_bits_of_compiled(mixed, Form::joint, 7);
}
TEST_F(NewLengths, of_a_whole_step) { expect_bits_of_compiled(mixed, Form::step, 7); }

TEST_F(NewLengths, that_occur_in_any_order_take_few_compilations) {
    Lengths lengths;
    for (int64_t i = 0; i < 41; ++i) lengths.push_back(20 + (37 * i + 11) % 41);
    const Training training = train(lengths, Form::step, false);
    EXPECT_EQ(training.programs, 41);
    // The first three; 60, 22, 21 and 20, which are the longest or shortest so far; 24, another
    // size of the model.
    EXPECT_LE(training.programs - training.resized, 8);
}

/// What the loop does at its third turn: as always, another operation, or the same one on another
/// row.
enum class Third { as_always, other_operation, other_row };

Variable recurrence(const Variable& x, const Variable& w, Third third) {
    Variable h = x[0];
    for (int64_t t = 1; t < x.shape()[0]; ++t) {
        const Variable row = x[t == 3 && third == Third::other_row ? 0 : t];
        h = t == 3 && third == Third::other_operation ? sigmoid(matmul(h, w) + row)
                                                      : tanh(matmul(h, w) + row);
    }
    return h;
}

TEST_F(NewLengths, are_not_taken_for_another_body) {
    const auto no_graph = no_backprop_mode();
    const Variable w = testing::batch(1, 5, 5);
    Third third = Third::as_always;
    auto region = static_graph([&](const Variable& x) { return recurrence(x, w, third); }, "f");
    auto is_planned = [&](int64_t length) {
        const int64_t before = region.statistics().resized;
        const Variable x = reshape(testing::batch(int(length), length * 4, 5), {length, 4, 5}),
                       expected = recurrence(x, w, third);
        const Array found = region(x).array();
        for (int64_t i = 0; i < 20; ++i)
            EXPECT_NEAR(expected.array().as_contiguous().data<float>()[i],
                        found.as_contiguous().data<float>()[i], 1e-5)
                << length;
        return region.statistics().resized > before;
    };
    for (int64_t length : {10, 30, 20}) EXPECT_FALSE(is_planned(length));
    EXPECT_TRUE(is_planned(17));
    third = Third::other_operation;
    EXPECT_FALSE(is_planned(18));
    third = Third::other_row;
    EXPECT_FALSE(is_planned(19));
    third = Third::as_always;
    EXPECT_TRUE(is_planned(21));
}

}  // namespace
}  // namespace catena::testing
