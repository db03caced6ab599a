// What lives only because of a variable, and copies of variables that share nothing.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/deep_copy.h"
#include "runtime/graph/node/owned_objects.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/custom/forget_objects.h"
#include "runtime/ops/custom/user_function.h"
#include "tests/frontend/capture_models.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Owns an object of another language, and perhaps a variable.
class Owner : public UserFunction {
public:
    explicit Owner(int& object, Variable held = {}) : object_(&object), held_(std::move(held)) {}
    std::string_view name() const override { return "Owner"; }
    Variables forward(std::span<const Variable> xs) override { return {xs[0] * 2.0, xs[0] * 3.0}; }
    Variables backward(std::span<const int>, std::span<const Variable> gys) override {
        return {gys[0]};
    }
    void visit(OwnedVisitor& visitor) const override {
        visitor.object(object_);
        if (held_.defined()) visitor.variable(held_);
    }

private:
    int* object_;
    Variable held_;
};

Variables owned_by(int& object, const Variable& x, Variable held = {}) {
    return call_user_function(make_ref<Owner>(object, std::move(held)), {&x, 1});
}

std::vector<void*> owned_of(const Variable& x, uint32_t handles = 1) {
    std::vector<void*> found;
    visit_owned_objects(x, [&](void* object) { found.push_back(object); }, handles);
    return found;
}

TEST(OwnedObjects, are_found_through_the_graph_of_their_only_owner) {
    int first = 0, second = 0;
    const Variable x = doubles({1, 2});
    const Variable y = [&] {
        const Variable h = owned_by(first, x)[0];
        return sum(owned_by(second, h * 2.0)[1] + h);  // Two ways lead to the first.
    }();
    EXPECT_THAT(owned_of(y), UnorderedElementsAre(&first, &second));
    EXPECT_THAT(owned_of(x), IsEmpty());
    EXPECT_THAT(owned_of(Variable()), IsEmpty());
}

TEST(OwnedObjects, of_a_function_that_backward_calls_again_are_found) {
    int object = 0, behind = 0;
    Variable y = [&] {
        const Variable x = owned_by(behind, doubles({1, 2}))[0];
        return forget_with_objects(
            [](std::span<const Variable> xs) { return Variables{exp(xs[0])}; }, {&x, 1},
            [&](OwnedVisitor& visitor) { visitor.object(&object); },
            std::source_location::current())[0];
    }();
    EXPECT_THAT(owned_of(y), UnorderedElementsAre(&object, &behind));
    y.set_grad(Array::full(y.type(), 1.0));
    y.backward();
    EXPECT_THAT(owned_of(y), UnorderedElementsAre(&object, &behind));
}

TEST(OwnedObjects, of_several_owners_are_those_of_none) {
    int object = 0;
    const Variable x = doubles({1, 2});
    Variables ys = owned_by(object, x);
    EXPECT_THAT(owned_of(ys[0]), IsEmpty());  // The other result holds the node, too.
    ys.pop_back();
    EXPECT_THAT(owned_of(ys[0]), ElementsAre(&object));
    {
        const Variable other = ys[0];
        EXPECT_THAT(owned_of(ys[0]), IsEmpty());
        EXPECT_THAT(owned_of(ys[0], 2), ElementsAre(&object));
    }
    const Variable z = ys[0] * 2.0;
    EXPECT_THAT(owned_of(z), IsEmpty());      // ys[0] holds it, too,
    EXPECT_THAT(owned_of(ys[0]), IsEmpty());  // and z holds the node of ys[0].
    ys.clear();
    EXPECT_THAT(owned_of(z), ElementsAre(&object));
}

TEST(OwnedObjects, own_others_by_their_variables_and_gradients) {
    int outer = 0, inner = 0, of_gradient = 0;
    const Variable x = doubles({1, 2});
    Variable y = owned_by(outer, x, owned_by(inner, x)[0])[0];
    EXPECT_THAT(owned_of(y), UnorderedElementsAre(&outer, &inner));
    y.set_grad_variable(owned_by(of_gradient, x)[0]);
    EXPECT_THAT(owned_of(y), UnorderedElementsAre(&outer, &inner, &of_gradient));
}

