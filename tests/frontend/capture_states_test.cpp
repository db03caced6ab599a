// What a region writes: states by assign, set_array and operator=, arrays through raw pointers,
// Variables in members.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

Variable constant(const Variable& v) { return Variable(v.array(), false); }

TEST(CaptureStates, sgd_by_hand_with_set_array) {
    expect_same([](Side& side) {
        Mlp model;
        double rate = 0.1;
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            loss.backward();
            for (Parameter* p : model.params())
                p->set_array((constant(*p) - Variable(p->grad(), false) * rate).array());
            return loss;
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            if (i % 4 == 3) rate *= 0.5;
            side.saw("loss", step(batch(i, 3, 3)));
            side.saw("model", model);
        }
        step.expect_programs(1);
    });
}

TEST(CaptureStates, momentum_by_hand_in_a_list_of_arrays) {
    expect_same([](Side& side) {
        Mlp model;
        std::vector<Array> momenta;
        for (Parameter* p : model.params()) momenta.push_back(Array::zeros(p->type()));
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            loss.backward();
            auto quiet = no_backprop_mode();
            size_t k = 0;
            for (Parameter* p : model.params()) {
                Variable m = Variable(momenta[k], false) * 0.9 + p->grad_variable();
                momenta[k++] = m.array();
                assign(*p, *p - m * 0.05);
            }
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 3, 3)));
            side.saw("model", model);
            side.saw("momenta", momenta);
        }
        step.expect_programs(1, 2);
    });
}

TEST(CaptureStates, an_average_of_the_weights_is_kept_by_hand) {
    expect_same([](Side& side) {
        Mlp model, average = model, assigned = model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            learn(model, adam, loss);
            auto quiet = no_backprop_mode();
            auto params = model.params(), averages = average.params(), targets = assigned.params();
            for (size_t k = 0; k < params.size(); ++k) {
                averages[k]->set_array((*averages[k] * 0.9 + *params[k] * 0.1).array());
                assign(*targets[k], *targets[k] * 0.9 + *params[k] * 0.1);
            }
            return sum(average(x)) + sum(assigned(x)) * 0.5 + loss;
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            side.saw("value", step(batch(i, 3, 3)));
            side.saw("model", model);
            side.saw("average", average);
            side.saw("assigned", assigned);
        }
        step.expect_programs(1);
    });
}

TEST(CaptureStates, a_target_network_is_copied_every_third_call) {
    expect_same([](Side& side) {
        Mlp model, target = model;
        SGD sgd(0.05);
        sgd.setup(model);
        int calls = 0;
        auto step = side.region([&](const Variable& x) {
            Variable wanted = constant(target(x)) + 0.1;
            Variable loss = mean_squared_error(model(x), wanted);
            learn(model, sgd, loss);
            if (++calls % 3 == 0) target.copyparams(model);
            return loss;
        });
        for (int i = 0; i < 15; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 3, 3)));
            side.saw("model", model);
            side.saw("target", target);
        }
        step.expect_programs(
            1);  // Copying is no operation: the next call finds other arrays in the same places.
    });
}

TEST(CaptureStates, a_state_is_replaced_by_another_state) {
    expect_same([](Side& side) {
        State total(Array::from<double>({0, 0})), copied(Array::from<double>({1, 1})),
            source(Array::from<double>({5, 5}));
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            assign(total, total + x);
            if (++calls % 4 == 0) total = State(Array::from<double>({100.0 * calls, 1}));
            if (calls % 3 == 0) copied = source;
            assign(source, source * 1.5);
            assign(copied, copied + total);
            return total * 2.0 + copied;
        });
        for (int i = 0; i < 24; ++i) {
            side.call(i);
            side.saw("y", f(doubles({1.0 * i, 2})));
            side.saw("total", total);
            side.saw("copied", copied);
            side.saw("source", source);
        }
    });
}

