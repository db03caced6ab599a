// Optimizers of parameters that belong to no link.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/parameter_list.h"
#include "tests/frontend/capture_models.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

/// The network of Mlp as a module of another language would hold it.
struct LooseMlp {
    std::unique_ptr<Parameter> W1, b1, W2, b2;

    explicit LooseMlp(const Mlp& like)
        : W1(same(like.l1.W)), b1(same(like.l1.b)), W2(same(like.l2.W)), b2(same(like.l2.b)) {}
    Variable operator()(const Variable& x) const {
        return linear(tanh(linear(x, *W1, *b1)), *W2, *b2);
    }
    std::vector<NamedParameter> named() const {
        return {{"l1/W", *W1}, {"/l1/b", *b1}, {"l2/W", *W2}, {"l2/b", *b2}};
    }
    void cleargrads() const {
        for (const NamedParameter& each : named()) each.param.cleargrad();
    }

private:
    static std::unique_ptr<Parameter> same(const Parameter& p) {
        return std::make_unique<Parameter>(p.array());
    }
};

std::vector<std::vector<float>> contents_of(const std::vector<Parameter*>& params) {
    std::vector<std::vector<float>> contents;
    for (const Parameter* p : params) contents.push_back(p->array().to_vector<float>());
    return contents;
}

void add_hooks(Optimizer& optimizer) {
    optimizer.add_hook(WeightDecay(0.01));
    optimizer.add_hook(GradientClipping(0.5));
}

TEST(ParameterList, trains_to_the_bits_of_the_same_network_as_a_link) {
    const std::string path = ::testing::TempDir() + "parameter_list_test.npz";
    for (const bool compiled : {false, true}) {
        const auto use = using_config(&Config::use_static_graph, compiled);
        Mlp model;
        model.l1(batch(0, 2, 3));
        model.l2(batch(0, 2, 4));
        LooseMlp loose(model);
        Adam adam(0.05);
        adam.setup(model);
        add_hooks(adam);
        adam.update_rule(model.l2.b).hyperparameter("alpha") = 0.2;
        auto step = static_graph([&](const Variable& x) {
            model.cleargrads();
            sum(square(model(x))).backward();
            adam.update();
        });
        auto optimizer = std::make_unique<Adam>(0.05);
        const auto set_up = [&] {
            optimizer->setup(loose.named());
            add_hooks(*optimizer);
            optimizer->update_rule(*loose.b2).hyperparameter("alpha") = 0.2;
        };
        set_up();
        auto loose_step = static_graph([&](const Variable& x) {
            loose.cleargrads();
            sum(square(loose(x))).backward();
            optimizer->update();
        });
        for (int i = 0; i < 8; ++i) {
            step(batch(i, 2, 3));
            loose_step(batch(i, 2, 3));
            EXPECT_EQ(contents_of(model.params()),
                      contents_of({loose.W1.get(), loose.b1.get(), loose.W2.get(), loose.b2.get()}))
                << "step " << i << (compiled ? ", compiled" : "");
            if (i != 4) continue;
            save_npz(path, *optimizer);
            optimizer = std::make_unique<Adam>(0.05);
            set_up();
            load_npz(path, *optimizer);
            EXPECT_EQ(optimizer->t(), 5);
        }
    }
}

TEST(ParameterList, files_are_those_of_the_link) {
    const std::string path = ::testing::TempDir() + "parameter_list_files_test.npz";
    Mlp model;
    model(batch(0, 2, 3));
    const LooseMlp loose(model);
    Adam adam, other;
    adam.setup(model);
    learn(model, adam, sum(square(model(batch(0, 2, 3)))));
    save_npz(path, adam);
    other.setup(loose.named());
    load_npz(path, other);
    EXPECT_EQ(other.update_rule(*loose.W2).state("m").array().to_vector<float>(),
              adam.update_rule(model.l2.W).state("m").array().to_vector<float>());
}

