// Settings, modes and seeds that change between calls of a region, and in them.
#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

Variable as(const Variable& x, Dtype dtype) { return Variable(x.array().astype(dtype), false); }

void push_gradients(Arrays& out, const Link& link) {
    for (auto& [name, p] : link.namedparams()) out.push_back(p->grad());
}

struct Normed : Chain {
    Linear a{5, 6};
    BatchNormalization n{6};
    Normed() { add_children({{"a", a}, {"n", n}}); }
    Variable operator()(const Variable& x) { return dropout(relu(n(a(x))), 0.3); }
};

TEST(OrdinarySettings, training_and_testing_in_turn) {
    expect_same_without_regions([](Arrays& out) {
        Normed n;
        fill(n);
        auto r = static_graph([&](Variable x) { return n(x); }, "r");
        for (int i = 0; i < 24; ++i) {
            auto t = using_config(&Config::train, i % 4 != 3);
            auto q = using_config(&Config::enable_backprop, i % 5 != 2);
            n.cleargrads();
            Variable y = r(numbers({4, 5}, i));
            if (y.requires_grad()) sum(y * y).backward();
            out.push_back(y.array());
            push_gradients(out, n);
            out.push_back(n.n.avg_mean.array());
            out.push_back(n.n.avg_var.array());
        }
    });
}

TEST(OrdinarySettings, modes_that_change_inside) {
    expect_same_without_regions([](Arrays& out) {
        Normed n;
        fill(n);
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable target;
                {
                    auto q = no_backprop_mode();
                    auto t = using_config(&Config::train, i % 3 == 0);
                    target = n(x);
                }
                Variable y = n(x);
                {
                    auto q = no_backprop_mode();
                    auto f = force_backprop_mode();
                    y = i % 4 == 1 ? y * 2.0 : y;
                }
                return sum((y - target) * (y - target));
            },
            "r");
        for (; i < 24; ++i) {
            n.cleargrads();
            Variable l = r(numbers({4, 5}, i));
            l.backward();
            out.push_back(l.array());
            push_gradients(out, n);
        }
    });
}

TEST(OrdinarySettings, seeds_that_are_set_again) {
    expect_same_without_regions([](Arrays& out) {
        auto r =
            static_graph([](Variable x) { return dropout(x, 0.5) + gaussian(x, x * 0.0); }, "r");
        for (int i = 0; i < 18; ++i) {
            if (i % 6 == 0) set_seed(7);
            if (i % 6 == 4) out.push_back(dropout(numbers({3, 4}, i), 0.5).array());
            out.push_back(r(numbers({3, 4}, i % 2)).array());
        }
    });
}

TEST(OrdinarySettings, seeds_that_are_set_inside) {
    expect_same_without_regions([](Arrays& out) {
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                Variable a = dropout(x, 0.5);
                if (i % 3 == 1) set_seed(11);
                return a + dropout(x, 0.5);
            },
            "r");
        for (; i < 18; ++i) out.push_back(r(numbers({3, 4}, i % 2)).array());
    });
}

TEST(OrdinarySettings, the_dtype_of_new_parameters) {
    expect_same_without_regions([](Arrays& out) {
        std::unique_ptr<Linear> l;
        int i = 0;
        auto r = static_graph(
            [&](Variable x) {
                if (i % 4 == 0) {
                    auto d =
                        using_config(&Config::dtype, i % 8 == 4 ? Dtype::float64 : Dtype::float32);
                    l = std::make_unique<Linear>(3);
                }
                return (*l)(x);
            },
            "r");
        for (; i < 16; ++i) {
            const Dtype dtype = i % 8 >= 4 ? Dtype::float64 : Dtype::float32;
            Variable y = r(as(numbers({2, 4}, i), dtype));
            l->cleargrads();
            sum(y * y).backward();
            out.push_back(y.array());
            push_gradients(out, *l);
        }
    });
}

}  // namespace
}  // namespace catena::ordinary
