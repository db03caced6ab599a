// Stacked recurrent layers over sequences of any lengths, as links and in compiled regions.
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/loss/hierarchical_softmax.h"
#include "frontend/link/loss/negative_sampling.h"
#include "frontend/link/rnn/gru.h"
#include "frontend/link/rnn/n_step.h"
#include "frontend/link/rnn/tree_lstm.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Array numbers(const Shape& shape, int seed) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.7 * double(i) + 3.1 * seed);
    return Array::from(values, shape).astype(Dtype::float32);
}
std::vector<Variable> sequences(const std::vector<int64_t>& lengths, int64_t features) {
    std::vector<Variable> xs;
    for (int64_t length : lengths)
        xs.emplace_back(numbers({length, features}, int(xs.size())), false);
    return xs;
}
void expect_near(const Variable& actual, const Variable& expected, double tolerance = 1e-5) {
    ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape()));
    const std::vector<double> a = actual.array().to_vector<double>(),
                              e = expected.array().to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], e[i], tolerance) << "element " << i;
}
template <class F>
std::string error_of(const F& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(NStepLinks, names_are_those_of_chainers_files) {
    NStepBiGRU link(2, 3, 4, 0.1);
    std::vector<std::string> paths;
    for (const auto& [path, param] : link.namedparams()) paths.push_back(path);
    EXPECT_EQ(paths.size(), 2 * 2 * 12u);
    EXPECT_EQ(paths.front(), "/0/b0");
    EXPECT_EQ(paths.back(), "/3/w5");
    EXPECT_EQ(to_string(link[1].params()[6]->shape()), "[4,3]");
    EXPECT_EQ(to_string(link[2].params()[6]->shape()), "[4,8]");
    EXPECT_EQ(to_string(link[2].params()[9]->shape()), "[4,4]");
    EXPECT_THAT(
        error_of([] { NStepGRU(0, 3, 4, 0.1); }),
        HasSubstr(
            "NStepGRU: n_layers, in_size and out_size should be positive, they are 0, 3 and 4"));
}

TEST(NStepLinks, a_sequence_among_others_gives_what_it_gives_alone) {
    const NStepBiLSTM link(2, 3, 4, 0.5);
    const auto test_mode = using_config(&Config::train, false);
    const std::vector<Variable> xs = sequences({2, 5, 1, 5, 3}, 3);
    const Variable hx(numbers({4, 5, 4}, 7), false), cx(numbers({4, 5, 4}, 8), false);
    const NStepLstmResult all = link(hx, cx, xs);
    EXPECT_EQ(to_string(all.hy.shape()), "[4,5,4]");
    for (size_t i = 0; i < xs.size(); ++i) {
        const Index own[] = {slice({}), slice(int64_t(i), int64_t(i) + 1)};
        const NStepLstmResult alone =
            link(get_item(hx, own), get_item(cx, own), std::span(xs).subspan(i, 1));
        expect_near(all.ys[i], alone.ys[0]);
        expect_near(get_item(all.hy, own), alone.hy);
        expect_near(get_item(all.cy, own), alone.cy);
    }
}

TEST(NStepLinks, an_empty_sequence_keeps_its_state) {
    const NStepGRU link(1, 2, 3, 0);
    const Variable hx(numbers({1, 3, 3}, 1), true);
    const std::vector<Variable> xs = sequences({2, 0, 1}, 2);
    const NStepResult y = link(hx, xs);
    EXPECT_EQ(to_string(y.ys[1].shape()), "[0,3]");
    expect_near(get_item(y.hy, {0, 1}), get_item(hx, {0, 1}));
    sum(get_item(y.hy, {0, 1})).backward();
    EXPECT_THAT(hx.grad().to_vector<float>(), ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0));
}

TEST(NStepLinks, dropout_acts_between_layers_in_training_mode_only) {
    const NStepRNNTanh one(1, 2, 3, 0.9), two(2, 2, 3, 0.9);
    const std::vector<Variable> xs = sequences({4, 2}, 2);
    using Values = std::vector<float>;
    const auto run = [&](const NStepRNNTanh& link) {
        set_seed(1);
        const Variable first = link({}, xs).ys[0];
        set_seed(2);
        const Variable second = link({}, xs).ys[0];
        return std::pair<Values, Values>(first.array().to_vector<float>(),
                                         second.array().to_vector<float>());
    };
    const auto [a, b] = run(one);
    EXPECT_EQ(a, b);
    const auto [c, d] = run(two);
    EXPECT_NE(c, d);
    const auto test_mode = using_config(&Config::train, false);
    const auto [e, f] = run(two);
    EXPECT_EQ(e, f);
}

