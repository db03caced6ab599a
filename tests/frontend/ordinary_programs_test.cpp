// Inference, and programs whose backward is outside the region, that change something between its
// calls.
#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

struct Conv : Chain {
    Convolution2D a{8, 16, 3, {.pad = {1}}};
    BatchNormalization n{16};
    Convolution2D b{16, 8, 1};
    Conv() { add_children({{"a", a}, {"n", n}, {"b", b}}); }
    Variable operator()(const Variable& x) { return clip(b(relu(n(a(x)))), -2.0, 6.0); }
};

TEST(OrdinaryPrograms, weights_replaced_and_written_through_old_pointers) {
    expect_same_without_regions([](Arrays& out) {
        Conv n;
        fill(n);
        auto t = using_config(&Config::train, false);
        auto q = no_backprop_mode();
        auto r = static_graph([&](Variable x) { return n(x); }, "r");
        Variable all = numbers({2, 16, 8, 3, 3}, 77);
        float* early = nullptr;
        for (int i = 0; i < 60; ++i) {
            if (i == 6) n.a.W.set_array(all[0].array());  // a view of a larger array
            if (i == 12) {
                float* p = all.array().data<float>();
                for (int k = 0; k < 100; ++k) p[k] *= 3;
            }  // written through the larger one
            if (i == 18) early = n.b.W.array().data<float>();  // a pointer kept
            if (i >= 20 && i % 5 == 0) early[i] += 1;          // and written through later
            if (i == 30)
                n.a.W.set_array(transpose(numbers({8, 16, 3, 3}, 5), {1, 0, 2, 3}).array());
            if (i == 36) n.a.W.set_array(numbers({16, 8, 3, 3}, 6).array().as_contiguous());
            if (i == 42) {
                n.n.avg_var.array().data<float>()[3] = 0.f;
                n.n.avg_mean.array().data<float>()[2] = 1e30f;
            }
            if (i == 46) n.n.avg_var.array().data<float>()[4] = -1.f;
            if (i == 50) n.n.avg_mean.array().data<float>()[5] = Inf;
            if (i == 54) n.n.gamma.array().data<float>()[6] = NaN;
            out.push_back(r(numbers({2, 8, 9, 9}, i)).array());
        }
    });
}

TEST(OrdinaryPrograms, inference_between_updates) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        SGD o(0.1);
        o.setup(n);
        auto r = static_graph([&](Variable x) { return n(x); }, "r");
        for (int i = 0; i < 30; ++i) {
            {
                auto q = no_backprop_mode();
                for (int k = 0; k < 4; ++k) out.push_back(r(numbers({1, 5}, i + k)).array());
            }
            if (i % 5 == 4) {
                n.cleargrads();
                sum(r(numbers({3, 5}, i))).backward();
                o.update();
            }
        }
    });
}

TEST(OrdinaryPrograms, weights_replaced_between_forward_and_backward) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        SGD o(0.1);
        o.setup(n);
        auto r = static_graph([&](Variable x) { return n(x); }, "r");
        for (int i = 0; i < 12; ++i) {
            Variable x = numbers({3, 5}, i, 1, true);
            Variable y = r(x), l = sum(y * y);
            if (i % 3 == 2) {
                n.a.W.set_array(numbers(n.a.W.shape(), i).array());
            }
            n.cleargrads();
            l.backward();
            o.update();
            out.push_back(y.array());
            out.push_back(x.grad());
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryPrograms, a_region_that_is_gone_before_backward) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        for (int i = 0; i < 4; ++i) {
            Variable y, x = numbers({3, 5}, i, 1, true);
            {
                auto r = static_graph([&](Variable x) { return n(x); }, "r");
                r(x);
                r(x);
                y = sum(r(x));
            }
            n.cleargrads();
            y.backward();
            out.push_back(x.grad());
            out.push_back(n.a.W.grad());
        }
    });
}

TEST(OrdinaryPrograms, results_that_are_arguments_or_come_twice) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2).array());
        auto r = static_graph(
            [&](Variable x, Variable z) {
                Variable y = matmul(x, w) * z;
                return std::vector<Variable>{x, y, y, tanh(y), w * 1.0};
            },
            "r");
        for (int i = 0; i < 12; ++i) {
            Variable x = numbers({3, 5}, i, 1, true),
                     z = i % 3 == 0 ? x : numbers({3, 5}, i + 50, 1, true);
            auto ys = r(x, z);
            w.cleargrad();
            Variable l = i % 4 == 0   ? sum(ys[1])
                         : i % 4 == 1 ? sum(ys[1] * ys[2]) + sum(ys[0])
                         : i % 4 == 2 ? sum(ys[3])
                                      : sum(ys[4]) + sum(ys[3] * ys[0]);
            l.backward();
            out.push_back(l.array());
            out.push_back(x.grad());
            out.push_back(z.grad());
            out.push_back(w.grad());
        }
    });
}

TEST(OrdinaryPrograms, a_history_over_calls_that_is_cut_sometimes) {
    expect_same_without_regions([](Arrays& out) {
        Parameter w(numbers({5, 5}, 2, 0.5f).array());
        auto r = static_graph([&](Variable h, Variable x) { return tanh(matmul(h, w) + x); }, "r");
        Variable h(Array::zeros({Dtype::float32, {3, 5}}));
        Variable l;
        for (int i = 0; i < 40; ++i) {
            h = r(h, numbers({3, 5}, i));
            l = l.defined() ? l + sum(h) : sum(h);
            if (i % 7 == 6) {
                w.cleargrad();
                l.backward();
                if (i % 2) l.unchain_backward();
                out.push_back(w.grad());
                out.push_back(l.array());
                if (i % 2) {
                    l = Variable();
                } else {
                    l = Variable();
                    h.unchain_backward();
                }
            }
        }
    });
}

}  // namespace
}  // namespace catena::ordinary
