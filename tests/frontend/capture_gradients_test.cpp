// Gradients that come into a region, are made in it and go out of it, wherever they are cleared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(CaptureGradients, cleared_outside_and_made_inside) {
    expect_same([](Side& side) {
        Mlp model;
        auto f = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            loss.backward();
            return loss;
        });
        for (int i = 0; i < 24; ++i) {
            side.call(i);
            if (i % 4 == 0) model.cleargrads();
            if (i == 13) model.zerograds();
            if (i == 17) model.l1.W.set_grad(Array::full(model.l1.W.type(), 0.5));
            side.saw("loss", f(batch(i, 2, 3)));
            side.saw("model", model);
            for (Parameter* p : model.params()) side.saw_gradient(p->name(), *p);
        }
        f.expect_programs(1, 2);
    });
}

TEST(CaptureGradients, accumulate_over_micro_batches_with_an_update_every_fourth_call) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        int calls = 0;
        auto step = side.region([&](const Variable& x) {
            if (calls % 4 == 0) model.cleargrads();
            Variable loss = sum(square(model(x))) / 4.0;
            loss.backward();
            if (++calls % 4 == 0) adam.update();
            return loss;
        });
        for (int i = 0; i < 40; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3)));
            side.saw("model", model);
            side.saw("adam", adam);
        }
        step.expect_programs(1, 4);
    });
}

TEST(CaptureGradients, accumulate_with_the_switch_as_an_argument) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = side.region([&](const Variable& x, bool first, bool last) {
            Variable loss = sum(square(model(x)));
            if (first) model.cleargrads();
            loss.backward();
            if (last) sgd.update();
            return loss;
        });
        for (int i = 0; i < 30; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3), i % 3 == 0, i % 3 == 2));
            side.saw("model", model);
        }
    });
}

TEST(CaptureGradients, are_given_to_the_variables_of_this_call) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x, const Variable& y) {
            Variable loss = sum(x * y * y);
            loss.backward();
            return loss;
        });
        Variable kept = doubles({1, 2});
        for (int i = 0; i < 20; ++i) {
            side.call(i);
            Variable x = doubles({1.0 * i, 3}), y = i % 3 ? doubles({2, 1.0 * i}) : kept;
            if (i % 4 == 1) x.set_grad(Array::from<double>({100, 200}));
            if (i % 5 == 4) kept.cleargrad();
            side.saw("loss", f(x, y));
            side.saw_gradient("x", x);
            side.saw_gradient("y", y);
            side.saw_gradient("kept", kept);
        }
    });
}

TEST(CaptureGradients, two_variables_over_one_array_have_their_own) {
    expect_same([](Side& side) {
        auto f = side.region(
            [](const Variable& x, const Variable& y) { return sum(x * x * 2.0 + y * 3.0); });
        auto g = side.region([](const Variable& x, const Variable& y) {
            Variable loss = sum(x * y * y);
            loss.backward();
            return loss;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            const Array a = Array::from<double>({1.0 + i, 2});
            Variable x(a), y(i % 3 == 2 ? Array::from<double>({4, 5}) : a), u(a), v(a);
            f(x, y).backward();
            side.saw("g", g(u, i % 4 == 3 ? u : v));
            side.saw_gradient("x", x);
            side.saw_gradient("y", y);
            side.saw_gradient("u", u);
            side.saw_gradient("v", v);
        }
    });
}

TEST(CaptureGradients, flow_through_a_region_between_other_parts) {
    expect_same([](Side& side) {
        Linear before(3, 3), after(3, 2);
        Mlp model;
        auto f = side.region(std::ref(model));
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            Variable loss =
                sum(square(after(f(tanh(before(batch(i, 2, 3))) + f(batch(i + 9, 2, 3))))));
            for (const Link* l : std::initializer_list<const Link*>{&before, &after, &model})
                l->cleargrads();
            loss.backward();
            side.saw("loss", loss);
            side.saw("before", before);
            side.saw("after", after);
            side.saw("model", model);
        }
    });
}

