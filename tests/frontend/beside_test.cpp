// The tests of this folder that compare two runs are worth as much as the comparison.
#include "tests/support/beside.h"

#include <gtest/gtest-spi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

std::string differ(const std::function<void(Side&)>& a, const std::function<void(Side&)>& b) {
    Side plain, compiled(CompileMode::now);
    a(plain);
    b(compiled);
    return difference(plain.sightings(), compiled.sightings());
}

TEST(Beside, names_call_and_value_of_a_difference) {
    auto shows = [](double last) {
        return [last](Side& side) {
            for (int i = 0; i < 4; ++i) {
                side.call(i);
                side.saw("weights", doubles({1, 2, i == 3 ? last : 3}));
            }
        };
    };
    EXPECT_EQ(differ(shows(3), shows(3 + 1e-12)), "");
    const std::string found = differ(shows(3), shows(3.01));
    EXPECT_THAT(found, HasSubstr("call 3: weights at element 2: 3 plain, 3.01 compiled"));
}

TEST(Beside, shapes_dtypes_and_what_is_missing_differ) {
    auto show = [](const Array& array) { return [array](Side& side) { side.saw("y", array); }; };
    const Array ones = Array::full({Dtype::float32, {2}}, 1);
    EXPECT_EQ(differ(show(ones), show(Array::full({Dtype::float32, {2}}, 1))), "");
    EXPECT_NE(differ(show(ones), show(Array::full({Dtype::float32, {2, 1}}, 1))), "");
    EXPECT_NE(differ(show(ones), show(Array::full({Dtype::float64, {2}}, 1))), "");
    EXPECT_NE(differ(show(ones), show(Array())), "");
    EXPECT_NE(differ(show(ones), [](Side&) {}), "");
    EXPECT_NE(differ([](Side&) {}, show(ones)), "");
}

TEST(Beside, integers_texts_and_infinities_differ_exactly) {
    auto show = [](auto value) { return [value](Side& side) { side.saw("v", value); }; };
    EXPECT_EQ(differ(show(NAN), show(NAN)), "");
    EXPECT_NE(differ(show(NAN), show(1.0)), "");
    EXPECT_EQ(differ(show(INFINITY), show(INFINITY)), "");
    EXPECT_NE(differ(show(INFINITY), show(-INFINITY)), "");
    EXPECT_NE(differ(show(1000000), show(1000001)), "");
    EXPECT_NE(differ(show("a"), show("b")), "");
}

TEST(Beside, a_gradient_that_was_used_up_stands_for_one_that_is_there_only) {
    Parameter w(Array::from<double>({1}), "w");
    struct Net : Link {
        Parameter w{Array::from<double>({1}), "w"};
        Net() { add_param("w", w); }
    };
    auto show = [](bool gradient, bool consumed) {
        return [=](Side& side) {
            Net net;
            if (gradient) net.w.set_grad(Array::from<double>({5}));
            net.w.body()->grad_consumed = consumed;
            side.saw("net", net);
        };
    };
    EXPECT_EQ(differ(show(true, false), show(true, true)), "");
    EXPECT_NE(differ(show(false, false), show(true, true)), "");
    EXPECT_NE(differ(show(true, false), show(false, false)), "");
}

TEST(Beside, a_test_fails_whose_runs_differ_or_whose_compiled_run_throws) {
    EXPECT_NONFATAL_FAILURE(expect_same([](Side& side) { side.saw("side", side.compiled()); }),
                            "call 0: side");
    EXPECT_NONFATAL_FAILURE(expect_same([](Side& side) {
                                side.saw("before", 1);
                                side.call(2);
                                if (side.compiled()) fail<ValueError>("no such thing");
                            }),
                            "call 2: the compiled run throws ValueError: no such thing");
    EXPECT_NONFATAL_FAILURE(expect_same([](Side&) {}), "shows nothing");
}

TEST(Beside, both_runs_begin_with_the_same_random_numbers) {
    expect_same([](Side& side) {
        Mlp model;
        side.saw("model", model);
        side.saw("noise", random_uniform({5}));
        side.saw_random_state();
    });
}

}  // namespace
}  // namespace catena::testing