TEST(ParameterList, shares_identity_flag_and_name) {
    auto w = std::make_unique<Parameter>(Array::from<float>({1, 2}), "W");
    SGD sgd(1);
    sgd.setup({{"layer/W", *w}});
    EXPECT_EQ(w->name(), "W");
    EXPECT_EQ(sgd.slots()[0].path, "/layer/W");
    EXPECT_EQ(sgd.target().params()[0]->body(), w->body());
    w->set_grad(Array::from<float>({1, 1}));
    sgd.update();
    EXPECT_EQ(w->array().to_vector<float>(), (std::vector<float>{0, 1}));
    w->set_update_enabled(false);
    sgd.update();
    EXPECT_EQ(w->array().to_vector<float>(), (std::vector<float>{0, 1}));
    w->set_update_enabled(true);
    const Variable handle = *w;
    w.reset();
    sgd.update();
    EXPECT_EQ(handle.array().to_vector<float>(), (std::vector<float>{-1, 0}));
}

TEST(ParameterList, parameters_may_get_their_shape_later) {
    Parameter w(Initializer(1.0)), b(Array::from<float>({1}), "b");
    SGD sgd(0.5);
    sgd.setup({{"W", w}, {"b", b}});
    sgd.update([&] { return sum(b * 2.0); });
    EXPECT_EQ(b.array().to_vector<float>(), (std::vector<float>{0}));
    w.initialize({2});
    sgd.update([&] { return sum(w * 2.0) + sum(b); });
    EXPECT_EQ(w.array().to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(ParameterList, takes_further_ones_and_goes_on) {
    Parameter w(Array::from<float>({1, 2})), v(Array::from<float>({3}));
    MomentumSGD sgd(0.1, 0.9);
    sgd.setup({{"w", w}});
    sgd.add_hook(WeightDecay(0.1));
    sgd.update([&] { return sum(w * 2.0); });
    const std::vector<float> moment = sgd.update_rule(w).state("v").array().to_vector<float>();
    sgd.add_params({{"v", v}, {"again", w}});
    EXPECT_EQ(sgd.t(), 1);
    EXPECT_EQ(sgd.slots().size(), 2u);
    EXPECT_EQ(sgd.update_rule(w).state("v").array().to_vector<float>(), moment);
    sgd.update([&] { return sum(w) + sum(v); });
    EXPECT_LT(v.array().to_vector<float>()[0], 3);
    EXPECT_EQ(sgd.t(), 2);
    sgd.setup({{"v", v}});
    EXPECT_EQ(sgd.t(), 0);
    EXPECT_EQ(sgd.slots().size(), 1u);
    sgd.add_hook(WeightDecay(0.1));  // The first one is gone.
}

TEST(ParameterList, errors_name_the_path) {
    Parameter w(Array::from<float>({1})), v(Array::from<float>({1}));
    SGD sgd;
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup({{"w", w}, {"/w", v}}); }),
                HasSubstr("named 'w' is listed already"));
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup({{"/", w}}); }),
                HasSubstr("ParameterList: a parameter needs a name, like l1/W"));
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(std::vector<NamedParameter>()); }),
                HasSubstr("SGD: setup: the list has no parameters to train"));
    EXPECT_THAT(refusal<ValueError>([&] { sgd.add_params({{"w", w}}); }),
                HasSubstr("SGD: call setup() first"));
    Mlp model;
    sgd.setup(model);
    EXPECT_THAT(refusal<ValueError>([&] { sgd.add_params({{"w", w}}); }),
                HasSubstr("SGD: add_params: setup() was given Mlp, which lists its parameters"));
    sgd.setup({{"w", w}});
    EXPECT_THAT(refusal<ValueError>([&] { sgd.update_rule(v); }),
                HasSubstr("is not a parameter of the link that setup() was given"));
    w.set_array(Array::zeros({Dtype::float32, {3}}));
    v.set_grad(Array::from<float>({1}));
    w.body()->grad = v.body()->grad;
    EXPECT_THAT(refusal<ShapeError>([&] { sgd.update(); }),
                HasSubstr("/w has shape [3], its gradient [1]"));
}

}  // namespace
}  // namespace catena::testing