TEST(CaptureGradients, results_of_one_region_feed_another_with_their_graph) {
    expect_same([](Side& side) {
        Mlp model;
        auto body = side.region([&](const Variable& x) { return tanh(model(x)); });
        auto loss_of = side.region([&](const Variable& y) {
            Variable loss = sum(square(y));
            model.cleargrads();
            loss.backward();  // Beyond this region.
            return loss;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("loss", loss_of(body(batch(i, 2, 3))));
            side.saw("model", model);
        }
    });
}

TEST(CaptureGradients, of_one_result_by_another_are_right_or_refused) {
    auto body = [](const Variable& x) {
        Variable hidden = tanh(x * 2.0);
        return std::pair(sum(hidden * hidden * x), hidden);
    };
    auto f = static_graph(body);
    for (int i = 0; i < 5; ++i) {
        Variable x = doubles({0.1 * i, 0.7});
        auto [loss, hidden] = body(x);
        auto [loss2, hidden2] = f(Variable(x.array()));
        const Variable right = grad(std::span(&loss, 1), std::span(&hidden, 1))[0];
        try {
            const Variable got = grad(std::span(&loss2, 1), std::span(&hidden2, 1))[0];
            ASSERT_TRUE(got.defined()) << "an undefined gradient is a wrong one";
            for (size_t k = 0; k < 2; ++k)
                EXPECT_NEAR(got.array().to_vector<double>()[k],
                            right.array().to_vector<double>()[k], 1e-9);
        } catch (const TraceError&) {
        }
    }
}

TEST(CaptureGradients, grad_inside_gives_any_gradient) {
    expect_same([](Side& side) {
        Mlp model;
        auto f = side.region([&](const Variable& x) {
            Variable hidden = tanh(model.l1(x));
            Variable loss = sum(square(model.l2(hidden)));
            const Variable of[] = {hidden, x, model.l2.W};
            Variables gradients = grad(std::span(&loss, 1), of);
            return std::vector<Variable>(gradients.begin(), gradients.end());
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            side.saw("gradients", f(Variable(batch(i, 2, 3).array())));
            side.saw("model", model);
        }
    });
}

TEST(CaptureGradients, a_penalty_on_gradients_is_differentiated_again_inside) {
    expect_same([](Side& side) {
        Mlp model;
        Adam adam(0.01);
        adam.setup(model);
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            Variables gx =
                grad(std::span(&loss, 1), std::span(&x, 1), {}, {.enable_double_backprop = true});
            Variable total = loss + square(sqrt(sum(square(gx[0])) + 1e-6) - 1.0) * 0.1;
            learn(model, adam, total);
            return total;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.saw("loss", step(Variable(batch(i, 2, 3).array())));
            side.saw("model", model);
        }
        step.expect_programs(1);
    });
}

TEST(CaptureGradients, a_result_is_differentiated_twice_outside) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) { return sum(x * x * x + tanh(x)); });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable x = doubles({0.5 * i, 1});
            Variable y = f(x);
            Variables g =
                grad(std::span(&y, 1), std::span(&x, 1), {}, {.enable_double_backprop = true});
            side.saw("first", g[0]);
            Variable total = sum(g[0] * g[0]);
            side.saw("second", grad(std::span(&total, 1), std::span(&x, 1))[0]);
            y.backward();
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureGradients,
     a_second_walk_outside_of_a_graph_that_was_walked_inside_is_refused_or_right) {
    auto body = [](const Variable& x) {
        Variable loss = sum(x * x);
        loss.backward();
        return loss;
    };
    auto f = static_graph(body);
    for (int i = 0; i < 4; ++i) {
        Variable x = doubles({1.0 + i, 2}), plain = doubles({1.0 + i, 2});
        Variable loss = f(x);
        body(plain).backward();
        try {
            loss.backward();
            EXPECT_EQ(x.grad().to_vector<double>(), plain.grad().to_vector<double>());
        } catch (const TraceError& e) {
            EXPECT_THAT(e.what(), HasSubstr("backward"));
            EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{2.0 + 2 * i, 4}))
                << "what the call made stays";
        }
    }
}

