// Memory that the code of a region writes to without Catena noticing: through pointers and views
// from before the call, or because it is somebody else's. Operations read what was there when they
// were called.
#include <gtest/gtest.h>

#include "runtime/core/array/foreign_array.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/graph/call/held_state.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

/// Numbers of somebody else's, and an array over them.
struct Outside {
    std::vector<float> numbers;
    Array array;

    Outside(int number, const Shape& shape, const Strides& strides)
        : numbers(batch(number, 1, element_count(shape)).array().to_vector<float>()),
          array(foreign_array(
              {.data = numbers.data(), .type = {Dtype::float32, shape}, .strides = strides})) {}
    Outside(int number, const Shape& shape) : Outside(number, shape, contiguous_strides(shape)) {}
    Variable variable(bool requires_grad = false) const { return Variable(array, requires_grad); }
};

void expect_no_cut(const auto& region) {
    if (auto counts = region.counts()) {
        EXPECT_EQ(counts->cuts, 0) << region.explain();
    }
}

TEST(MemoryOutside, the_owner_of_an_input_writes_to_it_after_it_was_read) {
    expect_same(
        [](Side& side) {
            Outside w(9, {2, 3});
            auto f = side.region([&](const Variable& x) {
                const Variable y = x + w.variable();
                w.numbers[0] += 100;
                const Variable z = x + w.variable();
                w.numbers[5] += 200;
                return std::vector<Variable>{y, z, x * w.variable()};
            });
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                side.saw("ys", f(batch(i, 2, 3)));
                side.saw("w", w.array);
            }
            expect_no_cut(f);
        },
        {.modes = all_modes});
}

TEST(MemoryOutside, an_argument_is_written_through_a_pointer_from_before_the_call) {
    for (const Audit audit : {Audit::always, Audit::sampled, Audit::never})
        expect_same(
            [&](Side& side) {
                const Variable x(Array::zeros({Dtype::float32, {2, 3}}), false);
                float* const p = x.array().data<float>();
                auto f = side.region(
                    [&](const Variable& x) {
                        const Variable y = tanh(x);
                        p[1] -= 0.5f;
                        return std::vector<Variable>{y, tanh(x) * 2.0};
                    },
                    {.audit = audit});
                for (int i = 0; i < 5; ++i) {
                    side.call(i);
                    p[0] = float(i);
                    side.saw("ys", f(x));
                    side.saw("x", x);
                }
                expect_no_cut(f);
            },
            {.modes = all_modes});
}

TEST(MemoryOutside, only_some_calls_write) {
    expect_same([](Side& side) {
        Outside w(9, {2, 3});
        Mlp model;
        auto f = side.region([&](const Variable& x, int call) {
            const Variable y = model(x + w.variable());
            if (call % 3 == 1) w.numbers[2] = float(call);
            return std::vector<Variable>{y, model(w.variable())};
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("ys", f(batch(i, 2, 3), i));
        }
    });
}

TEST(MemoryOutside, views_show_what_is_written_and_what_was_read_of_them_stays) {
    for (const bool is_row_major : {true, false})
        expect_same([&](Side& side) {
            Outside w(9, {2, 3}, is_row_major ? Strides{3, 1} : Strides{1, 2});
            auto f = side.region([&](const Variable& x) {
                const Variable all = w.variable(), row = all[{1}], turned = transpose(all);
                const Variable a = row * 2.0, b = turned * 3.0;
                w.numbers[3] = 50;
                const Variable c = row * 2.0;
                w.numbers[0] = 60;
                return std::vector<Variable>{a, b, c, turned * 3.0, row, turned, x + all};
            });
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                w.numbers[3] = w.numbers[0] = float(i);
                const std::vector<Variable> ys = f(batch(i, 2, 3));
                side.saw("ys", ys);
                w.numbers[3] = -1;
                side.saw("ys after a write", ys);
            }
        });
}

TEST(MemoryOutside, gradients_inside_read_what_is_there_when_they_are_computed) {
    expect_same([](Side& side) {
        Outside x(9, {2, 3});
        Mlp model;
        SGD optimizer(0.1);
        optimizer.setup(model);
        auto step = side.region([&](int call) {
            const Variable loss = sum(square(model(x.variable())));
            if (call % 2 == 1) x.numbers[1] += 1;
            learn(model, optimizer, loss);
            return loss;
        });
        for (int i = 0; i < 8; ++i) {
            side.call(i);
            side.saw("loss", step(i));
            side.saw("model", model);
        }
    });
}