TEST(NStepLinks, lengths_that_do_not_fit_the_rows_are_told) {
    const NStepLSTM link(1, 2, 3, 0);
    const auto run = [&](const std::vector<int32_t>& lengths, RowOrder order) {
        return error_of([&] {
            link({}, {},
                 SequenceRows{Variable(numbers({5, 2}, 1), false),
                              Variable(Array::from(lengths, Shape{int64_t(lengths.size())}), false),
                              order});
        });
    };
    EXPECT_THAT(run({2, 2}, RowOrder::by_sequence),
                HasSubstr("the lengths add up to 4, x has 5 rows"));
    EXPECT_THAT(run({7, -2}, RowOrder::by_sequence),
                HasSubstr("lengths[1] is -2, it should be 0 or more"));
    EXPECT_THAT(run({2, 3}, RowOrder::by_step),
                HasSubstr("rows by step need sequences sorted by decreasing length"));
    EXPECT_EQ(run({2, 3}, RowOrder::by_sequence), "");
}

TEST(NStepLinks, braces_are_a_list_of_sequences) {
    const NStepLSTM link(1, 2, 3, 0);
    const NStepGRU gru(1, 2, 3, 0);
    const Variable x0(numbers({5, 2}, 1), false), x1(numbers({3, 2}, 2), false);
    EXPECT_EQ(link({}, {}, {x0}).ys.size(), 1u);
    EXPECT_EQ(link({}, {}, {x0.array(), x1.array()}).ys[1].shape(), (Shape{3, 3}));
    EXPECT_EQ(gru({}, {x0, x1}).ys[0].array().to_vector<float>(),
              gru({}, std::vector<Variable>{x0, x1}).ys[0].array().to_vector<float>());
}

TEST(NStepLinks, errors_name_what_the_user_gave_and_the_users_line) {
    const NStepLSTM link(1, 2, 3, 0);
    const std::string message =
        error_of([&] { link({}, {}, {Variable(numbers({5, 4}, 1), false)}); });
    EXPECT_THAT(
        message,
        HasSubstr("the sequences have 4 features, the first layer takes 2 (ws[0][0] is [3,2])"));
    EXPECT_THAT(message, HasSubstr("(at n_step_links_test.cpp:"));
    const CRF1d crf(4);
    const Variable x(numbers({3, 4}, 1), false);
    const auto loss = [&](const std::vector<int32_t>& labels) {
        CRF1d own = crf;
        return error_of([&] {
            own(std::vector{x},
                std::vector{Variable(Array::from(labels, Shape{int64_t(labels.size())}))}, "mean",
                true);
        });
    };
    EXPECT_THAT(loss({0, 9, 1}),
                AllOf(HasSubstr("select_item: index 9 is outside of axis 1 of size 4"),
                      HasSubstr("(at n_step_links_test.cpp:")));
    EXPECT_THAT(loss({0, 1}),
                HasSubstr("CRF1d: ys[0] should be [3], as xs[0] is [3,4]; it is [2]"));
    EXPECT_EQ(loss({0, 3, 1}), "");
}

/// A tagger: loss and gradients of a step over sequences in one matrix.
struct Tagger : Chain {
    NStepBiLSTM rnn{2, 3, 8, 0.0};
    Linear out{16, 2};
    Tagger() { add_children({{"rnn", rnn}, {"out", out}}); }
    Variable operator()(const Variable& rows, const Variable& lengths) {
        return sum(square(out(rnn({}, {}, SequenceRows{rows, lengths}).ys)));
    }
};

TEST(NStepLinks, one_compiled_program_serves_all_lengths) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Tagger model;
    auto region = static_graph(
        [&](const Variable& rows, const Variable& lengths) {
            const Variable loss = model(rows, lengths);
            model.cleargrads();
            loss.backward();
            return loss;
        },
        {.name = "tagger", .keep_grads = true});
    const auto step = [&](const std::vector<int64_t>& lengths, bool compiled) {
        const SequenceRows x = rows_of_sequences(sequences(lengths, 3));
        const Variable loss = compiled ? region(x.rows, x.lengths) : model(x.rows, x.lengths);
        if (!compiled) {
            model.cleargrads();
            loss.backward();
        }
        std::vector<double> all = loss.array().to_vector<double>();
        for (Parameter* p : model.params())
            for (double g : p->grad().to_vector<double>()) all.push_back(g);
        return all;
    };
    const auto expect_equal = [&](const std::vector<int64_t>& lengths) {
        const std::vector<double> eager = step(lengths, false), compiled = step(lengths, true);
        ASSERT_EQ(eager.size(), compiled.size());
        for (size_t i = 0; i < eager.size(); ++i)
            ASSERT_NEAR(eager[i], compiled[i], 2e-4 * (1 + std::abs(eager[i]))) << i;
    };
    // Twelve rows in all: other lengths are no other sizes.
    for (const std::vector<int64_t>& lengths :
         std::vector<std::vector<int64_t>>{{4, 4, 4}, {1, 9, 2}, {12, 0, 0}, {3, 7, 2}})
        expect_equal(lengths);
    EXPECT_EQ(region.statistics().programs, 1);
    EXPECT_EQ(region.statistics().mismatches, 0);
    // More rows are planned from programs of fewer and of more.
    for (int64_t more : {19, 31, 5, 23, 10, 27, 14}) expect_equal({more, 6, 5});
    EXPECT_GE(region.statistics().resized, 3);
}

