// Every update rule: 20 steps against the same rule in double precision and against Chainer's
// numbers.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/optimizer/sweep.h"
#include "runtime/core/system/error.h"
#include "tests/frontend/optimizer_rules.h"

namespace catena::testing {
namespace {

constexpr int steps = 20;
constexpr int change = 15;  ///< The step from which learning rates are halved.

using Numbers = std::vector<double>;

Numbers numbers(const Shape& shape, const std::function<double(double)>& f) {
    Numbers values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = f(double(i));
    return values;
}
Array first(const Shape& shape, Dtype dtype) {
    return Array::from(numbers(shape, [](double i) { return std::cos(0.9 * i); }), shape)
        .astype(dtype);
}
Variable gradient(const Variable& p, int step) {
    return Variable(
        Array::from(numbers(p.shape(), [&](double i) { return std::sin(0.7 * i + step); }),
                    p.shape())
            .astype(p.dtype()),
        false);
}
Numbers rounded(const Numbers& values, Dtype dtype) {
    return Array::from(values, Shape{int64_t(values.size())}).astype(dtype).to_vector<double>();
}

/// Parameters that move: one larger than what a thread takes at once, one without elements. One is
/// disabled, one has no gradient, one no shape.
struct Weights : Link {
    Parameter a, b, large, empty, off, still, lazy;
    explicit Weights(Dtype dtype)
        : a(first({3, 4}, dtype)),
          b(first({5}, dtype)),
          large(first({130, 140}, dtype)),
          empty(first({0, 3}, dtype)),
          off(first({2}, dtype)),
          still(first({2}, dtype)) {
        add_param("a", a);
        add_param("b", b);
        add_param("large", large);
        add_param("empty", empty);
        add_param("off", off);
        add_param("still", still);
        add_param("lazy", lazy);
        off.set_update_enabled(false);
    }
    std::vector<Parameter*> moving() { return {&a, &b, &large, &empty}; }
    std::vector<Variable> gradients(int step) {
        std::vector<Variable> all;
        for (Parameter* p : {&a, &b, &large, &empty, &off}) all.push_back(gradient(*p, step));
        return all;
    }
    /// Its gradients are the values given.
    Variable loss(const std::vector<Variable>& g) {
        return sum(a * g[0]) + sum(b * g[1]) + sum(large * g[2]) + sum(empty * g[3]) +
               sum(off * g[4]);
    }
};

/// A parameter's elements after every step, as they are stored in `dtype`.
std::vector<Numbers> truth(const RuleCase& rule, const Variable& start, Dtype dtype) {
    const size_t moments = rule.make()->moment_names().size();
    Numbers p = start.array().to_vector<double>();
    std::vector<Numbers> states(moments, Numbers(p.size()));
    for (size_t k = 0; k < rule.first_moments.size(); ++k)
        states[k].assign(p.size(), rule.first_moments[k]);
    std::vector<Numbers> after;
    for (int t = 1; t <= steps; ++t) {
        const Numbers g = gradient(start, t).array().to_vector<double>();
        for (size_t i = 0; i < p.size(); ++i) {
            double s[3] = {};
            for (size_t k = 0; k < moments; ++k) s[k] = states[k][i];
            rule.truth(p[i], g[i], s, t, t < change ? 1 : 0.5);
            for (size_t k = 0; k < moments; ++k) states[k][i] = s[k];
        }
        p = rounded(p, dtype);
        for (Numbers& state : states) state = rounded(state, dtype);
        after.push_back(p);
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

double tolerance(const RuleCase& rule, Dtype dtype) {
    // A 16-bit number may be rounded to the other neighbour, and then goes its own way.
    switch (dtype) {
        case Dtype::float64:
            return 1e-12;
        case Dtype::float32:
            return rule.float32;
        case Dtype::float16:
            return 5e-3;
        default:
            return 4e-2;
    }
}

void halve_rate(const RuleCase& rule, Optimizer& optimizer) {
    if (!*rule.rate) return;
    Cell rate = optimizer.hyperparameter(rule.rate);
    rate = rate * 0.5;
}

void eager_step(const RuleCase& rule, Optimizer& optimizer, Weights& link, int t) {
    if (t == change) halve_rate(rule, optimizer);
    const std::vector<Variable> g = link.gradients(t);
    optimizer.update([&] { return link.loss(g); });
}

/// The parameters as they are, and as they must be: all that move at the end, the others as they
/// began.
void expect_truth(const RuleCase& rule, Weights& link, Dtype dtype) {
    Weights start(dtype);
    const std::vector<Parameter*> found = link.moving(), began = start.moving();
    for (size_t k = 0; k < found.size(); ++k)
        expect_near(found[k]->array().to_vector<double>(), truth(rule, *began[k], dtype).back(),
                    tolerance(rule, dtype), rule.name + " " + found[k]->name());
    EXPECT_EQ(link.off.array().to_vector<double>(), start.off.array().to_vector<double>());
    EXPECT_EQ(link.still.array().to_vector<double>(), start.still.array().to_vector<double>());
    EXPECT_FALSE(link.lazy.is_initialized());
}

class OptimizerRules : public ::testing::TestWithParam<size_t> {
protected:
    const RuleCase& rule() const { return rule_cases()[GetParam()]; }
};

const std::vector<Dtype> dtypes{Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16};

TEST_P(OptimizerRules, follow_the_formula) {
    for (Dtype dtype : dtypes) {
        SCOPED_TRACE(std::string(name_of(dtype)));
        Weights link(dtype);
        const auto optimizer = rule().make();
        optimizer->setup(link);
        for (int t = 1; t <= steps; ++t) eager_step(rule(), *optimizer, link, t);
        expect_truth(rule(), link, dtype);
    }
}

TEST_P(OptimizerRules, follow_the_formula_compiled_and_are_not_compiled_again_for_another_rate) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    for (Dtype dtype : dtypes) {
        SCOPED_TRACE(std::string(name_of(dtype)));
        Weights link(dtype);
        const auto optimizer = rule().make();
        optimizer->setup(link);
        auto step = static_graph([&](const std::vector<Variable>& g) {
            const Variable loss = link.loss(g);
            link.cleargrads();
            loss.backward();
            optimizer->update();
            return loss;
        });
        int64_t programs = 0;
        for (int t = 1; t <= steps; ++t) {
            if (t == change) {
                programs = step.statistics().programs;
                halve_rate(rule(), *optimizer);
            }
            step(link.gradients(t));
        }
        expect_truth(rule(), link, dtype);
        EXPECT_EQ(optimizer->t(), steps);
        EXPECT_GE(step.statistics().compiled_calls, steps - 2);
        EXPECT_GE(programs, 1);
        EXPECT_EQ(step.statistics().programs, programs) << step.explain();
    }
}

TEST_P(OptimizerRules, go_on_from_a_file_as_if_nothing_had_happened) {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("optimizer_rules_" + std::to_string(getpid())))
            .string();
    std::filesystem::create_directories(folder);
    Weights whole(Dtype::float32), continued(Dtype::float32);
    const auto optimizer = rule().make(), loaded = rule().make();
    optimizer->setup(whole);
    for (int t = 1; t <= steps; ++t) {
        eager_step(rule(), *optimizer, whole, t);
        if (t != 10) continue;
        save_npz(folder + "/link", whole);
        save_npz(folder + "/optimizer", *optimizer);
    }
    loaded->setup(continued);
    load_npz(folder + "/link", continued);
    load_npz(folder + "/optimizer", *loaded);
    EXPECT_EQ(loaded->t(), 10);
    for (int t = 11; t <= steps; ++t) eager_step(rule(), *loaded, continued, t);
    for (size_t k = 0; k < whole.moving().size(); ++k)
        EXPECT_EQ(whole.moving()[k]->array().to_vector<double>(),
                  continued.moving()[k]->array().to_vector<double>());
    std::filesystem::remove_all(folder);
}

TEST_P(OptimizerRules, change_all_parameters_in_one_pass_and_in_place) {
    Weights link(Dtype::float32);
    const auto optimizer = rule().make();
    optimizer->setup(link);
    eager_step(rule(), *optimizer, link, 1);
    const SweepStatistics before = sweep_statistics();
    eager_step(rule(), *optimizer, link, 2);
    const int64_t values = 1 + int64_t(optimizer->moment_names().size());
    EXPECT_EQ(sweep_statistics().launches - before.launches, 1);
    EXPECT_EQ(sweep_statistics().in_place - before.in_place, 4 * values);
    EXPECT_EQ(sweep_statistics().fresh, before.fresh);
}

// --- Chainer's numbers ---

const std::string chainer_file = CATENA_SOURCE_DIR "/tests/conformance/chainer_optimizers.npz";

struct ChainerWeights : Link {
    Parameter a{first({3, 4}, Dtype::float64)}, b{first({5}, Dtype::float64)};
    ChainerWeights() {
        add_param("a", a);
        add_param("b", b);
    }
    void set_gradients(int step) {
        for (Parameter* p : {&a, &b}) p->set_grad(gradient(*p, step).array());
    }
};

Numbers row(const Array& all, int step) {
    const Numbers values = all.to_vector<double>();
    const ptrdiff_t size = ptrdiff_t(values.size()) / steps;
    return {values.begin() + (step - 1) * size, values.begin() + step * size};
}

void expect_chainers(const std::string& name, ChainerWeights& link, int step) {
    static const NpzFile file(chainer_file);
    for (Parameter* p : {&link.a, &link.b})
        expect_near(p->array().to_vector<double>(),
                    row(file.read(name + "/steps" + std::string(p->name())), step), 1e-11,
                    name + " step " + std::to_string(step) + " " + std::string(p->name()));
}

TEST_P(OptimizerRules, are_chainers) {
    ChainerWeights link;
    const auto optimizer = rule().make();
    optimizer->setup(link);
    for (int t = 1; t <= steps; ++t) {
        if (t == change) halve_rate(rule(), *optimizer);
        link.set_gradients(t);
        optimizer->update();
        expect_chainers(rule().name, link, t);
    }
}

TEST_P(OptimizerRules, go_on_from_chainers_file) {
    const NpzFile file(chainer_file);
    ChainerWeights link;
    for (Parameter* p : {&link.a, &link.b})
        p->set_array(Array::from(
            row(file.read(rule().name + "/steps" + std::string(p->name())), 10), p->shape()));
    const auto optimizer = rule().make();
    optimizer->setup(link);
    load_npz(chainer_file, *optimizer, {.path = rule().name + "/saved"});
    EXPECT_EQ(optimizer->t(), 10);
    for (int t = 11; t <= steps; ++t) {
        if (t == change) halve_rate(rule(), *optimizer);
        link.set_gradients(t);
        optimizer->update();
        expect_chainers(rule().name, link, t);
    }
}

INSTANTIATE_TEST_SUITE_P(all, OptimizerRules, ::testing::Range(size_t(0), rule_cases().size()),
                         [](const auto& info) { return rule_cases()[info.param].name; });

// --- beside the table ---

TEST(OptimizerRules, an_eps_that_vanishes_in_the_parameters_type_is_an_error) {
    ChainerWeights link;
    for (const Dtype dtype : {Dtype::float64, Dtype::float32}) {
        link.a.set_array(first({2}, dtype));
        for (int which = 0; which < 2; ++which) {
            std::unique_ptr<Optimizer> optimizer;
            if (which == 0)
                optimizer = std::make_unique<Adam>(AdamOptions{.eps = 1e-60});
            else
                optimizer = std::make_unique<RMSprop>(RMSpropOptions{.eps = 1e-60});
            optimizer->setup(link);
            link.a.set_grad(gradient(link.a, 1).array());
            if (dtype == Dtype::float64) {
                EXPECT_NO_THROW(optimizer->update());
                continue;
            }
            try {
                optimizer->update();
                ADD_FAILURE() << optimizer->type_name();
            } catch (const ValueError& error) {
                EXPECT_EQ(std::string(error.what())
                              .find(optimizer->type_name() + ": eps 1e-60 is 0 in float32"),
                          0u)
                    << error.what();
            }
        }
    }
}

TEST(OptimizerRules, where_there_never_was_a_gradient_msvag_and_smorms3_do_not_move) {
    struct One : Link {
        Parameter w{Array::from<float>({1, 2, 3})};
        One() { add_param("w", w); }
    };
    for (const bool compiled : {false, true}) {
        One link;
        MSVAG msvag;
        SMORMS3 smorms3;
        msvag.setup(link);
        smorms3.setup(link);
        auto use = using_config(&Config::use_static_graph, compiled);
        auto step = static_graph([&](const Variable& zeros) {
            for (Optimizer* optimizer : std::initializer_list<Optimizer*>{&msvag, &smorms3}) {
                link.cleargrads();
                sum(link.w * zeros).backward();
                optimizer->update();
            }
        });
        for (int t = 0; t < 3; ++t) step(Variable(Array::zeros({Dtype::float32, {3}}), false));
        EXPECT_EQ(link.w.array().to_vector<float>(), (std::vector<float>{1, 2, 3}));
    }
}

}  // namespace
}  // namespace catena::testing
