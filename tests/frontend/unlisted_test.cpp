// Members of links that are not listed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/chain.h"
#include "frontend/link/chain_list.h"
#include "frontend/link/connection/convolution.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "frontend/link/rnn/lstm.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/classifier.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "tests/reject/rejection.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::refusal;

struct ForgetsOne : Chain {
    Linear l1{2, 3}, l2{3, 4};
    ForgetsOne() { add_children({{"l1", l1}}); }
};

struct ForgetsParameter : Link {
    Parameter a{1.0, Shape{}}, b{1.0, Shape{2}};
    ForgetsParameter() { add_param("a", a); }
};

struct Whole : Chain {
    Linear l1{2, 3}, l2{3, 4};
    Whole() { add_children({{"l1", l1}, {"l2", l2}}); }
};

struct MeansIt : Chain {
    Linear online{2, 3}, target{2, 3};
    MeansIt() {
        add_child("online", online);
        leave_out(target);
    }
};

struct HasOneThatForgets : Chain {
    ForgetsOne inner;
    HasOneThatForgets() { add_children({{"inner", inner}}); }
};

TEST(Unlisted, a_copied_child_is_searched_to_its_end) {
    const HasOneThatForgets model;
    HasOneThatForgets copy = model;
    EXPECT_THAT(refusal<ValueError>([&] { copy.check_all_listed(); }),
                AllOf(HasSubstr("/inner"), HasSubstr("after 'l1'")));
}

TEST(Unlisted, a_link_is_named_at_setup) {
    ForgetsOne model;
    SGD sgd;
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(model); }),
                AllOf(HasSubstr("ForgetsOne"), HasSubstr("Linear("), HasSubstr("after 'l1'"),
                      HasSubstr("add_child")));
}

TEST(Unlisted, a_parameter_is_named_at_setup) {
    ForgetsParameter model;
    SGD sgd;
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(model); }),
                AllOf(HasSubstr("Parameter of float32[2], after 'a'"), HasSubstr("add_param")));
}

TEST(Unlisted, is_found_below_and_in_copies) {
    ForgetsOne model;
    Classifier classifier{model};
    SGD sgd;
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(classifier); }),
                HasSubstr("ForgetsOne at /predictor"));
    ChainList list;
    list.append(ForgetsOne());
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(list); }), HasSubstr("ForgetsOne at /0"));
    ChainList copied = list;
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(copied); }), HasSubstr("ForgetsOne at /0"));
}

TEST(Unlisted, is_named_when_the_link_is_saved) {
    ForgetsOne model;
    EXPECT_THAT(
        refusal<ValueError>([&] { save_npz(::testing::TempDir() + "unlisted.npz", model); }),
        HasSubstr("after 'l1'"));
}

TEST(Unlisted, is_shown) {
    EXPECT_THAT(to_string(ForgetsOne()), HasSubstr("(not listed): Linear("));
    EXPECT_THAT(to_string(Whole()), ::testing::Not(HasSubstr("not listed")));
}

TEST(Unlisted, may_be_meant) {
    MeansIt model;
    MeansIt copied = model;
    SGD sgd;
    EXPECT_NO_THROW(sgd.setup(model));
    EXPECT_NO_THROW(sgd.setup(copied));
}

TEST(Unlisted, complete_links_are_let_through) {
    struct All : Chain {
        Whole whole;
        Linear nobias{2, 3, {.nobias = true}};
        BatchNormalization bn{3, {.use_gamma = false}};
        LSTM lstm{3, 4};
        All() { add_children({{"whole", whole}, {"nobias", nobias}, {"bn", bn}, {"lstm", lstm}}); }
    };
    All all;
    All copied = all;
    std::vector<Linear> beside(3, Linear{2, 3});
    SGD sgd;
    EXPECT_NO_THROW(sgd.setup(all));
    EXPECT_NO_THROW(sgd.setup(copied));
    EXPECT_NO_THROW(sgd.setup(beside[1]));
}

TEST(Unlisted, setup_of_nothing_to_train_is_an_error) {
    struct Nothing : Chain {};
    Nothing nothing;
    SGD sgd;
    EXPECT_THAT(refusal<ValueError>([&] { sgd.setup(nothing); }),
                AllOf(HasSubstr("Nothing has no parameters"), HasSubstr("add_children")));
}

}  // namespace
}  // namespace catena
