#include "frontend/link/chain.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Scale : Link {
    Parameter a, b;
    State seen{Array::zeros({Dtype::int64, {}})};
    explicit Scale(double value = 1.0) : a(Initializer(value), Shape{2}), b(Initializer(0.5)) {
        add_param("b", b);
        add_param("a", a);
        add_persistent("seen", seen);
    }
    Variable operator()(const Variable& x) { return x * a; }
};

struct Pair : Chain {
    Scale second{2.0}, first{3.0};
    Pair() { add_children({{"second", second}, {"first", first}}); }
    Variable operator()(const Variable& x) { return second(first(x)); }
};

struct Nested : Chain {
    Pair inner;
    Scale last{5.0};
    Nested() { add_children({{"inner", inner}, {"last", last}}); }
};

std::vector<std::string> paths(const Link& link) {
    std::vector<std::string> found;
    for (auto& [path, param] : link.namedparams()) found.push_back(path);
    return found;
}

std::vector<float> values(const Variable& v) { return v.array().to_vector<float>(); }

Variable vector(std::initializer_list<float> elements) {
    return Variable(Array::from<float>(elements));
}

TEST(Link, names_parameters_by_path_sorted_by_name_within_each_link) {
    Nested net;
    EXPECT_THAT(paths(net), ElementsAre("/inner/first/a", "/inner/first/b", "/inner/second/a",
                                        "/inner/second/b", "/last/a", "/last/b"));
    EXPECT_EQ(net.inner.first.a.name(), "/inner/first/a");
    EXPECT_EQ(net.namedpersistents()[0].first, "/inner/first/seen");
}

TEST(Link, leaves_uninitialised_parameters_out_when_asked) {
    Scale scale;
    EXPECT_EQ(scale.params().size(), 2u);
    EXPECT_THAT(scale.params(false), ElementsAre(&scale.a));
    EXPECT_EQ(scale.count_params(), 2);
}

TEST(Link, lists_itself_first_among_its_links) {
    Pair pair;
    auto named = pair.namedlinks();
    ASSERT_EQ(named.size(), 3u);
    EXPECT_EQ(named[0].first, "/");
    EXPECT_EQ(named[1].first, "/first");
    EXPECT_EQ(named[1].second, &pair.first);
    EXPECT_THAT(pair.links(true), ElementsAre(&pair.first, &pair.second));
    EXPECT_EQ(&pair["second"], &pair.second);
}

TEST(Link, refuses_a_name_that_is_taken_and_names_the_children_there_are) {
    struct Twice : Link {
        Parameter a;
        Twice() {
            add_param("a", a);
            add_param("a", a);
        }
    };
    EXPECT_THROW(Twice(), ValueError);
    Pair pair;
    try {
        pair["third"];
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("first, second"));
    }
}

TEST(Link, a_copy_lists_its_own_members_and_shares_nothing_that_changes) {
    Nested original;
    Nested copied = original;
    EXPECT_EQ(paths(copied), paths(original));
    EXPECT_EQ(copied.children()[0], &copied.inner);
    EXPECT_EQ(copied.inner.children()[0], &copied.inner.first);
    EXPECT_EQ(copied.params()[0], &copied.inner.first.a);
    EXPECT_NE(copied.inner.first.a.body(), original.inner.first.a.body());

    copied.inner.first.a.set_array(Array::from<float>({7, 8}));
    EXPECT_THAT(values(original.inner.first.a), ElementsAre(3, 3));
    copied.disable_update();
    EXPECT_TRUE(original.update_enabled());
}

TEST(Link, a_moved_link_keeps_the_identity_of_its_parameters) {
    Pair original;
    VariableBody* identity = original.first.a.body();
    Pair moved = std::move(original);
    EXPECT_EQ(moved.first.a.body(), identity);
    EXPECT_EQ(moved.params()[0], &moved.first.a);
}

TEST(Link, assigning_a_link_takes_values_and_keeps_identities) {
    Pair one, other;
    other.first.a.set_array(Array::from<float>({7, 8}));
    VariableBody* identity = one.first.a.body();
    one = other;
    EXPECT_EQ(one.first.a.body(), identity);
    EXPECT_THAT(values(one.first.a), ElementsAre(7, 8));
    EXPECT_EQ(one.params()[0], &one.first.a);
}

TEST(Link, cannot_be_assigned_through_its_base_class_where_nothing_would_change) {
    static_assert(!std::is_copy_assignable_v<Link> && !std::is_move_assignable_v<Link> &&
                  !std::is_assignable_v<Link&, Pair>);
    static_assert(!std::is_copy_assignable_v<Chain> && !std::is_move_assignable_v<Chain> &&
                  !std::is_assignable_v<Chain&, Pair>);
    static_assert(std::is_copy_assignable_v<Pair> && std::is_move_assignable_v<Pair> &&
                  !std::is_assignable_v<Scale&, Pair>);
}

