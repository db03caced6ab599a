// One model on two devices, trained as on one.
#include <cmath>
#include <functional>
#include <memory>

#include <gmock/gmock.h>

#include "frontend/catena.h"
#include "frontend/optimizer/loss_scaling.h"
#include "tests/several_devices/double.h"

namespace catena::testing {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

struct Net : Chain {
    Linear l1{3, 4}, l2{4, 2};
    Net() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(copy(tanh(l1(x)), l2.W.device())); }
};

Array wave(const Shape& shape, int begin) {
    std::vector<float> values;
    for (int64_t i = 0; i < element_count(shape); ++i)
        values.push_back(std::sin(float(begin) + 0.7f * float(i)));
    return Array::from(values, shape);
}

using Make = std::function<std::unique_ptr<Optimizer>(Net&)>;
struct Places {
    const char *first, *second;
};

/// Of four steps, and then a sum over the parameters.
std::vector<float> losses(const Places& places, bool is_compiled, const Make& make) {
    set_seed(3);
    Net net;
    net.l1.to_device(places.first);
    net.l2.to_device(places.second);
    const std::unique_ptr<Optimizer> optimizer = make(net);
    const std::function<Variable(Variable, Variable)> step = [&](const Variable& x,
                                                                 const Variable& t) {
        const Variable loss = mean(square(net(x) - t));
        net.cleargrads();
        optimizer->backward(loss);
        optimizer->update();
        return loss;
    };
    auto compiled = static_graph(step);
    std::vector<float> all;
    for (int i = 0; i < 4; ++i) {
        const Variable x(wave({5, 3}, i).to(get_device(places.first))),
            t(wave({5, 2}, 2 * i).to(get_device(places.second)));
        all.push_back((is_compiled ? compiled(x, t) : step(x, t)).item<float>());
    }
    for (const Parameter* p : net.params())
        for (float value : p->array().to_vector<float>()) all.push_back(value);
    return all;
}

void expect_the_losses_of_one_device(const Make& make) {
    const std::vector<float> expected = losses({"cpu", "cpu"}, false, make);
    for (const Places& places : {Places{"cpu", "cpu"}, {"cpu", "cuda:0"}, {"cuda:1", "cuda:0"}})
        for (bool is_compiled : {false, true}) {
            SCOPED_TRACE(fmt::format("{} and {}{}", places.first, places.second,
                                     is_compiled ? ", in a region" : ""));
            EXPECT_THAT(losses(places, is_compiled, make), Pointwise(FloatNear(2e-5f), expected));
        }
}

template <class Rule, class... Args>
std::unique_ptr<Optimizer> made(Net& net, const Args&... args) {
    auto optimizer = std::make_unique<Rule>(args...);
    optimizer->setup(net);
    return optimizer;
}

class TrainingOnSeveralDevices : public SeveralDevices {};

TEST_F(TrainingOnSeveralDevices, adam_counts_its_steps_on_each) {
    expect_the_losses_of_one_device([](Net& net) { return made<Adam>(net, 0.05); });
}

TEST_F(TrainingOnSeveralDevices, adam_has_numbers_of_one_parameter_on_its_device) {
    expect_the_losses_of_one_device([](Net& net) {
        auto adam = made<Adam>(net, 0.05);
        for (Parameter* p : net.params()) adam->update_rule(*p).hyperparameter("alpha") = 0.1;
        adam->set_loss_scale(4);
        return adam;
    });
}

TEST_F(TrainingOnSeveralDevices, a_norm_over_all_gradients_clips_them) {
    expect_the_losses_of_one_device([](Net& net) {
        auto sgd = made<MomentumSGD>(net, 0.1);
        sgd->add_hook(WeightDecay(0.01));
        sgd->add_hook(GradientClipping(0.1));
        return sgd;
    });
}

TEST_F(TrainingOnSeveralDevices, hooks_change_the_gradients_of_each) {
    expect_the_losses_of_one_device([](Net& net) {
        auto sgd = made<SGD>(net, 0.1);
        sgd->add_hook(Lasso(0.01));
        sgd->add_hook(GradientHardClipping(-0.1, 0.1));
        sgd->add_hook(GradientLARS());
        sgd->add_hook(
            GradientNoise(0.01, [](const Type& type, const GradientNoise&, const Variable& t) {
                return broadcast_to(cast(t, type.dtype) * 1e-3, type.shape);
            }));
        return sgd;
    });
}

TEST_F(TrainingOnSeveralDevices, a_loss_scale_follows_the_gradients_of_all) {
    std::shared_ptr<LossScaling> scaling;
    expect_the_losses_of_one_device([&](Net& net) {
        auto adam = made<Adam>(net, 0.05);
        adam->set_loss_scale(4);
        scaling = loss_scaling(
            *adam, {.initial = 3e38,
                    .highest = 3e38});  // Too large: the first two updates change nothing.
        return adam;
    });
    EXPECT_LT(scaling->scale(), 8e37);
    EXPECT_TRUE(scaling->is_safe_to_update());
}

TEST_F(TrainingOnSeveralDevices, a_region_that_may_not_be_cut_says_that_it_is_of_one_device) {
    auto step = static_graph(
        [](const Variable& x, const Variable& y) { return std::vector{x * 2.0, y * 3.0}; },
        {.name = "two", .breaks = false});
    const Variable x(wave({3}, 1)), y(wave({3}, 2).to(get_device("cuda:0")));
    EXPECT_THAT(message_of([&] { step(x, y); }),
                ::testing::HasSubstr("is on cuda:0 after operations on cpu"));
}

/// The model moves between the steps; the moments go with it.
TEST_F(TrainingOnSeveralDevices, a_loss_scale_stays_when_the_model_moves) {
    std::vector<std::vector<float>> found;
    for (bool moves : {false, true})
        for (bool is_compiled : {false, true}) {
            set_seed(3);
            Linear net(3, 2);
            Adam adam(0.05);
            adam.setup(net);
            loss_scaling(adam);
            const std::function<Variable(Variable)> step = [&](const Variable& x) {
                const Variable loss = sum(square(net(x)));
                net.cleargrads();
                adam.backward(loss);
                adam.update();
                return loss;
            };
            auto compiled = static_graph(step);
            std::vector<float>& all = found.emplace_back();
            for (int i = 0; i < 5; ++i) {
                if (moves && i == 2) net.to_device("cuda:0");
                // The first step after the move is a bad one: it brings the moments back.
                const Variable x(wave({4, 3}, i).to(net.W.device()));
                const Variable given = i == 2 ? x * 1e30 : x;
                const float loss = (is_compiled ? compiled(given) : step(given)).item<float>();
                if (i != 2) all.push_back(loss);
            }
            EXPECT_EQ(adam.t(), 5);
        }
    for (const std::vector<float>& other : found)
        EXPECT_THAT(other, Pointwise(FloatNear(2e-5f), found[0]));
}

}  // namespace
}  // namespace catena::testing