TEST(CaptureStates, a_state_that_becomes_a_computed_array_goes_on_from_there) {
    expect_same([](Side& side) {
        State s(Array::from<double>({1, 2}));
        auto f = side.region([&](const Variable& x) {
            s = State((x * 2.0 + s).array());
            Variable y = s * 3.0;
            s.set_array((y - x).array());
            return y;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.saw("y", f(doubles({1, 0.5 * i})));
            side.saw("s", s);
        }
    });
}

TEST(CaptureStates, a_state_grows) {
    expect_same([](Side& side) {
        State memory(Array::zeros({Dtype::float64, {1, 2}}));
        auto f = side.region([&](const Variable& x) {
            memory.set_array(concat({memory, x}, 0).array());
            return sum(memory, 0);
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 1, 2, Dtype::float64)));
            side.saw("memory", memory);
        }
    });
}

TEST(CaptureStates, states_swap_their_contents) {
    expect_same([](Side& side) {
        State a(Array::from<double>({1, 2})), b(Array::from<double>({10, 20}));
        auto f = side.region([&](const Variable& x) {
            const Array old = a.array();
            a.set_array(b.array());
            b.set_array(old);
            assign(a, a + x);
            return a - b;
        });
        for (int i = 0; i < 9; ++i) {
            side.call(i);
            side.saw("y", f(doubles({1, 1})));
            side.saw("a", a);
            side.saw("b", b);
        }
    });
}

