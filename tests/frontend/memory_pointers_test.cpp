// Pointers that code takes inside of a region and writes through later: operations read what was
// there when they were called.
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"
#include "tests/support/memory.h"

namespace catena::testing {
namespace {

TEST(MemoryPointers, a_pointer_that_is_taken_before_the_first_use_may_be_written_after_it) {
    expect_same(
        [](Side& side) {
            const Variable w = batch(9, 2, 3);
            auto f = side.region([&](const Variable& x) {
                float* p = w.array().data<float>();
                const Variable y = x + w;
                p[0] = 100;
                const Variable z = x + w;
                p[0] = 200;
                return std::vector<Variable>{y, z, x * w};
            });
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                side.saw("ys", f(batch(i, 2, 3)));
                side.saw("w", w);
            }
            if (auto counts = f.counts()) {
                EXPECT_EQ(counts->cuts, 0) << f.explain();
            }
        },
        {.modes = all_modes});
}

TEST(MemoryPointers, a_staging_buffer_is_filled_again_for_each_step_of_an_lstm) {
    expect_same(
        [](Side& side) {
            RecurrentNet net;
            const Array staging = Array::zeros({Dtype::float32, {2, 3}});
            auto f = side.region([&](int call) {
                net.lstm.reset_state();
                float* p = staging.data<float>();
                Variable y;
                for (int t = 0; t < 4; ++t) {
                    for (int64_t i = 0; i < staging.size(); ++i)
                        p[i] = float(i) * 0.1f + float(t) - 0.2f * float(call);
                    y = net(Variable(staging, false));
                }
                return y;
            });
            auto mode = no_backprop_mode();
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                side.saw("y", f(i));
            }
        },
        {.modes = all_modes});
}

TEST(MemoryPointers, a_pointer_to_a_computed_array_and_to_views_of_it) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            const Variable y = tanh(x);
            float* p = y.array().data<float>();
            const Variable t = transpose(y), a = t * 2.0, b = reshape(t, {6}), c = reshape(y, {6});
            p[1] = 100;
            const Variable d = t * 2.0;
            p[2] = 200;
            return std::vector<Variable>{y, t, a, b, c, d};
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            const std::vector<Variable> ys = f(batch(i, 2, 3));
            side.saw("ys", ys);
            std::vector<Array> arrays;
            for (const Variable& y : ys) arrays.push_back(y.array());
            side.saw("memory", memory_of(arrays));
        }
    });
}

TEST(MemoryPointers, arrays_that_are_filled_and_dropped_leave_nothing_behind) {
    expect_same(
        [](Side& side) {
            State kept(batch(1, 2, 3).array());
            auto f = side.region([&](const Variable& x) {
                Variable y = x;
                for (int k = 0; k < 4; ++k) {
                    const Array made = Array::zeros({Dtype::float32, {2, 3}});
                    made.data<float>()[k] = float(k);
                    y = tanh(y + Variable(made, false)) * 2.0;
                }
                float* p = kept.array().data<float>();
                y = y + kept;
                p[0] = 3;
                kept.set_array((kept * 0.5 + y).array());
                return y;
            });
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                side.saw("y", f(batch(i, 2, 3)));
                side.saw("kept", kept);
            }
        },
        {.modes = all_modes});
}

TEST(MemoryPointers, a_call_with_a_pointer_is_not_skipped) {
    expect_same([](Side& side) {
        const Variable w = batch(9, 2, 3);
        int calls = 0;
        auto f = side.region(
            [&](const Variable& x) {
                float* p = w.array().data<float>();
                const Variable y = x + w;
                p[0] = float(++calls);
                return y;
            },
            {.audit = Audit::never});
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            side.saw("y", f(batch(i, 2, 3)));
            side.saw("calls", calls);
        }
    });
}

}  // namespace
}  // namespace catena::testing
