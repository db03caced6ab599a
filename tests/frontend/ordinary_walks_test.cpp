// Programs that run backward in a region, and change something between its calls.
#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

TEST(OrdinaryWalks, a_setting_that_changes_between_repeated_backwards) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                auto s = using_config(&Config::train, i % 4 != 3);
                Variable y = dropout(tanh(matmul(x, w)), 0.4);
                Variable l = sum(y * y);
                l.backward();
                return l;
            },
            "r");
        for (; i < 16; ++i) {
            w.cleargrad();
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryWalks, a_gradient_to_start_from_that_is_given_sometimes) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable y = tanh(matmul(x, w));
                if (i % 3 != 2)
                    y.set_grad(numbers({3, 5}, i).array());
                else {
                    y = sum(y);
                }
                y.backward({.loss_scale = i % 5 == 4 ? 8.0 : 1.0});
                return y;
            },
            "r");
        for (; i < 20; ++i) {
            if (i % 2) w.cleargrad();
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryWalks, one_variable_twice_or_two_variables) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable y = tanh(matmul(x, w)), z = tanh(matmul(x, w));
                Variable l = sum(i % 5 == 3 ? y * y : i % 5 == 4 ? z * y : y * z);
                l.backward();
                return l;
            },
            "r");
        for (; i < 20; ++i) {
            w.cleargrad();
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryWalks, a_layer_that_is_frozen_sometimes) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                if (i % 4 == 3)
                    n.a.disable_update();
                else
                    n.a.enable_update();
                Variable l = sum(n(x));
                if (i % 6 == 5) l = l + sum(n.b.W * n.b.W);
                l.backward();
                return l;
            },
            "r");
        for (; i < 20; ++i) {
            n.cleargrads();
            out.push_back(r(numbers({3, 5}, i)).array());
            for (auto& [k, p] : n.namedparams()) out.push_back(p->grad());
        }
    });
}

TEST(OrdinaryWalks, a_penalty_on_the_gradient) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        int i = 0;
        double lambda = 1;
        auto r = static_graph(
            [&](Variable x) {
                Variable y = sum(tanh(matmul(x, w)));
                Variable g = grad({y}, {x}, {}, {.enable_double_backprop = true})[0];
                Variable l = y + lambda * sum(g * g);
                l.backward();
                return l;
            },
            "r");
        for (; i < 20; ++i) {
            if (i > 8) lambda = i;
            if (i == 14) lambda = 0;
            w.cleargrad();
            Variable x = numbers({3, 5}, i, 1, true);
            out.push_back(r(x).array());
            out.push_back(w.grad());
            out.push_back(x.grad());
        }
    });
}

TEST(OrdinaryWalks, a_scale_of_zero_infinity_or_nan) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        int i = 0;
        double sc[] = {1, 1, 1, 1, 0.0, -0.0, NaN, Inf, 1, 2, 2, 0};
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(tanh(matmul(x, w))) * sc[i % 12];
                l.backward();
                return l;
            },
            "r");
        for (; i < 24; ++i) {
            w.cleargrad();
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryWalks, weights_that_are_tied_sometimes) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        Parameter u(numbers({5, 5}, 8).array()), v(numbers({5, 5}, 9).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Parameter& second = i % 4 == 3 ? u : v;
                Variable l = sum(tanh(matmul(matmul(x, u), second)));
                l.backward();
                return l;
            },
            "r");
        for (; i < 16; ++i) {
            u.cleargrad();
            v.cleargrad();
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(u.grad());
            out.push_back(v.grad());
        }
    });
}

TEST(OrdinaryWalks, gradients_of_inner_variables) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        int i = 0;
        Variable kept;
        auto r = static_graph(
            [&](Variable x) {
                Variable y = tanh(matmul(x, w));
                Variable l = sum(y * y);
                l.backward({.retain_grad = i % 3 == 2});
                kept = y;
                return l;
            },
            "r");
        for (; i < 16; ++i) {
            w.cleargrad();
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
            out.push_back(kept.grad());
        }
    });
}

TEST(OrdinaryWalks, two_backwards_in_changing_order) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array()), u(numbers({5, 5}, 3).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable y = tanh(matmul(x, w));
                Variable a = sum(y), b = sum(matmul(y, u) * y);
                if (i % 3 == 0) {
                    a.backward();
                    b.backward();
                } else {
                    b.backward();
                    a.backward();
                }
                return a + b;
            },
            "r");
        for (; i < 16; ++i) {
            if (i % 4 == 0) {
                w.cleargrad();
                u.cleargrad();
            }
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
            out.push_back(u.grad());
        }
    });
}

TEST(OrdinaryWalks, gradients_that_the_user_has_set) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array()), u(numbers({5, 5}, 3).array());
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(tanh(matmul(matmul(x, w), u)));
                l.backward();
                return l;
            },
            "r");
        for (; i < 18; ++i) {
            if (i % 3 == 0) {
                w.cleargrad();
                u.cleargrad();
            }
            if (i % 5 == 2) {
                Array g = numbers({5, 5}, i).array();
                w.set_grad(g);
                u.set_grad(g);
            }
            out.push_back(r(numbers({3, 5}, i)).array());
            out.push_back(w.grad());
            out.push_back(u.grad());
        }
    });
}

TEST(OrdinaryWalks, hooks_that_come_later) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        MomentumSGD o(0.1);
        o.setup(n);
        o.add_hook(std::make_shared<GradientClipping>(0.5));
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(n(x)) * (i % 7 == 6 ? 100.0 : 1.0);
                n.cleargrads();
                l.backward();
                o.update();
                return l;
            },
            "r");
        for (; i < 30; ++i) {
            if (i == 12) o.add_hook(std::make_shared<WeightDecay>(0.01));
            if (i == 20) o.lr = 0.01;
            out.push_back(r(numbers({3, 5}, i)).array());
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
        }
    });
}

}  // namespace
}  // namespace catena::ordinary
