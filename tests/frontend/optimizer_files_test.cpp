// Moments and gradients that do not fit their parameters, and files of optimizers that lack
// something.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/optimizer/rules/update_rule.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

struct Two : Link {
    Parameter a, b;
    Two() : a(Initializer(1.0), Shape{2, 3}), b(Initializer(1.0), Shape{2}) {
        add_param("a", a);
        add_param("b", b);
    }
};

void set_gradients(const Link& link, double value) {
    for (Parameter* p : link.params()) p->set_grad(Array::full(p->type(), value));
}

template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "no error";
}

TEST(UpdateShapes, a_moment_of_another_shape_is_an_error_that_names_the_parameter) {
    for (const bool compiled : {false, true}) {
        const auto use = using_config(&Config::use_static_graph, compiled);
        Two link;
        MomentumSGD sgd(0.1);
        sgd.setup(link);
        auto step = static_graph(
            [&](const Variable& x) { sgd.update([&] { return sum(link.a * x) + sum(link.b); }); },
            "step");
        const Variable x(Array::full({Dtype::float32, {}}, 2.0), false);
        step(x);
        link.a.set_array(Array::zeros({Dtype::float32, {2, 5000}}));
        const std::string message = message_of<ShapeError>([&] { step(x); });
        EXPECT_THAT(message, HasSubstr("/a has shape [2,5000], its moment '/a/v' [2,3]"));
        EXPECT_THAT(message, HasSubstr("setup()"));
        sgd.setup(link);
        step(x);
        EXPECT_FLOAT_EQ(link.a.array().to_vector<float>()[9999], -0.2f);
    }
}

TEST(UpdateShapes, a_gradient_of_another_shape_is_an_error_of_updates_and_hooks) {
    for (const bool hook : {false, true}) {
        Two link;
        SGD sgd(0.1);
        sgd.setup(link);
        if (hook) sgd.add_hook(WeightDecay(0.1));
        set_gradients(link, 1);
        link.b.set_array(Array::zeros({Dtype::float32, {7}}));
        const std::string message = message_of<ShapeError>([&] { sgd.update(); });
        EXPECT_THAT(message, HasSubstr("/b has shape [7], its gradient [2]"));
        EXPECT_THAT(message, HasSubstr("cleargrads()"));
        link.cleargrads();
        set_gradients(link, 1);
        sgd.update();
        EXPECT_EQ(link.b.array().to_vector<float>().size(), 7u);
    }
}

TEST(UpdateShapes, a_sweep_takes_rows_of_one_shape) {
    static const Sweep sweep("add_rows_of_a_test",
                             {.values = 2,
                              .targets = {0},
                              .formula = make_formula<2, 0>([](auto a, auto b) { return a + b; })});
    const std::vector<Variables> rows{{Variable(Array::zeros({Dtype::float32, {4}}), false),
                                       Variable(Array::zeros({Dtype::float32, {3}}), false)}};
    std::vector<Variables> results;
    EXPECT_THAT(message_of<ShapeError>([&] { sweep.run(rows, {}, {}, results); }),
                HasSubstr("[4] and [3]"));
}

class OptimizerFile : public ::testing::Test {
protected:
    const std::string path_ = ::testing::TempDir() + "optimizer_files_test.npz";
};

TEST_F(OptimizerFile, of_before_the_first_update_takes_the_moments_away) {
    Two link;
    Adam adam(0.1);
    adam.setup(link);
    save_npz(path_, adam);
    set_gradients(link, 1);
    adam.update();
    ASSERT_TRUE(adam.update_rule(link.a).state("m").defined());
    load_npz(path_, adam);
    EXPECT_EQ(adam.t(), 0);
    EXPECT_FALSE(adam.update_rule(link.a).state("m").defined());
    set_gradients(link, 1);
    adam.update();
    EXPECT_FLOAT_EQ(adam.update_rule(link.a).state("m").array().to_vector<float>()[0], 0.1f);
}

