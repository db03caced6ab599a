// Hooks and the rules of single parameters, against Chainer's numbers (tests/conformance) and their
// formulas.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/system/error.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;

constexpr int steps = 20;

Array formula(const Shape& shape, const std::function<double(double)>& f) {
    Numbers values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = f(double(i));
    return Array::from(values, shape);
}

struct Weights : Link {
    Parameter a, b;
    explicit Weights(Dtype dtype = Dtype::float64)
        : a(start({3, 4}).astype(dtype)), b(start({5}).astype(dtype)) {
        add_param("a", a);
        add_param("b", b);
    }
    static Array start(const Shape& shape) {
        return formula(shape, [](double i) { return std::cos(0.9 * i); });
    }
    static Variable gradient(const Variable& p, int step) {
        return Variable(formula(p.shape(), [&](double i) { return std::sin(0.7 * i + step); })
                            .astype(p.dtype()),
                        false);
    }
};

using Prepare = std::function<void(Weights& link, Optimizer& optimizer)>;

/// 20 steps, the rate of the optimizer halved before the 15th; each parameter after every step.
std::map<std::string, std::vector<Numbers>> run(Optimizer& optimizer, const Prepare& prepare,
                                                bool compiled, Dtype dtype = Dtype::float64) {
    Weights link(dtype);
    optimizer.setup(link);
    prepare(link, optimizer);
    auto use = using_config(&Config::use_static_graph, compiled);
    auto step = static_graph([&](const Variable& ga, const Variable& gb) {
        link.cleargrads();
        (sum(link.a * ga) + sum(link.b * gb)).backward();
        optimizer.update();
    });
    std::map<std::string, std::vector<Numbers>> after;
    int64_t programs = 0;
    for (int t = 1; t <= steps; ++t) {
        if (t == 15) {
            Cell rate = optimizer.hyperparameters()[0];
            rate = rate * 0.5;
            programs = step.statistics().programs;
        }
        step(Weights::gradient(link.a, t), Weights::gradient(link.b, t));
        for (Parameter* p : {&link.a, &link.b})
            after[std::string(p->name())].push_back(p->array().to_vector<double>());
    }
    EXPECT_EQ(step.statistics().programs, programs) << "a changed rate must not be compiled anew";
    if (compiled) {
        EXPECT_GE(step.statistics().compiled_calls, steps - 2);
    }
    return after;
}

void expect_near(const Numbers& found, const Numbers& expected, double tolerance,
                 const std::string& what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
            << what << " element " << i;
}

void expect_chainers(const std::string& name,
                     const std::function<std::unique_ptr<Optimizer>()>& make,
                     const Prepare& prepare) {
    const NpzFile file(CATENA_SOURCE_DIR "/tests/conformance/chainer_optimizers.npz");
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16}) {
            const auto optimizer = make();
            const auto found = run(*optimizer, prepare, compiled, dtype);
            const double tolerance = dtype == Dtype::float64   ? 1e-11
                                     : dtype == Dtype::float32 ? 1e-5
                                                               : 2e-2;
            for (const auto& [parameter, each] : found) {
                const Numbers expected = file.read(name + "/steps" + parameter).to_vector<double>();
                Numbers all;
                for (const Numbers& step : each) all.insert(all.end(), step.begin(), step.end());
                expect_near(all, expected, tolerance,
                            name + " " + parameter + (compiled ? " compiled" : " eager"));
            }
        }
    }
}

template <class Hook>
void expect_chainers_hook(const std::string& name, const Hook& hook) {
    expect_chainers(
        name, [] { return std::make_unique<SGD>(0.1); },
        [&](Weights&, Optimizer& optimizer) { optimizer.add_hook(hook); });
}

TEST(OptimizerHooks, weight_decay_and_lasso_are_chainers) {
    expect_chainers_hook("WeightDecay", WeightDecay(0.1));
    expect_chainers_hook("Lasso", Lasso(0.1));
}

TEST(OptimizerHooks, clippings_are_chainers) {
    expect_chainers_hook("GradientClipping", GradientClipping(1.5));
    expect_chainers_hook("GradientHardClipping", GradientHardClipping(-0.3, 0.5));
}

TEST(OptimizerHooks, layer_wise_rates_are_chainers) {
    expect_chainers_hook("GradientLARS", GradientLARS());
    expect_chainers_hook("GradientLARS_set", GradientLARS(2.0, 0.1, 0.5));
}

TEST(OptimizerHooks, one_parameter_has_its_own_numbers_and_hooks_as_in_chainer) {
    expect_chainers(
        "own_numbers", [] { return std::make_unique<Adam>(); },
        [](Weights& link, Optimizer& optimizer) {
            ParameterRule rule = optimizer.update_rule(link.b);
            rule.hyperparameter("alpha") = 0.02;
            rule.add_hook(WeightDecay(0.3));
        });
}

