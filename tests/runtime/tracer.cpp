#include "runtime/graph/trace/tracer.h"

#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/variable_math.h"

namespace catena {
namespace {

Variable leaf(std::initializer_list<double> values) {
    return Variable(Array::from<double>(values));
}

TEST(Tracer, records_ops_with_the_line_of_the_user) {
    Variable x = leaf({1, 2});
    Tracer tracer(false);
    tracer.add_argument(x.array(), "x");
    RecorderScope scope(&tracer);
    Variable y = exp(x) * 2.0;
    const Trace& t = tracer.trace();
    ASSERT_EQ(t.steps.size(), 2u);
    EXPECT_EQ(t.steps[0].op->name, "exp");
    EXPECT_EQ(t.steps[1].inputs, t.steps[0].outputs);
    EXPECT_NE(std::string(t.steps[0].location.file).find("tracer.cpp"), std::string::npos);
    EXPECT_EQ(t.scalars.at(0).value, 2.0);
}

TEST(Tracer, shape_only_computes_nothing_and_puts_back) {
    Variable w = leaf({1, 2});
    w.body()->is_state = true;
    bind_state(*w.body(), w.array());
    {
        Tracer tracer(true);
        RecorderScope scope(&tracer);
        Variable y = w * w;
        EXPECT_TRUE(y.device().is_meta());
        y.set_grad(Array::empty(y.type(), y.device()));
        y.backward();
        EXPECT_TRUE(w.grad().defined());
        assign(w, y);
        EXPECT_TRUE(w.device().is_meta());
    }
    EXPECT_FALSE(w.grad().defined());
    EXPECT_EQ(w.array().to_vector<double>(), (std::vector<double>{1, 2}));
    EXPECT_EQ(w.array().body()->owner, w.body());
}

TEST(Tracer, states_captured_arrays_and_assignments_are_told_apart) {
    Variable w = leaf({1, 2});
    w.body()->is_state = true;
    bind_state(*w.body(), w.array());
    Array table = Array::from<double>({5, 6});
    Tracer tracer(false);
    RecorderScope scope(&tracer);
    assign(w, w * table);
    const Trace& t = tracer.trace();
    ASSERT_EQ(t.inputs.size(), 2u);
    EXPECT_EQ(t.values[t.inputs[0]].role, Trace::Role::state);
    EXPECT_EQ(t.values[t.inputs[1]].role, Trace::Role::captured);
    ASSERT_EQ(t.assigns.size(), 1u);
    EXPECT_EQ(t.assigns[0].target, t.inputs[0]);
}

TEST(Tracer, a_host_read_of_a_traced_value_is_an_error_with_the_line) {
    Variable x = leaf({1});
    Tracer tracer(false);
    tracer.add_argument(x.array(), "x");
    RecorderScope scope(&tracer);
    Variable y = x * 2.0;
    try {
        y.item<double>();
        FAIL() << "no error";
    } catch (const TraceError& e) {
        EXPECT_NE(std::string(e.what()).find("tracer.cpp:"), std::string::npos) << e.what();
    }
}

TEST(Tracer, a_gradient_from_before_is_an_input_of_its_own_kind) {
    Variable w = leaf({1});
    w.body()->is_state = true;
    bind_state(*w.body(), w.array());
    w.set_grad(Array::from<double>({7}));
    Tracer tracer(true);
    RecorderScope scope(&tracer);
    (w * 2.0).backward();
    const Trace& t = tracer.trace();
    int gradients = 0;
    for (int v : t.inputs) gradients += t.values[v].role == Trace::Role::gradient;
    EXPECT_EQ(gradients, 1);
}

TEST(Tracer, structure_does_not_depend_on_sizes_or_scalars) {
    auto hash = [](std::initializer_list<double> values, double factor, bool twice) {
        Variable x = leaf(values);
        Tracer tracer(true);
        tracer.add_argument(x.array(), "x");
        RecorderScope scope(&tracer);
        Variable y = exp(x) * factor;
        if (twice) y = exp(y);
        return tracer.trace().structure_hash();
    };
    EXPECT_EQ(hash({1, 2}, 2, false), hash({1, 2, 3}, 5, false));
    EXPECT_NE(hash({1, 2}, 2, false), hash({1, 2}, 2, true));
}

}  // namespace
}  // namespace catena
