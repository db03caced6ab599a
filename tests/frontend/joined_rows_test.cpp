// Products of the rows that an embedding reads: compiled, those of a long text are products of the
// embedding's rows (pass join-calls, passes/join/join_rows.h).
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena::testing {
namespace {

constexpr int64_t words = 8, width = 32, classes = 5;
constexpr const char* note = "is that of 8 rows of";

/// One product of all words.
struct AtOnce : Chain {
    EmbedID embed{words, width, {.initialW = initializers::Normal(0.5)}};
    Linear out{width, classes};
    AtOnce() { add_children({{"embed", embed}, {"out", out}}); }
    Variable operator()(const Variable& text) { return out(reshape(embed(text), {-1, width})); }
};

/// A product of the words of each step, and of the state.
struct StepByStep : Chain {
    EmbedID embed{words, width, {.initialW = initializers::Normal(0.5)}};
    LSTM lstm{width, 6};
    Linear out{6, classes};
    StepByStep() { add_children({{"embed", embed}, {"lstm", lstm}, {"out", out}}); }
    Variable operator()(const Variable& text) {
        lstm.reset_state();
        const Variable x = embed(text);
        std::vector<Variable> states;
        for (int64_t t = 0; t < text.shape()[0]; ++t) states.push_back(lstm(get_item(x, {t})));
        return out(concat(states, 0));
    }
};

/// W stands before its rows: the gradient towards W is the product of the words' rows and their
/// gradients, not the other way round.
struct Before : Chain {
    EmbedID embed{words, width, {.initialW = initializers::Normal(0.5)}};
    Parameter W{Initializer(initializers::Normal(0.5)), Shape{width, classes}};
    Before() {
        add_children({{"embed", embed}});
        add_param("W", W);
    }
    Variable operator()(const Variable& text) {
        return matmul(reshape(embed(text), {-1, width}), W);
    }
};

Variable numbers(const std::function<int(int)>& number, const Shape& shape) {
    std::vector<int32_t> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = number(int(i));
    return Variable(Array::from(values, shape), false);
}
/// Words 0 to `read` - 1.
Variable text_of(int64_t steps, int64_t batch, int read) {
    return numbers([read](int i) { return (i * i + i / 3) % read; }, {steps, batch});
}
Variable labels(int64_t count) {
    return numbers([](int i) { return i * 7 % int(classes); }, {count});
}

struct Trained {
    std::vector<std::vector<float>> weights, gradients;
    std::string explanation;
};

/// Three steps, with the gradients of the last one.
template <class Model>
Trained trained(const Variable& text, bool compiled,
                const std::function<void(Model&)>& change = {}) {
    set_seed(5);
    Model model;
    if (change) change(model);
    SGD optimizer(0.1);
    optimizer.setup(model);
    auto code = [&](const Variable& x, const Variable& t) {
        model.cleargrads();
        const Variable loss = softmax_cross_entropy(model(x), t);
        loss.backward();
        optimizer.update();
        Variables results;
        for (const Parameter* p : model.params()) results.push_back(p->grad());
        return results;
    };
    auto step = static_graph(code, "rows");
    Trained result;
    Variables found;
    for (int i = 0; i < 3; ++i)
        found = compiled ? step(text, labels(text.size())) : code(text, labels(text.size()));
    for (const Variable& gradient : found)
        result.gradients.push_back(gradient.array().to_vector<float>());
    for (const Parameter* p : model.params())
        result.weights.push_back(p->array().to_vector<float>());
    if (compiled) result.explanation = step.explain();
    return result;
}

void expect_near(const std::vector<std::vector<float>>& actual,
                 const std::vector<std::vector<float>>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t k = 0; k < actual.size(); ++k)
        for (size_t i = 0; i < actual[k].size(); ++i)
            if (std::isfinite(expected[k][i]))
                ASSERT_NEAR(actual[k][i], expected[k][i], 2e-5) << k << ' ' << i;
            else
                ASSERT_FALSE(std::isfinite(actual[k][i])) << k << ' ' << i;
}

/// The explanation.
template <class Model>
std::string expect_the_same(const Variable& text, const std::function<void(Model&)>& change = {}) {
    const Trained eager = trained<Model>(text, false, change),
                  compiled = trained<Model>(text, true, change);
    expect_near(compiled.gradients, eager.gradients);
    expect_near(compiled.weights, eager.weights);
    return compiled.explanation;
}

class JoinedRows : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

// Forwards, towards the weights and towards the embedding.
TEST_F(JoinedRows, of_a_long_text_are_those_of_its_words) {
    EXPECT_EQ(count(expect_the_same<AtOnce>(text_of(10, 3, words)), note), 3);
    EXPECT_EQ(count(expect_the_same<Before>(text_of(10, 3, words)), note), 3);
}

TEST_F(JoinedRows, of_a_loop_over_steps_are_those_of_its_words) {
    EXPECT_EQ(count(expect_the_same<StepByStep>(text_of(10, 3, words)), note), 3);
}

TEST_F(JoinedRows, of_a_short_text_are_its_own) {
    EXPECT_EQ(count(expect_the_same<AtOnce>(text_of(5, 3, words)), note), 0);
}

TEST_F(JoinedRows, that_no_word_reads_may_be_infinite) {
    EXPECT_EQ(count(expect_the_same<AtOnce>(
                        text_of(10, 3, words - 2),
                        [](AtOnce& model) {
                            std::vector<float> W = model.embed.W.array().to_vector<float>();
                            W[size_t((words - 1) * width)] = std::numeric_limits<float>::infinity();
                            W[size_t((words - 1) * width + 1)] =
                                std::numeric_limits<float>::quiet_NaN();
                            model.embed.W.set_array(Array::from(W, {words, width}));
                        }),
                    note),
              3);
}

TEST_F(JoinedRows, that_no_word_reads_get_no_gradient_of_infinite_weights) {
    const auto change = [](AtOnce& model) {
        std::vector<float> W = model.out.W.array().to_vector<float>();
        W[3] = std::numeric_limits<float>::infinity();
        model.out.W.set_array(Array::from(W, {classes, width}));
    };
    const Trained compiled = trained<AtOnce>(text_of(10, 3, words - 1), true, change);
    const std::vector<float>& gradient = compiled.gradients[0];
    ASSERT_EQ(gradient.size(), size_t(words * width));
    for (int64_t i = (words - 1) * width; i < words * width; ++i)
        EXPECT_EQ(gradient[size_t(i)], 0) << i;
    EXPECT_FALSE(std::isfinite(gradient[0]));
}

TEST_F(JoinedRows, of_a_word_that_is_not_there_change_nothing) {
    set_seed(5);
    AtOnce model;
    SGD optimizer(0.1);
    optimizer.setup(model);
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            model.cleargrads();
            const Variable loss = softmax_cross_entropy(model(x), t);
            loss.backward();
            optimizer.update();
            return loss;
        },
        "rows");
    for (int i = 0; i < 3; ++i) step(text_of(10, 3, words), labels(30));
    const std::vector<float> before = model.embed.W.array().to_vector<float>();
    EXPECT_THROW(step(text_of(10, 3, words + 1), labels(30)), ValueError);
    EXPECT_EQ(model.embed.W.array().to_vector<float>(), before);
}

}  // namespace
}  // namespace catena::testing