TEST(OptimizerHooks, lasso_leaves_zeros_and_shows_nan) {
    struct One : Link {
        Parameter w{Array::from<float>({0, NAN, -2, 3})};
        One() { add_param("w", w); }
    } link;
    SGD sgd(1);
    sgd.setup(link);
    sgd.add_hook(Lasso(0.5));
    link.w.set_grad(Array::zeros({Dtype::float32, {4}}));
    sgd.update();
    const std::vector<float> w = link.w.array().to_vector<float>();
    EXPECT_EQ(w[0], 0);
    EXPECT_TRUE(std::isnan(w[1]));
    EXPECT_EQ(w[2], -1.5f);
    EXPECT_EQ(w[3], 2.5f);
}

/// The noise of each step: parameters begin at 0 and the gradients are 0, so with a rate of 1 they
/// are minus its sum.
std::vector<Numbers> noise_of_steps(bool compiled, int count, const GradientNoise& hook,
                                    Dtype dtype = Dtype::float32) {
    struct Many : Link {
        Parameter w;
        explicit Many(Dtype dtype) : w(Array::zeros({dtype, {4000}})) { add_param("w", w); }
    } link(dtype);
    SGD sgd(1);
    sgd.setup(link);
    sgd.add_hook(hook);
    set_seed(11);
    auto use = using_config(&Config::use_static_graph, compiled);
    auto step = static_graph([&](const Variable& zeros) {
        link.cleargrads();
        sum(link.w * zeros).backward();
        sgd.update();
    });
    std::vector<Numbers> noise;
    Numbers before(4000);
    for (int t = 0; t < count; ++t) {
        step(Variable(Array::zeros({dtype, {4000}}), false));
        Numbers now = link.w.array().to_vector<double>(), change(4000);
        for (size_t i = 0; i < now.size(); ++i) change[i] = before[i] - now[i];
        before = now;
        noise.push_back(change);
    }
    if (compiled && compiler_available()) {
        EXPECT_GE(step.statistics().compiled_calls, count - 2);
    }
    return noise;
}

TEST(OptimizerHooks, noise_decays_with_the_steps_and_is_the_same_compiled) {
    const int count = 12;
    const std::vector<Numbers> eager = noise_of_steps(false, count, GradientNoise(0.3));
    const std::vector<Numbers> compiled = noise_of_steps(true, count, GradientNoise(0.3));
    for (int t = 0; t < count; ++t) {
        double total = 0, square = 0;
        for (double n : eager[size_t(t)]) total += n, square += n * n;
        const double deviation = std::sqrt(0.3 / std::pow(1 + t, 0.55));
        EXPECT_NEAR(total / 4000, 0, 5 * deviation / std::sqrt(4000)) << "step " << t;
        EXPECT_NEAR(std::sqrt(square / 4000), deviation, 5 * deviation / std::sqrt(8000))
            << "step " << t;
        expect_near(compiled[size_t(t)], eager[size_t(t)], 2e-6, "step " + std::to_string(t));
    }
    EXPECT_GT(std::abs(eager[0][0] - eager[1][0]), 1e-3) << "every step draws anew";
}

TEST(OptimizerHooks, noise_of_ones_own_has_the_gradients_shape_and_may_use_the_count) {
    const GradientNoise::Noise count = [](const Type& gradient, const GradientNoise&,
                                          const Variable& t) {
        return fill(gradient, 1.0) * cast(t, gradient.dtype);
    };
    const std::vector<Numbers> noise =
        noise_of_steps(false, 3, GradientNoise(0, count), Dtype::float16);
    for (int t = 0; t < 3; ++t) EXPECT_EQ(noise[size_t(t)], Numbers(4000, t));
    const GradientNoise::Noise scalar = [](const Type&, const GradientNoise&, const Variable& t) {
        return t;
    };
    try {
        noise_of_steps(false, 1, GradientNoise(0, scalar));
        FAIL();
    } catch (const ShapeError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("GradientNoise: the noise of /w has shape [], its gradient [4000]"));
    }
}

TEST(OptimizerHooks, hooks_do_nothing_to_parameters_without_elements_or_gradient) {
    struct Mixed : Link {
        Parameter empty{Array::zeros({Dtype::float32, {0, 3}})}, still{Array::from<float>({1, 2})},
            lazy;
        Mixed() {
            add_param("empty", empty);
            add_param("still", still);
            add_param("lazy", lazy);
        }
    } link;
    for (const bool compiled : {false, true}) {
        SGD sgd(1);
        sgd.setup(link);
        sgd.add_hook(WeightDecay(0.1)).add_hook(Lasso(0.1)).add_hook(GradientHardClipping(0, 1));
        sgd.add_hook(GradientLARS()).add_hook(GradientNoise(1)).add_hook(GradientClipping(1));
        auto use = using_config(&Config::use_static_graph, compiled);
        auto step = static_graph([&] {
            link.cleargrads();
            sum(link.empty).backward();
            sgd.update();
        });
        for (int t = 0; t < 3; ++t) step();
        EXPECT_EQ(link.still.array().to_vector<float>(), (std::vector<float>{1, 2}));
        EXPECT_EQ(link.empty.shape(), Shape({0, 3}));
    }
}

