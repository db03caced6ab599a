// A package does what the last call did: with its numbers, with states that are assigned what the
// program has not computed, and not where one array stood for two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/program/file/program.h"
#include "tests/export/package_fixture.h"
#include "tests/support/two_states.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

class LastCall : public Package {};

Variable number(double x) { return Variable(Array::from({x}), false); }

TEST_F(LastCall, states_take_the_content_of_others_and_of_arguments) {
    const auto programs = programs_of_two_states();
    for (size_t p = 0; p < programs.size(); ++p) {
        SCOPED_TRACE(p);
        TwoStates eager, states;
        auto region = static_graph([&](const Variable& x) { return programs[p](states, x); });
        for (int i = 0; i < 2; ++i) region(number(i)), programs[p](eager, number(i));
        region.save(temporary("states.catena"), {.code_levels = {"scalar"}});
        Program program = Program::load(temporary("states.catena"));
        for (int i = 2; i < 8; ++i) {
            EXPECT_EQ(program.run({number(i).array()})[0].item<double>(),
                      programs[p](eager, number(i)).item<double>())
                << i;
            EXPECT_EQ(program.state("/t").item<double>(), eager.t.item<double>()) << i;
        }
    }
}

// As at the start of a step of Q-learning.
TEST_F(LastCall, a_copied_network_stays_as_it_was_copied) {
    Linear net(6, 2), target(6, 2), eager_net = net, eager_target = target;
    const auto step = [](Linear& q, Linear& t, const Variable& x) {
        t.copyparams(q);
        const Variable loss = sum(square(q(x) - t(x * 0.5)));
        q.cleargrads();
        loss.backward();
        const Variable g(q.W.grad(), false), gb(q.b.grad(), false);
        q.W = Variable(q.W.array(), false) - g * 0.1;
        q.b = Variable(q.b.array(), false) - gb * 0.1;
        q.cleargrads();
        t.cleargrads();
        return loss;
    };
    auto region = static_graph([&](const Variable& x) { return step(net, target, x); }, "q");
    for (int i = 0; i < 2; ++i) region(batch(i, 4)), step(eager_net, eager_target, batch(i, 4));
    region.save(temporary("q.catena"), {.code_levels = {"scalar"}});
    Program program = Program::load(temporary("q.catena"));
    for (int i = 2; i < 6; ++i)
        EXPECT_NEAR(program.run({batch(i, 4).array()})[0].item<double>(),
                    step(eager_net, eager_target, batch(i, 4)).item<double>(), 1e-5);
}

TEST_F(LastCall, numbers_are_those_of_the_last_call) {
    double factor = 2;
    auto region = static_graph([&](const Variable& x) { return x * factor; });
    const auto saved = [&](PackageOptions options) {
        options.code_levels = {"scalar"};
        region.save(temporary("numbers.catena"), options);
        return Program::load(temporary("numbers.catena"))
            .run({number(1).array()})[0]
            .item<double>();
    };
    region(number(1));
    factor = 3;
    region(number(1));
    EXPECT_EQ(saved({}), 3);
    region(Variable(Array::from({1.0, 2.0}), false));
    factor = 4;
    region(number(1));
    EXPECT_EQ(saved({}), 4) << "after another size";
    EXPECT_EQ(saved({.open_sizes = {{0, 0, "n"}}}), 4);
    auto with_argument = static_graph([](const Variable& x, double k) { return x * k; });
    with_argument(number(1), 2.0);
    with_argument(number(1), 5.0);
    with_argument.save(temporary("argument.catena"), {.code_levels = {"scalar"}});
    EXPECT_EQ(
        Program::load(temporary("argument.catena")).run({number(1).array()})[0].item<double>(), 5);
}

TEST_F(LastCall, arguments_that_were_one_array_are_refused) {
    auto region = static_graph([](const Variable& x, const Variable& y) { return x - y * 10.0; },
                               "difference");
    const Variable one = number(1);
    region(one, one);
    EXPECT_THAT(
        message_of([&] { region.save(temporary("x.catena")); }),
        HasSubstr("save: region difference: arguments 0 and 1 were one array when it was called"));
    region(one, number(2));
    region.save(temporary("x.catena"), {.code_levels = {"scalar"}});
    EXPECT_EQ(Program::load(temporary("x.catena"))
                  .run({number(1).array(), number(1).array()})[0]
                  .item<double>(),
              -9);
}

TEST_F(LastCall, a_read_on_the_host_is_named) {
    auto region = static_graph(
        [](const Variable& x) {
            const Variable y = sum(x);
            return y.item<double>() > 0 ? y * 2.0 : y;
        },
        "cut");
    for (int i = 0; i < 2; ++i) region(number(1));
    EXPECT_THAT(
        message_of([&] { region.save(temporary("x.catena")); }),
        HasSubstr("save: region cut reads a computed value on the host (last_call_test.cpp:"));
}

}  // namespace
}  // namespace catena::testing
