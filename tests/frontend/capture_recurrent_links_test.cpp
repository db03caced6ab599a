// Recurrent links with states, trees and losses over sequences, compiled against eager.
#include <gtest/gtest.h>

#include "frontend/link/loss/crf1d.h"
#include "frontend/link/rnn/gru.h"
#include "frontend/link/rnn/mgu.h"
#include "frontend/link/rnn/n_step.h"
#include "frontend/link/rnn/stateful_lstm.h"
#include "frontend/link/rnn/tree_lstm.h"
#include "runtime/ops/loss/ctc.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Windows of four steps that train; the state goes on from window to window.
template <class Cell>
void expect_windows_alike(const std::function<Cell()>& make) {
    struct Net : Chain {
        Cell cell;
        Linear out{4, 3};
        explicit Net(Cell made) : cell(std::move(made)) {
            add_children({{"cell", cell}, {"out", out}});
        }
    };
    expect_same([&](Side& side) {
        Net model(make());
        SGD sgd(0.1);
        sgd.setup(model);
        auto window = side.region([&](const std::vector<Variable>& xs) {
            Variable loss;
            for (const Variable& x : xs) {
                const Variable y = sum(square(model.out(model.cell(x))));
                loss = loss.defined() ? loss + y : y;
            }
            learn(model, sgd, loss);
            loss.unchain_backward();
            return loss;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            if (i == 3) model.cell.reset_state();
            side.saw("loss",
                     window(std::vector<Variable>{batch(4 * i, 2, 3), batch(4 * i + 1, 2, 3),
                                                  batch(4 * i + 2, 2, 3)}));
            side.saw("h", model.cell.h());
            side.saw("model", model);
        }
    });
}

TEST(CaptureRecurrentLinks, states_go_on_from_window_to_window) {
    expect_windows_alike<StatefulGRU>([] { return StatefulGRU(3, 4); });
    expect_windows_alike<StatefulMGU>([] { return StatefulMGU(3, 4); });
    expect_windows_alike<StatefulPeepholeLSTM>([] { return StatefulPeepholeLSTM(3, 4); });
    expect_windows_alike<StatefulZoneoutLSTM>([] { return StatefulZoneoutLSTM(3, 4, 0.3, 0.2); });
}

TEST(CaptureRecurrentLinks, stacks_train_over_sequences_in_one_matrix) {
    struct Net : Chain {
        NStepBiGRU rnn{2, 3, 4, 0.3};
        Linear out{8, 3};
        Net() { add_children({{"rnn", rnn}, {"out", out}}); }
    };
    expect_same([](Side& side) {
        Net model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& rows, const Variable& lengths) {
            const NStepRows y = model.rnn({}, SequenceRows{rows, lengths});
            const Variable loss = sum(square(model.out(y.ys))) + sum(y.hy);
            learn(model, adam, loss);
            return loss;
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            const int32_t longest = 4 + i % 3;
            const Variable lengths(
                Array::from(std::vector<int32_t>{2, longest, 9 - longest}, Shape{3}), false);
            side.saw("loss", step(batch(i, 11, 3), lengths));
            side.saw("model", model);
        }
    });
}

TEST(CaptureRecurrentLinks, trees_and_losses_over_sequences_are_alike) {
    struct Net : Chain {
        NaryTreeLSTM tree{3, 4};
        ChildSumTreeLSTM sum_tree{4, 3};
        CRF1d crf{3};
        Net() { add_children({{"tree", tree}, {"sum_tree", sum_tree}, {"crf", crf}}); }
    };
    expect_same([](Side& side) {
        Net model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x, const Variable& t, const Variable& lengths) {
            const LstmResult leaf = model.tree({{}, {}}, {{}, {}}, x),
                             root = model.tree({leaf.c, {}}, {leaf.h, leaf.h}, x);
            const Variable scores = model.sum_tree({}, {}, root.h).h * 3.0;
            const std::vector<Variable> xs{scores, scores * 2.0, scores + 1.0};
            const std::vector<Variable> labels{get_item(t, {slice({}), 0}),
                                               get_item(t, {slice({}), 1}),
                                               get_item(t, {slice({}), 0})};
            const Variable loss = model.crf(xs, labels) +
                                  connectionist_temporal_classification(xs, t, 0, {}, lengths);
            learn(model, sgd, loss);
            return loss;
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            const Variable t(Array::from(std::vector<int32_t>{1, 2, 2, 1}, Shape{2, 2}), false);
            const Variable lengths(Array::from(std::vector<int32_t>{2, i % 3}, Shape{2}), false);
            side.saw("loss", step(batch(i, 2, 3), t, lengths));
            side.saw("model", model);
        }
    });
}

}  // namespace
}  // namespace catena::testing
