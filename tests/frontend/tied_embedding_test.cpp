// A network that reads the same weights as an embedding and in a product: compiled, the embedding's
// gradient is added to the product's, in its memory where nothing else reads it (pass join-calls).
#include <regex>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena::testing {
namespace {

constexpr int64_t words = 2000, width = 32;

/// Scores of all words after each, by the embedding's weights.
struct Tied : Chain {
    EmbedID embed;
    explicit Tied(std::optional<int64_t> ignored)
        : embed(words, width, {.initialW = initializers::Normal(0.3), .ignore_label = ignored}) {
        add_children({{"embed", embed}});
    }
    Variable operator()(const Variable& x) { return linear(tanh(embed(x)), embed.W); }
};

Variable numbers(std::vector<int32_t> values) {
    return Variable(Array::from(values, {int64_t(values.size())}), false);
}

struct Trained {
    std::vector<float> weights, gradient;
    std::string explanation;
};

/// Three steps; the gradient is that of the last one, where it is kept.
Trained trained(const Variable& x, const Variable& t, bool compiled, bool keeps_gradient,
                std::optional<int64_t> ignored = {}) {
    set_seed(11);
    Tied model(ignored);
    Adam optimizer(0.01);
    optimizer.setup(model);
    Trained result;
    auto code = [&](const Variable& x, const Variable& t) {
        model.cleargrads();
        const Variable loss = softmax_cross_entropy(model(x), t);
        loss.backward();
        optimizer.update();
        const Variable gradient = model.embed.W.grad();
        if (!keeps_gradient) model.cleargrads();
        return Variables{loss, keeps_gradient ? gradient : loss};
    };
    auto step = static_graph(code, "tied");
    for (int i = 0; i < 3; ++i) {
        const Variables found = compiled ? step(x, t) : code(x, t);
        if (keeps_gradient) result.gradient = found[1].array().to_vector<float>();
    }
    result.weights = model.embed.W.array().to_vector<float>();
    if (compiled) result.explanation = step.explain();
    return result;
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 2e-5) << i;
}

int64_t temporary_bytes(const std::string& explanation) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(explanation, found, std::regex("([0-9]+) bytes of temporaries")))
        << explanation;
    return found.empty() ? 0 : std::stoll(found[1]);
}

class TiedEmbedding : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
    // The same word several times, and words that never occur.
    const Variable x = numbers({3, 1999, 3, 0, 3, 7}), t = numbers({1, 5, 7, 1999, 0, 3});
};

TEST_F(TiedEmbedding, learns_compiled_as_it_does_eagerly) {
    for (const std::optional<int64_t> ignored :
         {std::optional<int64_t>(), std::optional<int64_t>(3)})
        for (const bool keeps_gradient : {false, true}) {
            const Trained eager = trained(x, t, false, keeps_gradient, ignored),
                          compiled = trained(x, t, true, keeps_gradient, ignored);
            expect_near(compiled.weights, eager.weights);
            expect_near(compiled.gradient, eager.gradient);
        }
}

TEST_F(TiedEmbedding, has_one_array_for_both_gradients) {
    const Trained compiled = trained(x, t, true, false);
    EXPECT_LT(temporary_bytes(compiled.explanation), words * width * 4 * 3 / 2);
}

TEST_F(TiedEmbedding, of_an_index_outside_changes_nothing) {
    set_seed(11);
    Tied model({});
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
        "tied");
    for (int i = 0; i < 3; ++i) step(x, t);
    const std::vector<float> before = model.embed.W.array().to_vector<float>();
    EXPECT_THROW(step(numbers({3, 1999, 3, 2000, 3, 7}), t), ValueError);
    EXPECT_EQ(model.embed.W.array().to_vector<float>(), before);
}

}  // namespace
}  // namespace catena::testing