TEST(CaptureGradients, that_are_retained_inside_can_be_read_outside) {
    expect_same([](Side& side) {
        Variable hidden;
        auto f = side.region([&](const Variable& x) {
            hidden = x * 3.0;
            Variable loss = sum(hidden * hidden);
            loss.backward({.retain_grad = true});
            return loss;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            Variable loss = f(doubles({1.0 * i, 2}));
            side.saw_gradient("hidden", hidden);
            side.saw_gradient("loss", loss);
        }
    });
}

TEST(CaptureGradients, that_were_set_by_the_user_start_backward_inside) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x, const Variable& start) {
            Variable y = tanh(x);
            y.set_grad(start.array());
            y.backward();
            return y;
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            Variable x = doubles({0.1 * i, 1});
            side.saw("y", f(x, doubles({1, 2.0 * i}, false)));
            side.saw_gradient("x", x);
        }
    });
}

TEST(CaptureGradients, are_read_changed_and_set_between_backward_and_update) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        double norm = 0;
        auto step = side.region([&](const Variable& x) {
            Variable loss = sum(square(model(x)));
            model.cleargrads();
            loss.backward();
            norm = 0;
            for (Parameter* p : model.params())
                norm += sum(square(Variable(p->grad(), false))).item<double>();
            if (norm > 1)
                for (Parameter* p : model.params())
                    p->set_grad((p->grad_variable() / std::sqrt(norm)).array());
            sgd.update();
            return loss;
        });
        for (int i = 0; i < 12; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3) * (i % 2 ? 1.0 : 0.1)));
            side.saw("norm", norm);
            side.saw("model", model);
        }
    });
}

TEST(CaptureGradients, are_added_from_a_copy_of_the_model) {
    expect_same([](Side& side) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        Mlp other = model;
        auto step = side.region([&](const Variable& x, const Variable& y) {
            other.copyparams(model);
            Variable a = sum(square(model(x))), b = sum(square(other(y)));
            model.cleargrads();
            other.cleargrads();
            a.backward();
            b.backward();
            model.addgrads(other);
            sgd.update();
            return a + b;
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            side.saw("loss", step(batch(i, 2, 3), batch(i + 50, 2, 3)));
            side.saw("model", model);
            side.saw("other", other);
        }
    });
}

TEST(CaptureGradients, that_an_update_used_up_cannot_be_read_unless_they_are_kept) {
    for (bool keep : {false, true}) {
        Mlp model;
        SGD sgd(0.05);
        sgd.setup(model);
        auto step = static_graph(
            [&](const Variable& x) {
                Variable loss = sum(square(model(x)));
                learn(model, sgd, loss);
                return loss;
            },
            {.keep_grads = keep});
        for (int i = 0; i < 3; ++i) {
            step(batch(i, 2, 3));
            if (keep)
                EXPECT_TRUE(model.l1.W.grad().defined());
            else
                EXPECT_THROW(model.l1.W.grad(), TraceError);
        }
        model.cleargrads();
        EXPECT_FALSE(model.l1.W.grad().defined()) << "clearing forgets that it was used up";
    }
}

TEST(CaptureGradients, unchain_backward_cuts_where_eager_cuts) {
    expect_same([](Side& side) {
        Linear cell(3, 3);
        Variable h;
        int calls = 0;
        auto f = side.region([&](const Variable& x) {
            h = h.defined() ? tanh(cell(h) + x) : tanh(cell(x));
            if (++calls % 3 == 0) h.unchain_backward();
            return sum(h * h);
        });
        for (int i = 0; i < 10; ++i) {
            side.call(i);
            Variable loss = f(batch(i, 2, 3));
            cell.cleargrads();
            loss.backward();
            side.saw("loss", loss);
            side.saw("cell", cell);
        }
    });
}

}  // namespace
}  // namespace catena::testing