TEST(RecurrentLinks, a_copy_has_states_and_weights_of_its_own) {
    GRU link(2, 3);
    link(Variable(numbers({4, 2}, 1)));
    GRU other = link;
    link(Variable(numbers({4, 2}, 2)));
    const std::vector<float> before = other.h().array().to_vector<float>();
    EXPECT_NE(before, link.h().array().to_vector<float>());
    expect_near(other(Variable(numbers({4, 2}, 2))), link.h());
    other.reset_state();
    EXPECT_FALSE(other.h().defined());
    EXPECT_TRUE(link.h().defined());
    NaryTreeLSTM tree(2, 3), copied = tree;
    copied.W_h(2).W.set_array(Array::zeros(tree.W_h(2).W.type()));
    EXPECT_NE(tree.W_h(2).W.array().to_vector<float>()[0], 0);
    EXPECT_EQ(copied.namedparams().size(), tree.namedparams().size());
    EXPECT_THAT(error_of([&] { tree.W_h(3); }),
                HasSubstr("there is no W_h3; they are counted from 1 to 2"));
}

TEST(LossLinks, samples_are_drawn_in_proportion) {
    set_seed(5);
    const WalkerAlias sampler({1, 0, 5, 2, 2});
    const std::vector<int64_t> drawn = sampler({200, 100}).array().to_vector<int64_t>();
    std::vector<double> share(5);
    for (int64_t word : drawn) share[size_t(word)] += 1.0 / double(drawn.size());
    const double expected[] = {0.1, 0, 0.5, 0.2, 0.2};
    for (size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(share[i], expected[i], 4 * std::sqrt(0.25 / double(drawn.size()))) << i;
    EXPECT_EQ(share[1], 0);
    EXPECT_THAT(error_of([] { WalkerAlias({0, 0}); }),
                HasSubstr("WalkerAlias: the 2 weights add up to 0"));
    EXPECT_THAT(error_of([] { WalkerAlias({1, -1}); }), HasSubstr("weight 1 is -1"));
}

TEST(LossLinks, negative_sampling_learns_the_labels) {
    set_seed(3);
    NegativeSampling link(2, {3, 3, 3, 3}, 3);
    Parameter x(numbers({4, 2}, 2));
    const Variable t(Array::from(std::vector<int32_t>{0, 1, -1, 3}, Shape{4}), false);
    const auto first = link.with_samples(x, t);
    EXPECT_EQ(to_string(first.samples.type()), "int32[4,4]");
    EXPECT_NEAR(first.loss.item<double>(), 3 * 4 * std::log(2.0),
                1e-4);  // W is zeros, and a row is left out.
    EXPECT_EQ(first.samples.array().to_vector<int>()[4], 1);
    SGD sgd(0.5);
    sgd.setup(link);
    auto step = static_graph([&](const Variable& x, const Variable& t) {
        const Variable loss = link(x, t);
        link.cleargrads();
        loss.backward();
        sgd.update();
        return loss;
    });
    double loss = 0;
    for (int i = 0; i < 40; ++i) loss = step(x, t).item<double>();
    EXPECT_LT(loss, 7);  // Some samples are the label itself.
}

TEST(LossLinks, black_out_draws_words_that_have_a_count) {
    BlackOut link(2, {0, 3, 0, 3, 0}, 2);
    const Variable x(numbers({3, 2}, 4), false),
        t(Array::from(std::vector<int32_t>{0, 2, 4}, Shape{3}), false);
    const auto loss = [&](int64_t seed) {
        set_seed(seed);
        return link(x, t).item<double>();
    };
    EXPECT_EQ(loss(1), loss(1));
    // Samples are 1 or 3: rows of two of them have one of three losses, so draws are seen in the
    // mean.
    std::set<double> seen;
    for (int64_t seed = 0; seed < 20; ++seed) seen.insert(loss(seed));
    EXPECT_GT(seen.size(), 3u);
    EXPECT_LE(seen.size(), 64u);
    const Variable samples(Array::from(std::vector<int32_t>{1, 3, 3, 1, 1, 1}, Shape{3, 2}), false);
    EXPECT_NEAR(link(x, t, samples).item<double>(), black_out(x, t, link.W, samples).item<double>(),
                1e-6);
}

TEST(LossLinks, huffman_trees_give_frequent_words_short_paths) {
    const TreePaths paths(create_huffman_tree({{0, 8}, {1, 5}, {2, 6}, {3, 4}}));
    EXPECT_EQ(paths.inner_nodes, 3);
    EXPECT_THAT(paths.nodes.to_vector<int>(),
                ElementsAre(0, 2, 0, 1, 0, 2, 0, 1));  // ((3, 1), (2, 0))
    EXPECT_THAT(paths.codes.to_vector<float>(), ElementsAre(-1, -1, 1, -1, -1, 1, 1, 1));
    EXPECT_THAT(error_of([] { create_huffman_tree({}); }), HasSubstr("there are no words"));
    EXPECT_THAT(error_of([] { TreePaths(BinaryTree(1, BinaryTree(2, 1))); }),
                HasSubstr("the word 1 occurs twice"));
}

}  // namespace
}  // namespace catena