TEST(OwnedObjects, are_freed_with_the_handle) {
    int object = 0;
    const int64_t before = NodeFunction::alive();
    Variable y = owned_by(object, doubles({1, 2}))[0];
    EXPECT_EQ(NodeFunction::alive(), before + 1);
    y = Variable();
    EXPECT_EQ(NodeFunction::alive(), before);
    y = owned_by(object, doubles({1, 2}))[0];
    y.unchain();
    EXPECT_EQ(NodeFunction::alive(), before);
}

TEST(DeepCopy, of_a_leaf_shares_nothing) {
    const Variable x = doubles({1, 2});
    x.set_name("x");
    x.set_grad(Array::from<double>({5, 6}));
    const Variable y = deep_copy(x);
    EXPECT_TRUE(y.requires_grad());
    EXPECT_EQ(y.name(), "x");
    x.array().data<double>()[0] = 9;
    x.grad().data<double>()[0] = 9;
    EXPECT_THAT(y.array().to_vector<double>(), ElementsAre(1, 2));
    EXPECT_THAT(y.grad().to_vector<double>(), ElementsAre(5, 6));
    EXPECT_FALSE(deep_copy(doubles({1}, false)).requires_grad());
    EXPECT_FALSE(deep_copy(doubles({1})).grad().defined());
    EXPECT_FALSE(deep_copy(Variable()).defined());
}

TEST(DeepCopy, of_a_state_is_another_state) {
    const State s(Array::from<double>({1, 2}));
    const Variable copy = deep_copy(s);
    EXPECT_TRUE(copy.body()->is_state);
    assign(s, doubles({3, 4}, false));
    EXPECT_THAT(copy.array().to_vector<double>(), ElementsAre(1, 2));
    EXPECT_FALSE(deep_copy(State()).array().defined());
}

TEST(DeepCopy, of_a_parameter_is_one_with_its_own_elements) {
    Parameter w(Array::from<double>({1, 2}), "w");
    w.set_grad(Array::from<double>({5, 6}));
    w.set_update_enabled(false);
    const Parameter copy = deep_copy(w);
    w.array().data<double>()[0] = 9;
    w.grad().data<double>()[0] = 9;
    w.set_update_enabled(true);
    EXPECT_THAT(copy.array().to_vector<double>(), ElementsAre(1, 2));
    EXPECT_THAT(copy.grad().to_vector<double>(), ElementsAre(5, 6));
    EXPECT_FALSE(copy.update_enabled());
    EXPECT_EQ(copy.name(), "w");
    Parameter empty = deep_copy(Parameter(Initializer(3.0)));
    EXPECT_FALSE(empty.is_initialized());
    empty.initialize({2});
    EXPECT_THAT(empty.array().to_vector<float>(), ElementsAre(3, 3));
}

TEST(DeepCopy, of_what_was_computed_is_refused) {
    const Variable y = doubles({1, 2}) * 2.0;
    EXPECT_THAT(refusal<ValueError>([&] { deep_copy(y); }),
                HasSubstr("deep_copy: x float64[2] was computed by multiply_scalar, and its graph "
                          "cannot be copied; only leaves have deep copies"));
    EXPECT_THAT(deep_copy(y.detach()).array().to_vector<double>(), ElementsAre(2, 4));
}

TEST(DeepCopy, may_be_a_part_of_a_region) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            const Variable y = x * 2.0;
            const Variable copied = deep_copy(y.detach());
            copied.set_grad(Array::from<double>({1, 1}));
            return copied * 3.0 + y;
        });
        for (int i = 0; i < 4; ++i) {
            side.call(i);
            side.saw("y", f(doubles({0.5 * i, 2}, false)));
        }
    });
}

}  // namespace
}  // namespace catena::testing
