// Functions whose node holds the object of one call, in static regions.
#include <array>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"
#include "tests/frontend/user_functions.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(CaptureUserFunction, forward_may_make_arrays_by_hand) {
    expect_same([](Side& side) {
        Parameter w(Array::from<double>({1, 2, 3}), "w");
        auto f = side.region([&](const Variable& x) {
            const auto by_hand = make<Written>(
                "ByHand",
                [](Written& function, std::span<const Variable> xs) {
                    std::vector<double> values = read(xs[0].array());
                    for (double& v : values) v = v * v;
                    function.retain_outputs(std::array{0});
                    return Variables{Variable(Array::from(values, xs[0].shape()), false)};
                },
                [](Written& function, std::span<const int>, std::span<const Variable> gys) {
                    std::vector<double> values = read(gys[0].array());
                    const std::vector<double> x = read(function.retained_input(0).array()),
                                              y = read(function.retained_output(0).array());
                    for (size_t i = 0; i < values.size(); ++i) values[i] *= 2 * x[i] + 0 * y[i];
                    return Variables{Variable(Array::from(values, gys[0].shape()), false)};
                });
            return sum(called(by_hand, x * w) * w);
        });
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            w.cleargrad();
            const Variable y = f(doubles({0.5 * i, 2, 3}, false));
            side.saw("y", y);
            y.backward();
            side.saw_gradient("w", w);
        }
    });
}

TEST(CaptureUserFunction, throws_out_of_a_region_too) {
    const int64_t before = NodeFunction::alive();
    {
        bool in_forward = false, fails = false;
        auto step = static_graph([&](const Variable& x) {
            x.cleargrad();
            Variable h = called(make<Cube>(), x * 2.0);
            if (fails) h = called(throwing(in_forward), h);
            const Variable loss = sum(h * h);
            loss.backward();
            return loss;
        });
        const Variable x = doubles({1, 2});
        const double first = step(x).item<double>();
        step(x);
        fails = in_forward = true;
        EXPECT_EQ(code_of([&] { step(x); }), 7);
        in_forward = false;
        EXPECT_EQ(code_of([&] { step(x); }), 8);
        fails = false;
        EXPECT_EQ(step(x).item<double>(), first);
    }
    EXPECT_EQ(NodeFunction::alive(), before);
}

TEST(CaptureUserFunction, a_region_goes_on_after_what_its_code_has_caught) {
    expect_same([](Side& side) {
        Parameter w(Array::from<double>({1, 2}), "w");
        auto f = side.region([&](const Variable& x) {
            const Variable h = x * w;
            Variable y = h + 1.0;
            if (code_of([&] { y = called(throwing(true), h); }) == 7) y = y * 3.0;
            return sum(called(make<Cube>(), y));
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            w.cleargrad();
            const Variable y = f(doubles({0.5 * i, 2}, false));
            side.saw("y", y);
            y.backward();
            side.saw_gradient("w", w);
        }
    });
}

TEST(CaptureUserFunction, may_catch_what_another_throws) {
    expect_same([](Side& side) {
        Parameter w(Array::from<double>({1, 2}), "w");
        auto f = side.region([&](const Variable& x) {
            const auto careful = make<Written>(
                "Careful",
                [](Written&, std::span<const Variable> xs) {
                    Variable y = xs[0] * 2.0;
                    if (code_of([&] { y = called(throwing(true), y); }) == 7) y = y + 1.0;
                    return Variables{y};
                },
                [](Written&, std::span<const int>, std::span<const Variable> gys) {
                    return Variables{gys[0] * 2.0};
                });
            return sum(square(called(careful, x * w) * 0.5));
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            w.cleargrad();
            const Variable y = f(doubles({0.5 * i, 2}, false));
            side.saw("y", y);
            y.backward();
            side.saw_gradient("w", w);
        }
    });
}

TEST(CaptureUserFunction, runs_its_code_at_every_backward_of_a_region) {
    for (const bool inside : {false, true})
        expect_same([inside](Side& side) {
            const auto calls = std::make_shared<int>(0);
            Parameter w(Array::from<double>({1, 2, 3}), "w");
            auto f = side.region([&](const Variable& x) {
                const auto counting = make<Written>(
                    "Counting",
                    [](Written&, std::span<const Variable> xs) { return Variables{tanh(xs[0])}; },
                    [calls](Written& function, std::span<const int>,
                            std::span<const Variable> gys) {
                        return Variables{gys[0] * function.retained_input(0) * (1.0 / ++*calls)};
                    });
                Variable loss = sum(square(called(counting, x * w) * 2.0) * w);
                if (inside) {
                    w.cleargrad();
                    loss.backward();
                    w = w - Variable(w.grad(), false) * 0.1;
                }
                return loss;
            });
            for (int i = 0; i < 8; ++i) {
                side.call(i);
                const Variable loss = f(doubles({0.1 * i, 2, 3}, false));
                side.saw("loss", loss);
                if (!inside) {
                    w.cleargrad();
                    loss.backward();
                    side.saw_gradient("w", w);
                }
                side.saw("w", w);
                side.saw("calls", *calls);
            }
            f.expect_programs(1);
        });
}

TEST(CaptureUserFunction, is_named_where_a_region_tells_of_it) {
    const auto reading = [](bool in_forward) {
        return make<Written>(
            "Reading",
            [=](Written&, std::span<const Variable> xs) {
                return Variables{xs[0] * (in_forward ? read(xs[0].array())[0] : 2.0)};
            },
            [=](Written&, std::span<const int>, std::span<const Variable> gys) {
                return Variables{gys[0] * (in_forward ? 2.0 : read(gys[0].array())[0])};
            });
    };
    for (const bool in_forward : {true, false}) {
        auto step = static_graph([&](const Variable& x) {
            const Variable loss = sum(exp(called(reading(in_forward), x * 2.0)));
            loss.backward();
            return loss.detach();
        });
        for (int i = 0; i < 3; ++i) step(doubles({0.1 * i, 0.2}));
        const std::string name = in_forward ? ", in Reading" : ", in gradient of Reading";
        EXPECT_THAT(step.explain(), HasSubstr(name));
        EXPECT_THAT(refusal<ValueError>([&] { step.save(::testing::TempDir() + "none"); }),
                    HasSubstr(name));
    }
}

}  // namespace
}  // namespace catena::testing
