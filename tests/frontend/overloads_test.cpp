// Calls as users write them first: each form compiles and means what it says.
#include <gtest/gtest.h>

#include <map>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace ct = catena;

namespace catena {
namespace {

ct::Variable ramp(const ct::Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * float(i % 17) - 0.8f;
    return ct::Variable(ct::Array::from(values, shape));
}
std::vector<float> values(const ct::Variable& x) { return x.array().to_vector<float>(); }

TEST(Overloads, one_number_stands_for_both_axes_of_a_window) {
    const ct::Variable x = ramp({2, 3, 9, 9}), W = ramp({4, 3, 3, 3}), V = ramp({3, 4, 3, 3});
    EXPECT_EQ(
        values(ct::convolution_2d(x, W, {.stride = 2, .pad = 1, .dilate = 2})),
        values(ct::convolution_2d(x, W, {.stride = {2, 2}, .pad = {1, 1}, .dilate = {2, 2}})));
    EXPECT_EQ(ct::convolution_2d(x, W, {.stride = {2, 1}, .pad = 1}).shape(),
              (ct::Shape{2, 4, 5, 9}));
    EXPECT_EQ(values(ct::deconvolution_2d(x, V, {.stride = 2, .pad = 1})),
              values(ct::deconvolution_2d(x, V, {.stride = {2, 2}, .pad = {1, 1}})));
    EXPECT_EQ(ct::deconvolution_2d(x, V, {.stride = 2, .outsize = 20}).shape(),
              (ct::Shape{2, 4, 20, 20}));
    EXPECT_EQ(values(ct::max_pooling_2d(x, 3, {.stride = 2, .pad = 1})),
              values(ct::max_pooling_2d(x, {3, 3}, {.stride = {2, 2}, .pad = {1, 1}})));
    EXPECT_EQ(values(ct::average_pooling_2d(x, 3, 2, 1)),
              values(ct::average_pooling_2d(x, {3, 3}, {2, 2}, {1, 1})));
    EXPECT_EQ(ct::average_pooling_2d(x, 3).shape(), (ct::Shape{2, 3, 3, 3}));
}

TEST(Overloads, one_number_stands_for_both_axes_of_a_link) {
    const ct::Variable x = ramp({2, 3, 9, 9});
    EXPECT_EQ(ct::Convolution2D(3, 4, 3, {.stride = 2, .pad = 1})(x).shape(),
              (ct::Shape{2, 4, 5, 5}));
    EXPECT_EQ(ct::Convolution2D(3, 4, {3, 5}, {.stride = {2, 1}, .pad = 1})(x).shape(),
              (ct::Shape{2, 4, 5, 7}));
    EXPECT_EQ(ct::Deconvolution2D(3, 4, 3, {.stride = 2})(x).shape(), (ct::Shape{2, 4, 19, 19}));
    EXPECT_THROW(ct::Convolution2D(3, 4, {3, 3, 3}), ct::ValueError);
}

TEST(Overloads, grad_takes_lists_in_braces) {
    const ct::Variable x = ramp({5}), w = ramp({5});
    const ct::Variable y = x * x * w;
    const auto [gx, gw] = [&] {
        const ct::Variables both =
            ct::grad({y}, {x, w}, {ramp({5})}, {.enable_double_backprop = true});
        return std::pair(both[0], both[1]);
    }();
    const std::vector<ct::Variable> inputs{x, w};
    EXPECT_EQ(values(gx), values(ct::grad({y}, inputs, {ramp({5})})[0]));
    EXPECT_EQ(values(gw), values(ct::grad({y}, inputs, {ramp({5})})[1]));
    EXPECT_EQ(values(ct::grad({ct::sum(y)}, {x})[0]), values(2.0 * x * w));
    EXPECT_EQ(values(ct::grad({ct::sum(gx)}, {w})[0]), values(2.0 * x * ramp({5})));
    ct::backward({ct::sum(x), ct::sum(x * w)}, {ramp({}), ramp({})});
    EXPECT_TRUE(w.grad().defined());
}

TEST(Overloads, optimizers_take_their_first_numbers_in_order) {
    const ct::Adam adam(0.01, 0.5);
    EXPECT_EQ(adam.alpha.value(), 0.01);
    EXPECT_EQ(adam.beta1.value(), 0.5);
    EXPECT_EQ(adam.beta2.value(), ct::AdamOptions().beta2);
    EXPECT_EQ(ct::RMSprop(0.1, 0.8).alpha.value(), 0.8);
    EXPECT_EQ(ct::RMSpropGraves(0.1, 0.8, 0.7).momentum.value(), 0.7);
    EXPECT_EQ(ct::MSVAG(0.1, 0.7).beta.value(), 0.7);
    EXPECT_EQ(ct::AdamW(0.2).alpha.value(), 0.2);
    EXPECT_TRUE(ct::AMSGrad(0.2).amsgrad());
    EXPECT_TRUE(ct::AdaBound(0.2).adabound());
    EXPECT_TRUE(ct::AMSBound(0.2).amsgrad() && ct::AMSBound(0.2).adabound());
}

TEST(Overloads, datasets_and_examples_take_variables) {
    const ct::Variable x = ramp({4, 2}), t = ct::argmax(x, 1);
    const ct::Array a = x.array();
    for (const ct::Dataset& dataset :
         {ct::Dataset({x, t}), ct::Dataset({a, t}), ct::Dataset(ct::TupleDataset(x, t)),
          ct::Dataset(ct::TupleDataset(a, t))}) {
        EXPECT_EQ(dataset.size(), 4);
        EXPECT_EQ(dataset[1].size(), 2u);
        EXPECT_EQ(dataset[1][0].shape(), ct::Shape{2});
    }
    const ct::TransformDataset twice(
        ct::Dataset(x), [](const ct::Example& e) { return ct::Example{ct::exp(e[0]), e[0]}; });
    EXPECT_EQ(twice.get_example(0).size(), 2u);
}

TEST(Overloads, iterators_take_what_they_need_alone) {
    const ct::Dataset dataset(ramp({4, 2}));
    ct::MultithreadIterator threads(dataset, 2, {.n_threads = 2}),
        both(dataset, 2, {.repeat = false}, {.n_threads = 2}), plain(dataset, 2, {}, 2);
    EXPECT_TRUE(threads.repeat());
    EXPECT_FALSE(both.repeat());
    const ct::MultiprocessIterator processes(dataset, 2, {.n_processes = 1});
    EXPECT_TRUE(processes.repeat());
    EXPECT_THROW(ct::MultithreadIterator(dataset, 2, {.n_threads = 0}), ct::ValueError);
}

TEST(Overloads, an_updater_takes_one_iterator_and_several_optimizers) {
    struct Both : ct::StandardUpdater {
        using ct::StandardUpdater::StandardUpdater;
        void update_core() override {}
    };
    ct::Linear first(2, 2), second(2, 2);
    ct::SGD a, b;
    a.setup(first);
    b.setup(second);
    ct::SerialIterator it(ct::Dataset(ramp({4, 2})), 2);
    const Both updater(it, {{"gen", &a}, {"dis", &b}});
    EXPECT_EQ(&updater.get_optimizer("dis"), &b);
    EXPECT_EQ(&updater.get_iterator("main"), &it);
}

TEST(Overloads, abs_is_absolute) {
    const ct::Variable x = ramp({3});
    EXPECT_EQ(values(ct::abs(x)), values(ct::absolute(x)));
    EXPECT_EQ(values(abs(x.array() - 1)), values(ct::absolute(x - 1)));
}

TEST(Overloads, a_vector_is_a_shape) {
    std::vector<int64_t> shape{2, 3};
    const std::vector<int> other{3, 2};
    EXPECT_EQ(ct::random_normal(shape).shape(), (ct::Shape{2, 3}));
    EXPECT_EQ(ct::random_uniform(other, ct::Dtype::float64).shape(), (ct::Shape{3, 2}));
    EXPECT_EQ(ct::reshape(ramp({6}), shape).shape(), (ct::Shape{2, 3}));
    EXPECT_EQ(ct::transpose(ramp({2, 3}), std::vector<int>{1, 0}).shape(), (ct::Shape{3, 2}));
    EXPECT_THROW(ct::random_normal(std::vector<int64_t>(9, 1)), ct::ShapeError);
}

/// A function of the user's own.
ct::Variable twice(const ct::Operand& x) { return x * 2.0; }

TEST(Overloads, functions_with_options_stand_in_a_sequential) {
    ct::Sequential net{ct::leaky_relu,
                       ct::elu,
                       ct::selu,
                       ct::gelu,
                       ct::softplus,
                       ct::clipped_relu,
                       ct::crelu,
                       ct::dropout,
                       twice,
                       ct::softmax,
                       [](const auto& x) { return ct::log_softmax(x, 0); }};
    const auto evaluating = ct::using_config(&ct::Config::train, false);
    const ct::Variable x = ramp({4, 3});
    const ct::Variable hidden = ct::clipped_relu(
        ct::softplus(ct::gelu(ct::selu(ct::elu(ct::leaky_relu(x, 0.2), 1.0)), "none"), 1.0), 20);
    EXPECT_EQ(values(net(x)),
              values(ct::log_softmax(ct::softmax(ct::crelu(hidden, 1) * 2.0, 1), 0)));
    auto region = ct::static_graph(ct::leaky_relu, "leaky");
    EXPECT_EQ(values(region(x)), values(ct::leaky_relu(x)));
}

TEST(Overloads, a_text_names_a_region) {
    auto doubled = ct::static_graph([](ct::Variable x) { return x * 2.0; }, "doubling");
    const std::string name = "halving";
    auto halved = ct::static_graph([](ct::Variable x) { return x / 2.0; }, name);
    auto plain = ct::static_graph([](ct::Variable x) { return x; }, {});
    EXPECT_EQ(values(halved(doubled(ramp({3})))), values(ramp({3})));
    EXPECT_NE(doubled.explain().find("doubling"), std::string::npos) << doubled.explain();
    EXPECT_NE(halved.explain().find("halving"), std::string::npos) << halved.explain();
    EXPECT_NE(plain.explain().find("region"), std::string::npos) << plain.explain();
    // Errors name the caller's line.
    auto wrong = ct::static_graph([](ct::Variable x) { return ct::reshape(x, {7}); }, "wrong");
    EXPECT_THROW(wrong(ramp({3})), ct::ShapeError);
}

/// Regions as members, whatever they are made of.
class Trainee {
public:
    Trainee() { sgd_.setup(model_); }
    ct::Linear& model() { return model_; }
    ct::StaticFunction<ct::Variable(const ct::Variable&)> predict =
        ct::static_graph(std::ref(model_), "predict");
    ct::StaticFunction<double(ct::Variable, ct::Variable)> step = ct::static_graph(
        [this](ct::Variable x, ct::Variable t) {
            const ct::Variable loss = ct::mean_squared_error(model_(x), t);
            model_.cleargrads();
            loss.backward();
            sgd_.update();
            return double(loss.item<float>());
        },
        {.name = "step"});

private:
    ct::Linear model_{4, 2};
    ct::SGD sgd_{0.1};
};

TEST(StaticFunction, a_region_in_a_member_records_compiles_and_counts) {
    Trainee trainee;
    const ct::Variable x(ramp({8, 4}).array(), false), t(ramp({8, 2}).array(), false);
    const double first = trainee.step(x, t);
    double last = first;
    for (int i = 0; i < 30; ++i) last = trainee.step(x, t);
    EXPECT_LT(last, first);
    EXPECT_EQ(trainee.step.statistics().calls, 31);
    EXPECT_EQ(trainee.step.statistics().cuts, 31);
    EXPECT_EQ(trainee.step.statistics().compiled_calls, ct::compiler_available() ? 31 : 0);
    EXPECT_NE(trainee.step.explain().find("step"), std::string::npos) << trainee.step.explain();
    trainee.step.clear();
    trainee.step(x, t);
}

TEST(StaticFunction, gradients_flow_through_it) {
    Trainee trainee;
    const ct::Variable x = ramp({3, 4});
    const std::vector<float> eager = values(ct::grad({ct::sum(trainee.model()(x))}, {x})[0]);
    trainee.model().cleargrads();
    ct::sum(trainee.predict(x)).backward();
    EXPECT_EQ(values(x.grad_variable()), eager);
    EXPECT_TRUE(trainee.model().W.grad().defined());
}

TEST(StaticFunction, holds_any_region_and_copies_share_it) {
    using Region = ct::StaticFunction<ct::Variable(ct::Variable, double)>;
    std::map<std::string, Region> regions;
    regions["times"] = ct::static_graph([](ct::Variable x, double factor) { return x * factor; });
    regions["plus"] = ct::static_graph(
        [seen = 0](ct::Variable x, double term) mutable { return x + term + double(seen++); });
    const Region copy = regions["plus"];
    EXPECT_EQ(values(regions["times"](ramp({2}), 3)), values(ramp({2}) * 3.0));
    EXPECT_EQ(values(regions["plus"](ramp({2}), 1)), values(ramp({2}) + 1.0 + 0.0));
    EXPECT_EQ(values(copy(ramp({2}), 1)), values(ramp({2}) + 1.0 + 1.0));
    EXPECT_EQ(copy.statistics().calls, 2);
    EXPECT_TRUE(copy);
}

TEST(StaticFunction, results_and_arguments_may_be_of_any_kind) {
    struct Both {
        ct::Variable sum, product;
    };
    ct::StaticFunction<Both(std::vector<ct::Variable>)> both = ct::static_graph(
        [](const std::vector<ct::Variable>& v) { return Both{v[0] + v[1], v[0] * v[1]}; });
    ct::StaticFunction<void(ct::Variable)> nothing =
        ct::static_graph([](ct::Variable x) { return x + 1.0; });
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(values(both({ramp({2}), ramp({2})}).product), values(ramp({2}) * ramp({2})));
    nothing(ramp({2}));
    EXPECT_EQ(nothing.statistics().calls, 1);
}

TEST(StaticFunction, without_a_region_it_says_so) {
    const ct::StaticFunction<ct::Variable(ct::Variable)> none;
    EXPECT_FALSE(none);
    EXPECT_THROW(none(ramp({2})), ct::ValueError);
    EXPECT_THROW(none.statistics(), ct::ValueError);
}

TEST(StaticFunction, saves_as_its_region) {
    if (!ct::compiler_available()) GTEST_SKIP() << "built without the compiler";
    ct::StaticFunction<ct::Variable(ct::Variable)> region =
        ct::static_graph([](ct::Variable x) { return ct::exp(x); });
    const ct::Variable y = region(ramp({3}));
    const std::string path = testing::TempDir() + "static_function.catena";
    region.save(path);
    auto program = ct::Program::load(path);
    EXPECT_EQ(program.run({ramp({3}).array()})[0].to_vector<float>(), values(y));
}

TEST(StaticFunction, that_replaces_itself_in_its_code_lives_until_it_returns) {
    ct::StaticFunction<ct::Variable(ct::Variable)> f;
    auto owned = std::make_shared<double>(2);
    const std::weak_ptr<double> code = owned;
    bool lives = false;
    f = ct::static_graph([&f, &code, &lives, factor = std::move(owned)](ct::Variable x) {
        f = ct::static_graph([](ct::Variable x) { return x * 3.0; });
        lives = !code.expired();
        return x * *factor;
    });
    EXPECT_EQ(values(f(ramp({2}))), values(ramp({2}) * 2.0));
    EXPECT_TRUE(lives);
    EXPECT_TRUE(code.expired());
    EXPECT_EQ(values(f(ramp({2}))), values(ramp({2}) * 3.0));
}

}  // namespace
}  // namespace catena
