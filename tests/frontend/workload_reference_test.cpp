// Three of the benchmark's models at small sizes against losses of a program that shares nothing
// with ours: workload_reference.py, in double precision.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "benchmarks/models/char_rnn.h"
#include "benchmarks/models/gpt.h"
#include "benchmarks/models/resnet20.h"

namespace catena::testing {
namespace {

using Losses = std::array<double, 5>;

const Losses resnet20 = {2.309873925138, 2.115566095083, 1.907966445187, 1.778722639610,
                         1.332089867870};
const Losses transformer = {3.497483967751, 3.279449617550, 3.166837187841, 3.048341317891,
                            2.964301419221};
const Losses char_rnn = {2.550853475463, 2.513139430621, 2.476861306217, 2.441955849050,
                         2.408290584810};

/// The parameters that the script begins with.
void begin(const Link& model) {
    for (const auto& [path, parameter] : model.namedparams()) {
        const Shape shape = parameter->shape();
        if (shape.rank() < 2) continue;
        int characters = 0;
        for (char c : path) characters += c;
        std::vector<double> values(size_t(parameter->size()));
        const double scale = std::sqrt(2.0 * double(shape[0]) / double(values.size()));
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = scale * std::sin(1.7 * double(i) + characters);
        parameter->set_array(Array::from(values, shape).astype(parameter->dtype()));
    }
}

Variable numbers(const Shape& shape) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.7 * double(i));
    return Variable(Array::from(values, shape).astype(config().dtype), false);
}

Variable labels(int classes, const Shape& shape) {
    std::vector<int32_t> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = int32_t((5 * i + i * i % 3) % size_t(classes));
    return Variable(Array::from(values, shape), false);
}

/// Both precisions, eager and as one region; in float32 the first `float32_steps`.
template <class MakeModel, class MakeOptimizer>
void expect_losses(const Losses& expected, MakeModel make_model, MakeOptimizer make_optimizer,
                   const std::function<Variable()>& x, const Variable& t,
                   size_t float32_steps = 5) {
    for (Dtype dtype : {Dtype::float64, Dtype::float32})
        for (bool compiled : {false, true}) {
            SCOPED_TRACE(std::string(name_of(dtype)) + (compiled ? " compiled" : " eager"));
            const auto scope = using_config(&Config::dtype, dtype);
            const auto switched = using_config(&Config::use_static_graph, compiled);
            auto model = make_model();
            begin(model);
            const auto optimizer = make_optimizer(model);
            auto step = static_graph([&](const Variable& x, const Variable& t) {
                const Variable y = model(x);
                const Variable loss =
                    softmax_cross_entropy(reshape(y, {-1, y.shape()[y.rank() - 1]}), t);
                model.cleargrads();
                loss.backward();
                optimizer->update();
                return loss;
            });
            const Variable batch = x();
            for (size_t i = 0; i < (dtype == Dtype::float64 ? expected.size() : float32_steps); ++i)
                EXPECT_NEAR(step(batch, t).array().astype(Dtype::float64).template item<double>(),
                            expected[i], dtype == Dtype::float64 ? 1e-10 : 2e-5);
        }
}

// An activation within rounding of 0 has a gradient or none: later losses of float32 are others.
TEST(WorkloadReference, resnet20_learns_as_in_the_reference) {
    expect_losses(
        resnet20, [] { return models::ResNet20(4, 2); },
        [](Link& model) {
            auto optimizer = std::make_shared<MomentumSGD>(0.1, 0.9);
            optimizer->setup(model);
            optimizer->add_hook(WeightDecay(1e-4));
            return optimizer;
        },
        [] { return numbers({4, 3, 16, 16}); }, labels(10, {4}), 2);
}

TEST(WorkloadReference, transformer_learns_as_in_the_reference) {
    expect_losses(
        transformer, [] { return models::Gpt({50, 12, 16, 4, 2, false}); },
        [](Link& model) {
            auto optimizer = std::make_shared<AdamW>(
                AdamOptions{.alpha = 3e-3, .weight_decay_rate = 3e-3 * 0.01});
            optimizer->setup(model);
            return optimizer;
        },
        [] { return labels(50, {3, 12}); }, labels(50, {36}));
}

TEST(WorkloadReference, char_rnn_learns_as_in_the_reference) {
    expect_losses(
        char_rnn, [] { return models::CharRnn(12, 8); },
        [](Link& model) {
            auto optimizer = std::make_shared<Adam>(0.01);
            optimizer->setup(model);
            optimizer->add_hook(GradientClipping(0.2));
            return optimizer;
        },
        [] { return labels(12, {6, 3}); }, labels(12, {18}));
}

}  // namespace
}  // namespace catena::testing
