// Recurrent links and links of losses against what Chainer's give with the same parameters
// (tests/conformance/chainer_recurrent.py).
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "frontend/link/loss/crf1d.h"
#include "frontend/link/loss/hierarchical_softmax.h"
#include "frontend/link/loss/negative_sampling.h"
#include "frontend/link/rnn/gru.h"
#include "frontend/link/rnn/lstm.h"
#include "frontend/link/rnn/mgu.h"
#include "frontend/link/rnn/n_step.h"
#include "frontend/link/rnn/stateful_lstm.h"
#include "frontend/link/rnn/tree_lstm.h"
#include "frontend/serializer/npz.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"

namespace catena::testing {
namespace {

using List = std::vector<Variable>;

const NpzFile& chainer() {
    static const NpzFile file(CATENA_SOURCE_DIR "/tests/conformance/chainer_recurrent.npz");
    return file;
}

void expect_near(const Array& actual, const std::string& key) {
    const Array expected = chainer().read(key);
    ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape())) << key;
    const std::vector<double> a = actual.to_vector<double>(), e = expected.to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], e[i], 2e-6 * (1 + std::abs(e[i]))) << key << " element " << i;
}

/// Calls the link with Chainer's parameters and inputs, and compares everything that Chainer has.
void expect_chainers(const std::string& name, const Link& link,
                     const std::function<List(const List&)>& run) {
    SCOPED_TRACE(name);
    for (const auto& [path, param] : link.namedparams()) {
        ASSERT_TRUE(chainer().contains(name + "/saved" + path)) << path;
        ASSERT_EQ(to_string(param->shape()),
                  to_string(chainer().read(name + "/saved" + path).shape()))
            << path;
        param->set_array(chainer().read(name + "/saved" + path));
    }
    List xs, gys;
    while (chainer().contains(name + "/x" + std::to_string(xs.size())))
        xs.emplace_back(chainer().read(name + "/x" + std::to_string(xs.size())), true);
    const List ys = run(xs);
    for (size_t i = 0; i < ys.size(); ++i) {
        expect_near(ys[i].array(), name + "/y" + std::to_string(i));
        gys.emplace_back(chainer().read(name + "/gy" + std::to_string(i)), false);
    }
    ASSERT_FALSE(chainer().contains(name + "/y" + std::to_string(ys.size())));
    backward(ys, gys);
    for (size_t i = 0; i < xs.size(); ++i)
        if (chainer().contains(name + "/gx" + std::to_string(i))) {
            ASSERT_TRUE(xs[i].grad().defined()) << "gx" << i;
            expect_near(xs[i].grad(), name + "/gx" + std::to_string(i));
        }
    for (const auto& [path, param] : link.namedparams())
        if (chainer().contains(name + "/grad" + path)) {
            ASSERT_TRUE(param->grad().defined()) << path;
            expect_near(param->grad(), name + "/grad" + path);
        }
}

List together(const NStepResult& y) {
    List all{y.hy};
    all.insert(all.end(), y.ys.begin(), y.ys.end());
    return all;
}
List together(const NStepLstmResult& y) {
    List all{y.hy, y.cy};
    all.insert(all.end(), y.ys.begin(), y.ys.end());
    return all;
}

template <class L>
void expect_n_step(const std::string& name) {
    L link(2, 2, 3, 0.0);
    if constexpr (std::derived_from<L, NStepMemory>)
        expect_chainers(name, link, [&](const List& xs) {
            return together(link(xs[0], xs[1], std::span(xs).subspan(2)));
        });
    else
        expect_chainers(name, link, [&](const List& xs) {
            return together(link(xs[0], std::span(xs).subspan(1)));
        });
}

TEST(ChainerRecurrent, n_step_links_are_chainers) {
    expect_n_step<NStepRNNTanh>("NStepRNNTanh");
    expect_n_step<NStepRNNReLU>("NStepRNNReLU");
    expect_n_step<NStepBiRNNTanh>("NStepBiRNNTanh");
    expect_n_step<NStepBiRNNReLU>("NStepBiRNNReLU");
    expect_n_step<NStepGRU>("NStepGRU");
    expect_n_step<NStepBiGRU>("NStepBiGRU");
    expect_n_step<NStepLSTM>("NStepLSTM");
    expect_n_step<NStepBiLSTM>("NStepBiLSTM");
    NStepLSTM zeros(1, 2, 3, 0.0);
    expect_chainers("NStepLSTM_zeros", zeros,
                    [&](const List& xs) { return together(zeros({}, {}, xs)); });
}

/// A step for each input.
template <class L>
void expect_steps(const std::string& name, L link) {
    expect_chainers(name, link, [&](const List& xs) {
        List ys;
        for (const Variable& x : xs) ys.push_back(link(x));
        return ys;
    });
}

