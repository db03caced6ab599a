// A recurrent network written as a loop over steps: what the compiler makes of calls that repeat.
#include <cmath>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

using testing::HasSubstr;

constexpr int64_t steps = 12, batch = 3, words = 200, units = 24;

struct LanguageModel : Chain {
    EmbedID embed{words, units};
    LSTM lstm{units, units};
    Linear out{units, words};
    LanguageModel() { add_children({{"embed", embed}, {"lstm", lstm}, {"out", out}}); }
    Variable operator()(const Variable& x) {
        lstm.reset_state();
        std::vector<Variable> scores;
        for (int64_t t = 0; t < steps; ++t) scores.push_back(out(lstm(embed(get_item(x, {t})))));
        return concat(scores, 0);
    }
};

Variable ids(const Shape& shape, int64_t seed) {
    std::vector<int32_t> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = int32_t((int64_t(i) * 7919 + seed) % words);
    return Variable(Array::from(values, shape), false);
}

struct Result {
    std::vector<double> losses, embedding, lateral;
    size_t first_peak = 0;  ///< Bytes of arrays while the first call ran.
    StaticGraphStatistics statistics;
    std::string explanation;
};

Result train(bool compiled) {
    set_seed(3);
    auto use = using_config(&Config::use_static_graph, compiled);
    LanguageModel model;
    SGD sgd(0.5);
    sgd.setup(model);
    sgd.add_hook(GradientClipping(5.0));
    auto step = static_graph([&](const Variable& x, const Variable& t) {
        Variable loss = softmax_cross_entropy(model(x), t);
        model.cleargrads();
        loss.backward();
        loss.unchain_backward();
        sgd.update();
        return loss;
    });
    Result result;
    reset_peak_memory();
    for (int i = 0; i < 4; ++i) {
        result.losses.push_back(
            step(ids({steps, batch}, i), ids({steps * batch}, 31 * i)).item<double>());
        if (i == 0) result.first_peak = cpu_memory_statistics().peak_bytes;
    }
    result.embedding = model.embed.W.array().to_vector<double>();
    result.lateral = model.lstm.lateral.W.array().to_vector<double>();
    result.statistics = step.statistics();
    result.explanation = step.explain();
    return result;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], 1e-4 * std::max(1.0, std::abs(a[i]))) << what << i;
}

class UnrolledLoopTest : public testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(UnrolledLoopTest, trains_as_eager_does) {
    Result eager = train(false), compiled = train(true);
    expect_near(eager.losses, compiled.losses, "loss ");
    expect_near(eager.embedding, compiled.embedding, "embedding ");
    expect_near(eager.lateral, compiled.lateral, "lateral weight ");
}

TEST_F(UnrolledLoopTest, a_state_made_and_reset_in_the_first_call_makes_no_second_program) {
    Result compiled = train(true);
    EXPECT_EQ(compiled.statistics.programs, 1) << compiled.explanation;
    EXPECT_EQ(compiled.statistics.mismatches, 0) << compiled.explanation;
    EXPECT_EQ(compiled.statistics.interpreted_calls, 0);
}

TEST_F(UnrolledLoopTest, weights_are_read_once_where_steps_do_not_wait) {
    std::string text = train(true).explanation;
    // Forward: words to vectors, vectors to gates, outputs to scores; backward: the latter two to
    // their inputs.
    EXPECT_THAT(text, HasSubstr("12 calls of embed_id ("));
    EXPECT_THAT(text, HasSubstr("12 calls of gradient of embed_id ("));
    // A step is left with a product forward and one backward, those with the state, and with
    // putting its gates' gradients side by side.
    std::smatch found;
    ASSERT_TRUE(std::regex_search(text, found, std::regex("([0-9]+) library calls"))) << text;
    EXPECT_LE(std::stoi(found[1]), 3 * steps + 18) << text;
}

TEST_F(UnrolledLoopTest, recording_keeps_no_array_alive) {
    Result eager = train(false), compiled = train(true);
    EXPECT_LT(compiled.first_peak, 3 * eager.first_peak);
}

}  // namespace
}  // namespace catena