TEST(CaptureStates, an_array_taken_before_an_assignment_keeps_its_content) {
    expect_same([](Side& side) {
        State s(Array::from<double>({1, 2}));
        std::vector<Array> held;
        auto f = side.region([&](const Variable& x) {
            held.push_back(s.array());
            assign(s, s * 2.0 + x);
            held.push_back(s.array());
            assign(s, s + 1.0);
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            f(doubles({1, 1}));
            side.saw("s", s);
            side.saw("held", held);
        }
    });
}

TEST(CaptureStates, states_changed_between_the_calls_are_seen) {
    expect_same([](Side& side) {
        Mlp model;
        State s(Array::from<double>({1, 2}));
        auto f = side.region([&](const Variable& x) {
            assign(s, s + 1.0);
            return sum(model(x)) + sum(cast(s, Dtype::float32));
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            if (i == 3) s.set_array(Array::from<double>({-5, 5}));
            if (i == 5) s = State(Array::from<double>({7, 7}));
            if (i == 7) model.l1.W.array().data<float>()[2] = 0.5f;
            if (i == 9) model.reinitialize();
            if (i == 10) s.set_array(Array::from<double>({1, 2, 3}));
            side.saw("y", f(batch(i, 2, 3)));
            side.saw("s", s);
        }
    });
}

TEST(CaptureStates, elements_written_through_a_pointer_count_from_then_on) {
    expect_same([](Side& side) {
        Parameter w(Array::from<float>({1, 2, 3}), "w");
        auto f = side.region([&](const Variable& x) {
            Variable before = x * 2.0 + w;
            x.array().data<float>()[1] = 10;
            w.array().data<float>()[2] *= 3;
            Variable after = x * 3.0 + w;
            after.array().data<float>()[0] = -1;
            return std::pair(before, after * 2.0);
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable x(Array::from<float>({1.0f * float(i), 5, 6}));
            auto [before, after] = f(x);
            side.saw("before", before);
            side.saw("after", after);
            side.saw("x", x);
            side.saw("w", w);
        }
    });
}

TEST(CaptureStates, arrays_are_converted_viewed_and_copied_in_the_body) {
    expect_same([](Side& side) {
        auto f = side.region([&](const Variable& x) {
            Variable y = x * 2.0 + 1.0;
            const Array single = y.array().astype(Dtype::float32);
            const Array second = y.array().view({2}, {1}, 1);
            const Array turned = transpose(reshape(y, {2, 2})).array().as_contiguous();
            const std::vector<double> host = y.array().to_vector<double>();
            return std::vector<Variable>{Variable(single, false) * 0.5,
                                         Variable(second, false) + 1.0,
                                         Variable(turned, false) * 3.0, y * host[3]};
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            side.saw("y", f(doubles({1, 2, 3, 1.0 * i})));
        }
    });
}

TEST(CaptureStates, a_variable_made_of_host_numbers_compiles_once) {
    expect_same([](Side& side) {
        int i = 0;
        auto f = side.region([&](const Variable& x) {
            Variable weights(Array::from<double>({1.0 + i, 2.0 * i}), true);
            Variable y = sum(x * weights);
            y.backward();
            return std::pair(
                y, Variable(weights.grad(), false) + Array::full({Dtype::float64, {2}}, i));
        });
        for (; i < 40; ++i) {
            side.call(i);
            auto [y, gradient] = f(doubles({1, 0.5 * i}));
            side.saw("y", y);
            side.saw("gradient", gradient);
        }
        f.expect_programs(1);
    });
}

struct Remembering : Chain {
    Linear l{3, 3};
    Variable last, best, first;
    std::vector<Array> arrays;
    double best_value = -1e9;
    Remembering() { add_children({{"l", l}}); }
    Variable operator()(const Variable& x) {
        Variable y = tanh(l(x));
        if (!first.defined()) first = y;
        if (last.defined()) y = y + last * 0.5;
        last = y;
        arrays.push_back(y.array());
        return sum(y);
    }
};

TEST(CaptureStates, variables_in_members_are_used_at_later_calls_and_outside) {
    expect_same([](Side& side) {
        Remembering model;
        auto f = side.region(std::ref(model));
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            Variable y = f(batch(i, 2, 3));
            side.saw("y", y);
            side.saw("last", model.last);
            side.saw("first", model.first);
            side.saw("outside", sum(model.last * model.first + 1.0));
            side.saw("arrays", model.arrays);
            model.cleargrads();
            y.backward();  // Through all earlier calls: nothing was unchained.
            side.saw("model", model);
            if (i == 5) model.last = Variable();
        }
    });
}

TEST(CaptureStates, an_intermediate_in_a_member_can_be_differentiated_outside) {
    expect_same([](Side& side) {
        Mlp model;
        Variable hidden;
        auto f = side.region([&](const Variable& x) {
            hidden = tanh(model.l1(x));
            return sum(model.l2(hidden));
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            f(batch(i, 2, 3));
            side.saw("hidden", hidden);
            model.cleargrads();
            sum(square(hidden)).backward();
            side.saw("model", model);
        }
    });
}

TEST(CaptureStates, a_recurrence_by_hand_keeps_its_state_as_array_or_state) {
    expect_same([](Side& side) {
        Linear in(3, 4), back(4, 4);
        Array h = Array::zeros({Dtype::float32, {2, 4}});
        State s(Array::zeros({Dtype::float32, {2, 4}}));
        auto f = side.region([&](const Variable& x) {
            Variable next = tanh(in(x) + back(Variable(h, false)));
            h = next.array();
            assign(s, tanh(back(s) + in(x)));
            return next + s;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            if (i == 6) h = Array::zeros({Dtype::float32, {2, 4}});
            side.saw("y", f(batch(i, 2, 3)));
            side.saw("h", h);
            side.saw("s", s);
        }
    });
}

TEST(CaptureStates, a_state_copied_from_another_that_changes_again) {
    expect_same([](Side& side) {
        State a(doubles({1, 2}, false).array()), b(doubles({3, 4}, false).array());
        auto f = side.region([&](const Variable& x) {
            assign(a, a + x);
            b = a;
            assign(a, a * 2.0);
            return a + b;
        });
        for (int call = 0; call < 4; ++call) {
            side.call(call);
            side.saw("sum", f(doubles({0.5, -1}, false)));
            side.saw("a", a);
            side.saw("b", b);
        }
        f.expect_programs(1, 2);
    });
}

TEST(CaptureStates, a_view_that_lives_sees_what_the_host_writes) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            const Variable y = x * 2.0;
            std::vector<Variable> seen{transpose(x), get_item(y, {1}),
                                       reshape(get_item(x, {slice(0, 1)}), {2}), y};
            x.array().data<double>()[1] = 50;
            y.array().data<double>()[3] = 70;
            seen.push_back(x + 1.0);
            return seen;
        });
        for (int call = 0; call < 4; ++call) {
            side.call(call);
            const Variable x(Array::from<double>({1, 2, 3, 4.0 + call}, {2, 2}), false);
            std::vector<Variable> seen = f(x);
            side.saw("seen", seen);
            x.array().data<double>()[0] = -9;  // After the region, too.
            seen[3].array().data<double>()[2] = -8;
            side.saw("later", seen);
        }
    });
}

}  // namespace
}  // namespace catena::testing
