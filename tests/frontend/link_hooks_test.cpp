// Hooks of links: of one link, of a scope, of a user's own links, in eager code and in static
// regions.
#include "frontend/link/link_hook.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/callable.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/hooks/spectral_normalization.h"
#include "frontend/link/hooks/timer.h"
#include "frontend/link/hooks/weight_standardization.h"
#include "frontend/link/rnn/lstm.h"
#include "frontend/link/rnn/n_step.h"
#include "frontend/link/sequential.h"
#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/activation/activation.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Writes down what it hears.
struct Diary : LinkHook {
    std::vector<std::string> lines;
    std::string name() const override { return "Diary"; }
    void added(Link* link) override {
        lines.push_back("added to " + (link ? link->type_name() : "scope"));
    }
    void deleted(Link* link) override {
        lines.push_back("deleted from " + (link ? link->type_name() : "scope"));
    }
    void forward_preprocess(LinkCall& call) override {
        lines.push_back("before " + call.link().type_name() + " of " +
                        std::to_string(call.inputs().size()));
    }
    void forward_postprocess(LinkCall& call) override {
        lines.push_back((call.failed() ? "failed " : "after ") + call.link().type_name() +
                        " gave " + std::to_string(call.outputs().size()));
    }
};

/// A user's link with a forward().
struct Net : Callable<Net> {
    Linear l1{4, 3}, l2{3, 2};
    Net() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable forward(const Variable& x) { return l2(relu(l1(x))); }
};

/// One with an operator() of its own, and two results.
struct Both : Link {
    Parameter a{2.0, Shape{}};
    Both() { add_param("a", a); }
    std::pair<Variable, Variable> operator()(const Variable& x, const Variable& y) {
        return called({&x, &y}, [&] { return std::pair{x * a, y * a}; });
    }
};

Variable ramp(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * float(i) - 1;
    return Variable(Array::from(values, shape));
}

std::string message_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(LinkHooks, one_of_a_link_hears_its_calls_until_it_is_deleted) {
    Linear link(4, 3);
    auto diary = std::make_shared<Diary>();
    link.add_hook(diary);
    link(ramp({2, 4}));
    link.delete_hook("Diary");
    link(ramp({2, 4}));
    EXPECT_THAT(diary->lines, ElementsAre("added to Linear", "before Linear of 1",
                                          "after Linear gave 1", "deleted from Linear"));
}

template <class Hook>
concept CanBeAdded = requires(Link& link, Hook&& hook) { link.add_hook(std::forward<Hook>(hook)); };

TEST(LinkHooks, are_moved_or_shared_but_never_copied_behind_the_users_back) {
    static_assert(CanBeAdded<Diary> && CanBeAdded<std::shared_ptr<Diary>&> && !CanBeAdded<Diary&> &&
                  !CanBeAdded<const Diary&>);
}

TEST(LinkHooks, one_of_a_scope_hears_every_link_of_the_thread) {
    Net net;
    Both both;
    Diary diary;
    {
        LinkHookScope scope(diary);
        net(ramp({2, 4}));
        both(ramp({2}), ramp({2}));
    }
    net(ramp({2, 4}));
    EXPECT_THAT(diary.lines,
                ElementsAre("added to scope", "before Net of 1", "before Linear of 1",
                            "after Linear gave 1", "before Linear of 1", "after Linear gave 1",
                            "after Net gave 1", "before Both of 2", "after Both gave 2",
                            "deleted from scope"));
}

TEST(LinkHooks, hear_the_members_of_results_and_every_array_of_lists) {
    StatelessLSTM cell(4, 3);
    NStepLSTM stack(1, 4, 3, 0);
    Diary diary;
    LinkHookScope scope(diary);
    cell(Variable(), Variable(), ramp({2, 4}));
    const std::vector<Variable> sequences{ramp({3, 4}), ramp({2, 4})};
    stack(Variable(), Variable(), sequences);
    EXPECT_EQ(diary.lines[diary.lines.size() - 3], "after StatelessLSTM gave 2");
    EXPECT_EQ(diary.lines[diary.lines.size() - 2],
              "before NStepLSTM of 4");  // hx, cx, and two sequences
    EXPECT_EQ(diary.lines[diary.lines.size() - 1],
              "after NStepLSTM gave 4");  // hy, cy, and two sequences
}

TEST(LinkHooks, names_are_taken_once) {
    Linear link(4, 3);
    link.add_hook(Diary()).add_hook(Diary(), "second");
    EXPECT_EQ(link.hooks().size(), 2u);
    EXPECT_THAT(message_of([&] { link.add_hook(Diary()); }),
                HasSubstr("Linear: a hook named 'Diary' was added already"));
    EXPECT_THAT(message_of([&] { link.delete_hook("third"); }),
                HasSubstr("no hook is named 'third'; there is Diary, second"));
    Diary one, other;
    LinkHookScope scope(one);
    EXPECT_THAT(message_of([&] { LinkHookScope again(other); }),
                HasSubstr("one named \"Diary\" is active already"));
}

TEST(LinkHooks, hear_of_an_error_and_parameters_come_back) {
    Linear link(4, 3);
    VariableBody* const identity = link.W.body();
    auto diary = std::make_shared<Diary>();
    link.add_hook(diary).add_hook(link_hooks::SpectralNormalization());
    EXPECT_THROW(link(ramp({2, 5})), ShapeError);
    EXPECT_EQ(diary->lines.back(), "failed Linear gave 0");
    EXPECT_EQ(link.W.body(), identity);
}