TEST(MemoryOutside, a_state_is_written_through_a_view_between_its_uses) {
    for (const Audit audit : {Audit::always, Audit::sampled})
        expect_same([&](Side& side) {
            Mlp model;
            SGD optimizer(0.1);
            optimizer.setup(model);
            const HeldMemory held = hold_memory(model.l1.W);
            float* const view = model.l1.W.array().data<float>();
            auto step = side.region(
                [&](const Variable& x) {
                    const Variable y = model(x);
                    view[0] = 2;
                    const Variable loss = sum(square(model(x) - y));
                    view[1] = 3;
                    learn(model, optimizer, loss);
                    return std::vector<Variable>{y, loss};
                },
                {.audit = audit});
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                side.saw("ys", step(batch(i, 2, 3)));
                side.saw("model", model);
                side.saw("seen", std::vector<float>(view, view + 12));
            }
        });
}

TEST(MemoryOutside, what_was_read_before_a_cut_is_read_again_after_it) {
    expect_same([](Side& side) {
        Outside w(9, {2, 3});
        auto f = side.region([&](const Variable& x) {
            Variable y = x + w.variable();
            w.numbers[0] += 1;
            const float seen = sum(y).array().item<float>();
            y = y + w.variable() * double(seen);
            w.numbers[1] += 1;
            return y + w.variable();
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 3)));
        }
    });
}

TEST(MemoryOutside, a_backward_outside_reads_what_eager_code_reads) {
    for (const bool writes : {true, false})
        expect_same([&](Side& side) {
            Outside x(9, {2, 3});
            const Variable k = Variable(batch(3, 2, 3).array(), true);
            auto f = side.region([&](int) {
                return sum(exp(tanh(k) * x.variable()) * transpose(x.variable()[{1}]));
            });
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                k.cleargrad();
                const Variable y = f(i);
                if (writes) x.numbers[4] += 1;
                y.backward();
                side.saw("y", y);
                side.saw_gradient("k", k);
            }
        });
}

TEST(MemoryOutside, a_failing_call_computes_with_what_was_there) {
    expect_same([](Side& side) {
        Outside w(9, {2, 3});
        State kept(batch(1, 2, 3).array());
        auto f = side.region([&](const Variable& x) {
            kept.set_array((x + w.variable()).array());
            w.numbers[0] += 10;
            return x + batch(1, 5, 7);
        });
        for (int i = 0; i < 3; ++i) {
            side.call(i);
            side.fails("f", [&] { f(batch(i, 2, 3)); });
            side.saw("kept", kept);
        }
    });
}

TEST(MemoryOutside, what_nobody_else_can_write_to_is_not_copied) {
    int asked = 0;
    std::vector<float> numbers = {1, 2, 3};
    const Variable x(foreign_array({.data = numbers.data(),
                                    .type = {Dtype::float32, {3}},
                                    .strides = {1},
                                    .others_may_write = [&] { return ++asked, false; }}),
                     false);
    auto f = static_graph([&](const Variable& x) {
        const Variable y = x * 2.0;
        numbers[0] = 10;  // Against its owner's word.
        return y;
    });
    EXPECT_EQ(f(x).array().to_vector<float>(), (std::vector<float>{20, 4, 6}));
    EXPECT_GT(asked, 0);
}

TEST(MemoryOutside, a_region_that_does_not_watch_memory_reads_it_once) {
    Outside w(9, {2});
    auto f = static_graph(
        [&](const Variable& x) {
            const Variable y = x + w.variable();
            w.numbers[0] = 10;
            return std::vector<Variable>{y, x + w.variable()};
        },
        {.watches_memory = false});
    w.numbers = {1, 2};
    for (const Variable& y : f(doubles({0, 0}, false).array().astype(Dtype::float32)))
        EXPECT_EQ(y.array().to_vector<float>(), (std::vector<float>{10, 2}));
}

TEST(MemoryOutside, a_pointer_that_is_gone_is_no_longer_watched) {
    const Variable x(Array::from({1.f, 2.f, 3.f}), false);
    {
        const HeldMemory held(x.array());
        EXPECT_TRUE(may_be_written(*x.array().storage()));
    }
    EXPECT_FALSE(may_be_written(*x.array().storage()));
    x.array().data<float>();
    EXPECT_TRUE(may_be_written(*x.array().storage()));
}

}  // namespace
}  // namespace catena::testing