TEST(ParameterRules, follow_the_optimizer_until_they_have_their_own_numbers) {
    Weights link;
    SGD sgd(1);
    sgd.setup(link);
    auto moved = [&] {
        const double before = link.b.array().to_vector<double>()[0];
        link.b.set_grad(formula({5}, [](double) { return 1; }));
        sgd.update();
        return before - link.b.array().to_vector<double>()[0];
    };
    ParameterRule rule = sgd.update_rule(link.b);
    EXPECT_FALSE(rule.has_own("lr"));
    EXPECT_NEAR(moved(), 1, 1e-12);
    rule.hyperparameter("lr") = 0.25;
    EXPECT_TRUE(rule.has_own("lr"));
    EXPECT_FALSE(sgd.update_rule(link.a).has_own("lr"));
    EXPECT_NEAR(moved(), 0.25, 1e-12);
    sgd.lr = 3;
    EXPECT_NEAR(moved(), 0.25, 1e-12);
    rule.follow_optimizer();
    EXPECT_NEAR(moved(), 3, 1e-12);
    rule.set_enabled(false);
    EXPECT_EQ(moved(), 0);
    EXPECT_FALSE(link.b.update_enabled());
}

TEST(ParameterRules, hooks_act_on_their_parameter_alone) {
    Weights link;
    SGD sgd(1);
    sgd.setup(link);
    ParameterRule rule = sgd.update_rule(link.a);
    rule.add_hook(GradientHardClipping(-0.1, 0.1));
    EXPECT_THROW(rule.add_hook(GradientHardClipping(-1, 1)), ValueError);
    for (const double limit : {0.1, 2.0}) {
        const Numbers before = link.a.array().to_vector<double>(),
                      other = link.b.array().to_vector<double>();
        for (Parameter* p : {&link.a, &link.b})
            p->set_grad(formula(p->shape(), [](double) { return 1.5; }));
        sgd.update();
        EXPECT_NEAR(before[0] - link.a.array().to_vector<double>()[0], std::min(limit, 1.5), 1e-12);
        EXPECT_NEAR(other[0] - link.b.array().to_vector<double>()[0], 1.5, 1e-12);
        if (limit == 0.1) rule.remove_hook("GradientHardClipping");
    }
    EXPECT_THROW(rule.remove_hook("GradientHardClipping"), ValueError);
}

TEST(ParameterRules, name_what_does_not_exist) {
    Weights link, other;
    SGD sgd;
    EXPECT_THROW(sgd.update_rule(link.a), ValueError);  // setup() first
    sgd.setup(link);
    try {
        sgd.update_rule(link.a).hyperparameter("momentum");
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("SGD: there is no hyperparameter 'momentum'; there are: lr"));
    }
    try {
        sgd.update_rule(other.a);
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("SGD: update_rule: '/a' is not a parameter of the link"));
    }
}

TEST(OptimizerHooks, may_remove_themselves_and_add_others) {
    Weights link;
    SGD sgd;
    sgd.setup(link);
    int once = 0, added = 0;
    sgd.add_hook("once", [&](Optimizer& optimizer) {
        ++once;
        optimizer.remove_hook("once");
        for (int i = 0; i < 20; ++i)
            optimizer.add_hook("added " + std::to_string(i), [&](Optimizer&) { ++added; });
    });
    for (int step = 0; step < 3; ++step) {
        for (Parameter* p : {&link.a, &link.b})
            p->set_grad(formula(p->shape(), [](double) { return 1.5; }));
        sgd.update();
    }
    EXPECT_EQ(once, 1);
    EXPECT_EQ(added, 40);
}

TEST(OptimizerHooks, an_error_of_a_function_hook_reaches_the_caller_of_update) {
    struct Failing : FunctionHook {
        std::string name() const override { return "failing"; }
        void forward_postprocess(const OpDef& op, std::span<const Variable* const>) override {
            if (op.name == "sgd_update_all")
                fail<ValueError>("the hook fails");  // The launch for all parameters.
        }
    } failing;
    Weights link;
    SGD sgd;
    sgd.setup(link);
    for (Parameter* p : {&link.a, &link.b})
        p->set_grad(formula(p->shape(), [](double) { return 1.5; }));
    const FunctionHookScope scope(failing);
    EXPECT_THROW(sgd.update(), ValueError);
}

}  // namespace
}  // namespace catena::testing