TEST_F(OptimizerFile, without_moments_that_the_rule_has_is_an_error) {
    Two link;
    Adam saved;
    saved.setup(link);
    set_gradients(link, 1);
    saved.update();
    save_npz(path_, saved);
    AMSGrad amsgrad;
    amsgrad.setup(link);
    EXPECT_THAT(message_of<FileError>([&] { load_npz(path_, amsgrad); }),
                HasSubstr("there is no 'a/vhat'"));
    EXPECT_NO_THROW(load_npz(path_, amsgrad, {.strict = false}));
    SGD sgd;
    sgd.setup(link);
    set_gradients(link, 1);
    sgd.update();
    save_npz(path_, sgd);
    EXPECT_THAT(message_of<FileError>([&] { load_npz(path_, saved); }),
                HasSubstr("there is no 'a/m'"));
    EXPECT_EQ(amsgrad.t(), 1);
}

TEST_F(OptimizerFile, has_none_for_moments_of_parameters_that_were_never_updated_as_chainer_wants) {
    Two link;
    Adam adam;
    adam.setup(link);
    link.a.set_grad(Array::zeros(link.a.type()));
    adam.update();
    save_npz(path_, adam);
    EXPECT_THAT(NpzFile(path_).keys(),
                ::testing::ElementsAre("t", "epoch", "a/t", "a/m", "a/v", "b/t", "b/m", "b/v"));
    EXPECT_TRUE(NpzFile(path_).read("a/m").defined());
    EXPECT_FALSE(NpzFile(path_).read("b/m").defined());
    set_gradients(link, 1);
    adam.update();
    load_npz(path_, adam);
    EXPECT_TRUE(adam.update_rule(link.a).state("m").defined());
    EXPECT_FALSE(adam.update_rule(link.b).state("m").defined());
}

TEST_F(OptimizerFile, may_lack_moments_of_parameters_that_were_never_updated) {
    Two link;
    Adam adam;
    adam.setup(link);
    link.a.set_grad(Array::zeros(link.a.type()));
    adam.update();
    save_npz(path_, adam);
    NamedArrays arrays = read_npz(path_);
    std::erase_if(arrays,
                  [](const auto& entry) { return entry.first == "b/m" || entry.first == "b/v"; });
    const std::string without = path_ + ".without";
    save_npz(without, arrays);
    for (auto& [key, array] : arrays)
        if (key == "b/t") {
            EXPECT_EQ(array.item<int64_t>(), 0);
            array = Array::scalar<int64_t>(1);  // As older files have it.
        }
    const std::string older = path_ + ".older";
    save_npz(older, arrays);
    for (const std::string& file : {path_, without, older}) {
        Two other;
        Adam loaded;
        loaded.setup(other);
        load_npz(file, loaded);
        EXPECT_TRUE(loaded.update_rule(other.a).state("m").defined());
        EXPECT_FALSE(loaded.update_rule(other.b).state("m").defined());
    }
}

TEST_F(OptimizerFile, with_a_moment_of_another_shape_is_refused_also_for_a_parameter_without_one) {
    Linear model(3, 2);
    MomentumSGD sgd;
    sgd.setup(model);
    set_gradients(model, 1);
    sgd.update();
    struct Both {
        Linear& model;
        MomentumSGD& sgd;
        void serialize(const Serializer& s) {
            model.serialize(s["model"]);
            sgd.serialize(s["sgd"]);
        }
    } both{model, sgd};
    save_npz(path_, both);
    NamedArrays arrays = read_npz(path_);
    for (auto& [key, array] : arrays)
        if (key == "sgd/W/v") array = Array::zeros({Dtype::float32, {1, 3}});
    save_npz(path_, arrays);
    Linear lazy(2);
    MomentumSGD other;
    other.setup(lazy);
    Both loaded{lazy, other};
    EXPECT_THAT(message_of<FileError>([&] { load_npz(path_, loaded); }),
                HasSubstr("'sgd/W/v' has shape [1,3], its parameter [2,3]"));
}

}  // namespace
}  // namespace catena