TEST(ChainerRecurrent, links_of_single_steps_are_chainers) {
    StatelessGRU gru(2, 4);
    expect_chainers("StatelessGRU", gru, [&](const List& xs) { return List{gru(xs[0], xs[1])}; });
    expect_steps("StatefulGRU", GRU(2, 4));
    StatelessMGU mgu(2, 4);
    expect_chainers("StatelessMGU", mgu, [&](const List& xs) { return List{mgu(xs[0], xs[1])}; });
    expect_steps("StatefulMGU", StatefulMGU(2, 4));
    expect_steps("StatefulPeepholeLSTM", StatefulPeepholeLSTM(2, 4));
    const auto test_mode = using_config(&Config::train, false);
    expect_steps("StatefulZoneoutLSTM", StatefulZoneoutLSTM(2, 4));
}

List both(const LstmResult& y) { return {y.c, y.h}; }

TEST(ChainerRecurrent, the_stateless_lstm_is_chainers) {
    StatelessLSTM lstm(2, 4), zeros(2, 4);
    expect_chainers("StatelessLSTM", lstm,
                    [&](const List& xs) { return both(lstm(xs[0], xs[1], xs[2])); });
    expect_chainers("StatelessLSTM_zeros", zeros,
                    [&](const List& xs) { return both(zeros({}, {}, xs[0])); });
}

TEST(ChainerRecurrent, trees_are_chainers) {
    for (size_t children : {1, 3}) {
        ChildSumTreeLSTM link(2, 4);
        expect_chainers("ChildSumTreeLSTM_" + std::to_string(children), link, [&](const List& xs) {
            const std::span<const Variable> all = xs;
            return both(link(all.first(children), all.subspan(children, children), xs.back()));
        });
    }
    ChildSumTreeLSTM leaf(2, 4), part(2, 4);
    expect_chainers("ChildSumTreeLSTM_leaf", leaf,
                    [&](const List& xs) { return both(leaf({}, {}, xs[0])); });
    expect_chainers("ChildSumTreeLSTM_part", part,
                    [&](const List& xs) { return both(part({xs[0], {}}, {{}, xs[1]}, {})); });
    NaryTreeLSTM nary(2, 4), nary_part(2, 4, 3);
    expect_chainers("NaryTreeLSTM", nary, [&](const List& xs) {
        return both(nary({xs[0], xs[1]}, {xs[2], xs[3]}, xs[4]));
    });
    expect_chainers("NaryTreeLSTM_part", nary_part, [&](const List& xs) {
        return both(nary_part({xs[0], {}, {}}, {{}, xs[1], {}}, xs[2]));
    });
}

Variable integers(const std::vector<int32_t>& values) {
    return Variable(Array::from(values, Shape{int64_t(values.size())}), false);
}

TEST(ChainerRecurrent, the_hierarchical_softmax_over_a_huffman_tree_is_chainers) {
    const BinaryTree tree = BinaryHierarchicalSoftmax::create_huffman_tree(
        {{0, 8}, {1, 5}, {2, 6}, {3, 4}, {4, 5}, {5, 1}});
    BinaryHierarchicalSoftmax link(3, tree);
    expect_chainers("BinaryHierarchicalSoftmax", link,
                    [&](const List& xs) { return List{link(xs[0], integers({0, 4, 2, 5}))}; });
}

TEST(ChainerRecurrent, the_random_field_is_chainers) {
    const List labels{integers({1, 0}), integers({2, 2, 0, 1}), integers({0}), integers({1, 1, 2})};
    CRF1d mean(3), each(3);
    expect_chainers("CRF1d", mean,
                    [&](const List& xs) { return List{mean(xs, labels, "mean", true)}; });
    expect_chainers("CRF1d_no", each,
                    [&](const List& xs) { return List{each(xs, labels, "no", true)}; });
    List xs;
    for (size_t i = 0; i < labels.size(); ++i)
        xs.emplace_back(chainer().read("CRF1d/x" + std::to_string(i)), false);
    const CrfPath path = mean.argmax(xs, true);
    for (size_t i = 0; i < labels.size(); ++i) {
        const Array expected = chainer().read("CRF1d/path" + std::to_string(i));
        EXPECT_EQ(path.labels[i].array().to_vector<int64_t>(), expected.to_vector<int64_t>()) << i;
    }
}

TEST(ChainerRecurrent, black_out_is_chainers) {
    BlackOut link(3, {4, 3, 2, 1, 1}, 2);
    const Variable samples(Array::from(std::vector<int32_t>{0, 2, 1, 1, 3, 4}, Shape{3, 2}), false);
    expect_chainers("BlackOut", link, [&](const List& xs) {
        return List{link(xs[0], integers({1, 0, 2}), samples)};
    });
}

}  // namespace
}  // namespace catena::testing
