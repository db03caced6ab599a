// Results that have equal elements have memory of their own where eager results have.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"
#include "tests/support/memory.h"

namespace catena::testing {
namespace {

using Results = std::vector<Variable>;

/// Shows where the results and the argument lie, and all of them after each was written.
void expect_same_memory(const std::function<Results(const Variable&)>& code) {
    expect_same(
        [&](Side& side) {
            auto f = side.region(code);
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                const Variable x = batch(i, 2, 3);
                Results ys = f(x);
                ys.push_back(x);
                std::vector<Array> arrays;
                for (const Variable& y : ys) arrays.push_back(y.array());
                side.saw("memory", memory_of(arrays));
                for (size_t k = 0; k < ys.size(); ++k) {
                    arrays[k].data<float>()[0] = 50 + float(k);
                    side.saw("written", ys);
                }
            }
        },
        {.modes = all_modes});
}

TEST(MemoryCopies, copies_of_one_array_are_several) {
    expect_same_memory([](const Variable& x) { return Results{copy(x), copy(x), copy(x)}; });
}

TEST(MemoryCopies, copies_of_a_computed_value_are_several) {
    expect_same_memory([](const Variable& x) {
        const Variable y = tanh(x);
        return Results{y, copy(y), y, copy(copy(y))};
    });
}

TEST(MemoryCopies, equal_formulas_give_several_arrays) {
    expect_same_memory([](const Variable& x) {
        return Results{sum(x), sum(x), tanh(x), tanh(x), transpose(tanh(x))};
    });
}

TEST(MemoryCopies, what_changes_nothing_gives_another_array) {
    expect_same_memory([](const Variable& x) {
        const Variable c = x > 0.0;
        return Results{
            pad(x, Dims{0, 0}, Dims{0, 0}), maximum(x, x), where(c, x, x), x * 1.0, x + 0.0,
            transpose(copy(transpose(x)))};
    });
}

TEST(MemoryCopies, states_that_are_copies_of_one_weight_are_two) {
    expect_same(
        [](Side& side) {
            State a(batch(1, 2, 3).array()), b(batch(2, 2, 3).array()), w(batch(3, 2, 3).array());
            auto f = side.region([&](const Variable& x) {
                a = copy(w);
                assign(b, copy(w));
                return x * w;
            });
            for (int i = 0; i < 5; ++i) {
                side.call(i);
                side.saw("y", f(batch(i, 2, 3)));
                const std::vector<Array> arrays{a.array(), b.array(), w.array()};
                side.saw("memory", memory_of(arrays));
                a.array().data<float>()[0] = 50 + float(i);
                side.saw("a written", arrays);
                w.array().data<float>()[1] = 60 + float(i);
                side.saw("w written", arrays);
            }
        },
        {.modes = all_modes});
}

TEST(MemoryCopies, two_snapshots_of_a_model_are_two) {
    expect_same(
        [](Side& side) {
            Mlp model, first, second;
            model(batch(0, 2, 3));
            first = model;
            second = model;
            const auto take = [&](Mlp& snapshot) {
                auto from = model.params(), to = snapshot.params();
                for (size_t k = 0; k < from.size(); ++k) to[k]->set_array(copy(*from[k]).array());
            };
            auto f = side.region([&](const Variable& x) {
                take(first);
                take(second);
                return model(x);
            });
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                side.saw("y", f(batch(i, 2, 3)));
                std::vector<Array> arrays;
                for (const Mlp* m : {&model, &first, &second})
                    for (const Parameter* p : m->params()) arrays.push_back(p->array());
                side.saw("memory", memory_of(arrays));
                for (const Array& array : arrays) array.data<float>()[0] += 1;
                side.saw("written", arrays);
            }
        },
        {.modes = all_modes});
}

}  // namespace
}  // namespace catena::testing
