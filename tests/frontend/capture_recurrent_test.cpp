// Recurrent layers whose state lives from call to call: in windows, step by step, reset, shrunk and
// copied.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

TEST(CaptureRecurrent, a_region_called_once_a_time_step_keeps_the_whole_history) {
    expect_same([](Side& side) {
        RecurrentNet model;
        auto step = side.region(std::ref(model));
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            model.lstm.reset_state();
            Variable loss;
            for (int t = 0; t < 5; ++t) {
                Variable y = sum(square(step(batch(10 * i + t, 2, 3))));
                loss = loss.defined() ? loss + y : y;
            }
            model.cleargrads();
            loss.backward();
            side.saw("loss", loss);
            side.saw("model", model);
            side.saw("c", model.lstm.c());
            for (Parameter* p : model.params()) assign(*p, *p - Variable(p->grad(), false) * 0.05);
        }
        step.expect_programs(1, 4);
    });
}

TEST(CaptureRecurrent, the_gradient_of_the_last_step_alone_reaches_the_first) {
    expect_same([](Side& side) {
        RecurrentNet model;
        auto step = side.region(std::ref(model));
        for (int i = 0; i < 3; ++i) {
            side.call(i);
            model.lstm.reset_state();
            std::vector<Variable> xs;
            Variable y;
            for (int t = 0; t < 4; ++t) {
                xs.emplace_back(batch(10 * i + t, 2, 3).array());
                y = step(xs.back());
            }
            model.cleargrads();
            sum(y).backward();
            for (size_t t = 0; t < xs.size(); ++t)
                side.saw_gradient("x" + std::to_string(t), xs[t]);
            side.saw("model", model);
        }
    });
}

TEST(CaptureRecurrent, the_history_is_cut_where_the_user_cuts_it) {
    expect_same([](Side& side) {
        RecurrentNet model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region(std::ref(model));
        Variable loss = Variable(Array::zeros({Dtype::float32, {}}), false);
        for (int i = 0; i < 24; ++i) {
            side.call(i);
            loss = loss + sum(square(step(batch(i, 2, 3))));
            if (i % 6 != 5) continue;
            model.cleargrads();
            loss.backward();
            loss.unchain_backward();
            sgd.update();
            side.saw("loss", loss);
            side.saw("model", model);
            loss = Variable(Array::zeros({Dtype::float32, {}}), false);
        }
    });
}

TEST(CaptureRecurrent, windows_with_backward_inside_train_alike) {
    expect_same([](Side& side) {
        RecurrentNet model;
        Adam adam(0.01);
        adam.setup(model);
        auto window = side.region([&](const std::vector<Variable>& xs) {
            Variable loss;
            for (const Variable& x : xs) {
                Variable y = sum(square(model(x)));
                loss = loss.defined() ? loss + y : y;
            }
            model.cleargrads();
            loss.backward();
            loss.unchain_backward();
            adam.update();
            return loss;
        });
        for (int i = 0; i < 20; ++i) {
            side.call(i);
            if (i == 7 || i == 13) model.lstm.reset_state();
            std::vector<Variable> xs;
            for (int t = 0; t < (i % 4 == 3 ? 2 : 4); ++t) xs.push_back(batch(10 * i + t, 2, 3));
            side.saw("loss", window(xs));
            side.saw("model", model);
            side.saw("adam", adam);
            side.saw("c", model.lstm.c());
            side.saw("h", model.lstm.h());
        }
    });
}

TEST(CaptureRecurrent, smaller_batches_leave_the_rest_of_the_state) {
    expect_same([](Side& side) {
        RecurrentNet model;
        auto step = side.region([&](const Variable& x) { return model(x) * 2.0; });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            if (i % 5 == 0) model.lstm.reset_state();
            side.saw("y", step(batch(i, 5 - i % 5, 3)));
            side.saw("c", model.lstm.c());
            side.saw("h", model.lstm.h());
        }
        side.call(15);
        side.fails("a larger batch", [&] { step(batch(1, 7, 3)); });
        side.saw("h", model.lstm.h());
        model.lstm.reset_state();
        side.saw("y", step(batch(1, 7, 3)));
    });
}

TEST(CaptureRecurrent, the_state_is_reset_inside_at_every_call_or_at_some) {
    expect_same([](Side& side) {
        RecurrentNet model;
        int every = 1, calls = 0;
        auto f = side.region([&](const Variable& x) {
            if (calls++ % every == 0) model.lstm.reset_state();
            Variable loss = sum(square(model(x) + model(x * 0.5)));
            model.cleargrads();
            loss.backward();
            loss.unchain_backward();
            return loss;
        });
        for (int i = 0; i < 16; ++i) {
            side.call(i);
            if (i == 8) every = 3;
            side.saw("loss", f(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("h", model.lstm.h());
        }
    });
}

TEST(CaptureRecurrent, the_state_is_taken_put_back_and_copied) {
    expect_same([](Side& side) {
        RecurrentNet model;
        auto f = side.region([&](const Variable& x) { return model(x); });
        Variable c, h;
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 3)));
            if (i == 3) c = model.lstm.c(), h = model.lstm.h();
            if (i == 6)
                model.lstm.set_state(Variable(c.array(), false), Variable(h.array(), false));
            if (i == 9) model = RecurrentNet(model);
            side.saw("c", model.lstm.c());
        }
        side.saw("the kept c", c);
    });
}

TEST(CaptureRecurrent, attention_over_all_earlier_states_grows_with_the_steps) {
    expect_same([](Side& side) {
        RecurrentNet model;
        std::vector<Variable> memory;
        auto step = side.region([&](const Variable& x) {
            Variable y = model(x);
            memory.push_back(y);
            Variable all = stack(memory, 1);
            Variable weights = softmax(sum(all * expand_dims(y, 1), 2), 1);
            return sum(all * expand_dims(weights, 2), 1);
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable y = step(batch(i, 2, 3));
            model.cleargrads();
            sum(square(y)).backward();
            side.saw("y", y);
            side.saw("model", model);
        }
    });
}

}  // namespace
}  // namespace catena::testing