TEST(LinkHooks, a_copied_link_has_hooks_of_its_own_where_they_have_states) {
    Linear link(4, 3);
    link.add_hook(link_hooks::SpectralNormalization({.use_gamma = true}));
    link(ramp({2, 4}));
    Linear copied = link;
    ASSERT_EQ(copied.hooks().size(), 1u);
    EXPECT_NE(copied.hooks()[0].hook, link.hooks()[0].hook);
    EXPECT_EQ(copied.namedpersistents()[0].second->array().to_vector<float>(),
              link.namedpersistents()[0].second->array().to_vector<float>());
    Parameter* const gamma = link.params()[2];  // After W and b.
    Linear moved = std::move(link);
    EXPECT_EQ(moved.params()[2], gamma);  // The hook itself moves.
}

TEST(LinkHooks, parts_of_hooks_are_saved_and_loaded_with_the_link) {
    Sequential net{Linear(4, 3)};
    net[0].add_hook(link_hooks::SpectralNormalization({.use_gamma = true}));
    net(ramp({2, 4}));
    const std::string path = ::testing::TempDir() + "catena_link_hooks.npz";
    save_npz(path, net);
    EXPECT_THAT(NpzFile(path).keys(),
                ::testing::UnorderedElementsAre("0/W", "0/b", "0/gamma", "0/W_u"));
    Sequential other{Linear(3)};  // Its weight has no size yet.
    other[0].add_hook(link_hooks::SpectralNormalization({.use_gamma = true}));
    load_npz(path, other);
    const auto mode = using_config(&Config::train, false);
    EXPECT_EQ(other(ramp({2, 4})).array().to_vector<float>(),
              net(ramp({2, 4})).array().to_vector<float>());
}

TEST(LinkHooks, of_weights_say_what_they_need) {
    Both both;
    EXPECT_THAT(message_of([&] { both.add_hook(link_hooks::WeightStandardization()); }),
                HasSubstr("WeightStandardization: Both has no parameter 'W'; there is /a"));
    link_hooks::SpectralNormalization hook;
    EXPECT_THAT(message_of([&] { LinkHookScope scope(hook); }), HasSubstr("belongs to one link"));
    EXPECT_THAT(message_of([&] { link_hooks::SpectralNormalization({.n_power_iteration = 0}); }),
                HasSubstr("at least 1"));
}

TEST(LinkHooks, spectral_normalization_approaches_the_singular_value) {
    Linear link =
        Linear::from_params(Array::from<float>({3, 0, 0, 0, -2, 0}).view({2, 3}, {3, 1}, 0));
    link.add_hook(link_hooks::SpectralNormalization({.n_power_iteration = 60, .use_gamma = true}));
    EXPECT_FLOAT_EQ(link.params()[1]->array().item<float>(), 3);  // gamma, after W
    const Variable x(Array::from<float>({1, 0, 0, 0, 1, 0}).view({2, 3}, {3, 1}, 0));
    const std::vector<float> y = link(x).array().to_vector<float>();
    EXPECT_NEAR(y[0], 3, 1e-4);  // gamma W / sigma = W
    EXPECT_NEAR(y[3], -2, 1e-4);
}

TEST(LinkHooks, the_timer_counts_classes_of_links) {
    Net net;
    link_hooks::TimerHook timer;
    {
        LinkHookScope scope(timer);
        net(ramp({2, 4}));
        EXPECT_ANY_THROW(net(ramp({2, 5})));
    }
    auto summary = timer.summary();
    EXPECT_EQ(summary["Net"].occurrence, 2);
    EXPECT_EQ(summary["Linear"].occurrence, 3);
    EXPECT_GE(summary["Net"].elapsed_time, summary["Linear"].elapsed_time);
    EXPECT_DOUBLE_EQ(timer.total_time(), summary["Net"].elapsed_time);
    std::ostringstream table;
    timer.print_report(table);
    EXPECT_THAT(table.str(), HasSubstr("Net"));
}

TEST(LinkHooks, run_at_every_call_of_a_static_region) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Net net;
    auto region = static_graph([&](Variable x) { return net(x); });
    Diary diary;
    LinkHookScope scope(diary);
    for (int i = 0; i < 4; ++i) region(ramp({2, 4}));
    EXPECT_EQ(std::count(diary.lines.begin(), diary.lines.end(), "after Net gave 1"), 4);
    EXPECT_EQ(region.statistics().programs, 1);
}

TEST(LinkHooks, weights_of_training_calls_are_those_of_eager_code) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Net eager;
    eager.l1.add_hook(link_hooks::SpectralNormalization());
    Net compiled = eager;
    auto region = static_graph([&](Variable x) { return compiled(x); });
    for (int i = 0; i < 5; ++i) {
        const Variable x = ramp({2, 4});
        const std::vector<float> a = eager(x).array().to_vector<float>(),
                                 b = region(x).array().to_vector<float>();
        for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
        const std::vector<float>
            u = eager.namedpersistents()[0].second->array().to_vector<float>(),
            v = compiled.namedpersistents()[0].second->array().to_vector<float>();
        for (size_t k = 0; k < u.size(); ++k) EXPECT_NEAR(u[k], v[k], 1e-5);
    }
    EXPECT_EQ(region.statistics().programs, 1);
}

}  // namespace
}  // namespace catena