TEST(Link, a_copy_that_lost_a_child_says_which) {
    Scale outside;
    struct Holder : Chain {
        explicit Holder(Link& link) { add_child("guest", link); }
    };
    Holder holder(outside);
    EXPECT_EQ(holder.params().size(), 2u);
    Holder copied = holder;
    try {
        copied.params();
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'guest' is not a member"));
    }
}

TEST(Link, refuses_to_list_the_parameter_of_another_link) {
    Scale other;
    struct Borrower : Link {
        explicit Borrower(Parameter& theirs) { add_param("mine", theirs); }
    };
    try {
        Borrower borrower(other.a);
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("Borrower: 'mine' is another link's parameter"));
    }
    EXPECT_EQ(Scale(other).params().size(), 2u);  // Its copies list theirs as before.
}

TEST(Link, copy_modes_share_copy_and_draw_anew) {
    Pair original;
    original.first.a.set_array(Array::from<float>({7, 8}));
    Pair shared = copy(original, CopyMode::share);
    Pair same = copy(original, CopyMode::copy);
    Pair fresh = copy(original, CopyMode::init);
    EXPECT_EQ(shared.first.a.body(), original.first.a.body());
    EXPECT_NE(same.first.a.body(), original.first.a.body());
    EXPECT_THAT(values(same.first.a), ElementsAre(7, 8));
    EXPECT_THAT(values(fresh.first.a), ElementsAre(3, 3));
}

TEST(Link, a_shared_copy_has_the_same_update_flags) {
    Pair original;
    Pair shared = copy(original, CopyMode::share), same = copy(original, CopyMode::copy);
    original.first.disable_update();
    EXPECT_FALSE(shared.first.a.update_enabled());
    EXPECT_TRUE(shared.second.a.update_enabled());
    EXPECT_TRUE(same.first.a.update_enabled());
    shared.second.a.set_update_enabled(false);
    EXPECT_FALSE(original.second.a.update_enabled());
}

TEST(Link, copyparams_copies_values_and_refuses_another_structure) {
    Pair one, other;
    other.second.a.set_array(Array::from<float>({7, 8}));
    one.copyparams(other);
    EXPECT_THAT(values(one.second.a), ElementsAre(7, 8));
    EXPECT_NE(one.second.a.body(), other.second.a.body());
    Nested nested;
    EXPECT_THROW(one.copyparams(nested), ValueError);
}

TEST(Link, gradients_are_cleared_zeroed_and_added) {
    Pair one, other;
    one(vector({1, 2}));
    Variable y = one(vector({1, 2}));
    y.set_grad(Array::from<float>({1, 1}));
    y.backward();
    EXPECT_THAT(values(Variable(one.first.a.grad())), ElementsAre(2, 4));
    other.zerograds();
    other.first.b.initialize({2});
    one.first.b.initialize({2});
    other.addgrads(one);
    EXPECT_THAT(values(Variable(other.first.a.grad())), ElementsAre(2, 4));
    one.cleargrads();
    EXPECT_FALSE(one.first.a.grad().defined());
}

TEST(Link, moves_parameters_and_persistents_between_devices) {
    Pair pair;
    pair.to_device("meta");
    EXPECT_TRUE(pair.first.a.device().is_meta());
    EXPECT_TRUE(pair.first.seen.device().is_meta());
    EXPECT_THROW(pair.to_device("nowhere"), DeviceError);
}

TEST(Link, prints_its_structure) {
    Pair pair;
    EXPECT_EQ(to_string(pair), "Pair(\n  (first): Scale(),\n  (second): Scale(),\n)");
    std::ostringstream out;
    out << pair << '\n' << static_cast<const Link&>(pair);
    EXPECT_EQ(out.str(), to_string(pair) + '\n' + to_string(pair));
}

TEST(Parameter, initialises_once_and_refuses_another_shape) {
    Parameter p(initializers::Constant(2.0));
    EXPECT_FALSE(p.is_initialized());
    p.initialize({3});
    p.initialize({3});
    EXPECT_THAT(values(p), ElementsAre(2, 2, 2));
    EXPECT_TRUE(p.body()->is_state);
    EXPECT_THROW(p.initialize({4}), ShapeError);
}

TEST(Parameter, takes_the_dtype_of_its_initializer_or_of_the_configuration) {
    auto scope = using_config(&Config::dtype, Dtype::float64);
    EXPECT_EQ(Parameter(initializers::Zero(), Shape{2}).dtype(), Dtype::float64);
    EXPECT_EQ(Parameter(initializers::Zero(Dtype::float16), Shape{2}).dtype(), Dtype::float16);
}

TEST(Parameter, assignment_through_a_handle_is_seen_by_the_parameter) {
    Parameter p(initializers::Zero(), Shape{2});
    Variable handle = p;
    assign(handle, vector({1, 2}));
    EXPECT_THAT(values(p), ElementsAre(1, 2));
}

}  // namespace
}  // namespace catena
