// What an update does not reach, and what no optimizer has, is named.
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"
#include "tests/reject/rejection.h"
#include "tests/support/said.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Untrained, an_update_without_any_gradient_says_so_once) {
    Linear model(2, 1);
    RMSprop optimizer;
    optimizer.setup(model);
    const std::string text = said([&] {
        optimizer.update();
        optimizer.update();
    });
    EXPECT_THAT(text, HasSubstr("RMSprop: update: no parameter of Linear has a gradient"));
    EXPECT_EQ(text.find("no parameter"), text.rfind("no parameter"));
    EXPECT_EQ(optimizer.t(), 2);
    model.disable_update();
    AdaGrad frozen;
    frozen.setup(model);
    EXPECT_THAT(said([&] { frozen.update(); }), IsEmpty()) << "which is meant";
}

TEST(Untrained, parameters_that_the_first_update_does_not_reach_are_named) {
    Mlp model;
    AdaDelta optimizer;
    optimizer.setup(model);
    const auto part = [&] { learn(model, optimizer, sum(model.l1(batch(1, 2, 3)))); };
    EXPECT_THAT(said(part), HasSubstr("AdaDelta: update: no gradient has reached /l2/W, /l2/b of "
                                      "Mlp, so they stay as they are"));
    EXPECT_THAT(said(part), IsEmpty());
    model.l2.disable_update();
    SMORMS3 other;
    other.setup(model);
    EXPECT_THAT(said([&] { learn(model, other, sum(model.l1(batch(1, 2, 3)))); }), IsEmpty());
}

/// Layers where no link sees them.
struct Hidden : Chain {
    Linear listed{3, 3};
    std::vector<Linear> list;
    std::map<std::string, Linear> table;
    std::unique_ptr<Linear> pointer = std::make_unique<Linear>(3, 7);
    std::optional<Linear> maybe;
    Hidden() {
        add_children({{"listed", listed}});
        list.emplace_back(3, 5);
        table.emplace("a", Linear(3, 6));
    }
    Variable operator()(const Variable& x) {
        return sum(listed(x)) + sum(list[0](x)) + sum(table.at("a")(x)) + sum((*pointer)(x));
    }
};

TEST(Untrained, layers_that_no_link_lists_are_named_at_the_first_update) {
    Hidden model;
    SGD sgd(0.1);
    sgd.setup(model);
    const std::string text = said([&] { learn(model, sgd, model(batch(1, 2, 3))); });
    EXPECT_THAT(
        text, AllOf(HasSubstr("SGD: update: gradients have reached parameters that no "
                              "optimizer has"),
                    HasSubstr("/W float32[5,3]"), HasSubstr("and 2 more"), HasSubstr("ChainList")));
    EXPECT_THAT(said([&] { learn(model, sgd, model(batch(1, 2, 3))); }), IsEmpty());
    model.maybe.emplace(3, 8);
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(model); }), HasSubstr("Linear("));
}

/// A pointer to one, and a list.
struct Pointing : Chain {
    Linear listed{3, 9};
    std::unique_ptr<Linear> pointer = std::make_unique<Linear>(3, 10);
    std::vector<Linear> list;
    Linear* other = nullptr;
    ChainList layers{Linear(3, 9)};
    Pointing() {
        add_children({{"listed", listed}, {"layers", layers}});
        list.emplace_back(3, 11);
    }
    void leave_out_all() {
        leave_out(*pointer);
        leave_out(list[0]);
    }
};

TEST(Untrained, layers_behind_a_pointer_are_named_at_setup_and_when_they_are_saved) {
    Pointing model, saved, meant;
    Linear listed_elsewhere(3, 12), of_an_optimizer(3, 13);
    model.other = &of_an_optimizer;
    SGD sgd(0.1);
    sgd.setup(of_an_optimizer);
    const auto names_both = AllOf(
        HasSubstr("Pointing: a pointer or a container in it leads to Linear("), HasSubstr("=10"),
        HasSubstr("=11"), Not(HasSubstr("=13")), Not(HasSubstr("=9")), HasSubstr("ChainList"));
    EXPECT_THAT(said([&] { sgd.setup(model); }), names_both);
    EXPECT_THAT(said([&] { sgd.setup(model); }), IsEmpty()) << "once";
    meant.pointer = std::make_unique<Linear>(3, 14);
    meant.leave_out_all();
    EXPECT_THAT(said([&] { sgd.setup(meant); }), IsEmpty());
    saved.pointer = std::make_unique<Linear>(3, 15);
    const std::string path = ::testing::TempDir() + "pointing.npz";
    EXPECT_THAT(said([&] { save_npz(path, saved); }), HasSubstr("=15"));
}

TEST(Untrained, what_another_optimizer_has_is_not_lost) {
    Mlp model;
    AdaGrad first, second;
    first.setup(model.l1);
    second.setup(model.l2);
    EXPECT_THAT(said([&] {
                    model.cleargrads();
                    sum(model(batch(1, 2, 3))).backward();
                    first.update();
                    second.update();
                }),
                Not(HasSubstr("no optimizer has")));
}

TEST(Untrained, copies_whose_gradients_are_added_up_are_not_lost) {
    Mlp model, copied = model;
    SGD sgd(0.1);
    sgd.setup(model);
    EXPECT_THAT(said([&] {
                    model.cleargrads();
                    copied.cleargrads();
                    sgd.backward_part(sum(model(batch(1, 2, 3))));
                    sgd.backward_part(sum(copied(batch(2, 2, 3))));
                    model.addgrads(copied);
                    sgd.update();
                }),
                Not(HasSubstr("no optimizer has")));
}

}  // namespace
}  // namespace catena::testing
