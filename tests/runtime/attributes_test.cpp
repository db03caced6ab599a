#include "runtime/graph/op/attributes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

namespace catena::testing {
namespace {

Attributes strided(int64_t stride) {
    return {{"stride", Dims{stride, 1}},
            {"name", std::string("a text that is longer than a short string")}};
}
Attributes number(double value) { return {{"value", value}}; }
const void* list_of(const Attributes& attributes) { return attributes.entries().data(); }

TEST(Attributes, equal_lists_are_one) {
    EXPECT_EQ(list_of(strided(2)), list_of(strided(2)));
    const Attributes other = strided(3);
    EXPECT_NE(list_of(strided(2)), list_of(other));
    EXPECT_EQ(other.dims("stride")[0], 3);
    EXPECT_FALSE(strided(2) == other);
}

TEST(Attributes, a_list_made_of_a_vector_is_the_same) {
    const auto made = [] {
        return Attributes(std::vector<Attributes::Entry>{{"axis", int64_t(1)}, {"keep", true}});
    };
    EXPECT_EQ(list_of(made()), list_of(made()));
}

TEST(Attributes, numbers_are_told_apart_by_their_bits) {
    EXPECT_TRUE(std::signbit(number(-0.0).number("value")));
    EXPECT_FALSE(std::signbit(number(0.0).number("value")));
    EXPECT_TRUE(std::signbit(number(-0.0).number("value")));
    const Attributes not_a_number = number(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::isnan(not_a_number.number("value")));
    // So that code with another zero leaves a program, and code with the same NaN does not.
    EXPECT_FALSE(number(0.0) == number(-0.0));
    EXPECT_TRUE(not_a_number == Attributes(std::vector(not_a_number.entries().begin(),
                                                       not_a_number.entries().end())));
}

TEST(Attributes, equal_lists_of_two_threads_are_equal_and_have_one_hash) {
    Attributes other;
    std::thread([&] {
        other = {{"value", std::numeric_limits<double>::quiet_NaN()}, {"stride", Dims{2, 1}}};
    }).join();
    const Attributes mine{{"value", std::numeric_limits<double>::quiet_NaN()},
                          {"stride", Dims{2, 1}}};
    EXPECT_NE(list_of(other), list_of(mine));
    EXPECT_TRUE(other == mine);
    EXPECT_EQ(other.hash(), mine.hash());
    EXPECT_NE(mine.hash(), (Attributes{{"value", std::numeric_limits<double>::quiet_NaN()},
                                       {"stride", Dims{2, 2}}}
                                .hash()));
}

TEST(Attributes, kinds_and_order_matter) {
    const Attributes integer{{"value", int64_t(1)}}, flag{{"value", true}},
        both{{"a", true}, {"b", false}}, turned{{"b", false}, {"a", true}};
    EXPECT_FALSE(integer == flag);
    EXPECT_FALSE(both == turned);
    EXPECT_EQ(integer.integer("value"), 1);
    EXPECT_TRUE(flag.flag("value"));
}

TEST(Attributes, more_lists_than_are_remembered_are_still_right) {
    for (int round = 0; round < 2; ++round)
        for (int64_t i = 0; i < 10'000; ++i) {
            const Attributes each{{"i", i}};
            ASSERT_EQ(each.integer("i"), i);
        }
}

TEST(Attributes, a_steps_lists_are_remembered_whatever_was_made_before) {
    for (int64_t i = 0; i < 20'000; ++i)
        EXPECT_EQ((Attributes{{"earlier", i}}.integer("earlier")), i);
    std::vector<Attributes> first;
    for (int64_t i = 0; i < 200; ++i) first.push_back(Attributes{{"now", i}});
    for (int64_t i = 0; i < 200; ++i)
        EXPECT_EQ(list_of(Attributes{{"now", i}}), list_of(first[size_t(i)])) << i;
}

TEST(Attributes, lists_outlive_the_thread_that_made_them) {
    Attributes made;
    std::thread([&] { made = strided(7); }).join();
    EXPECT_EQ(made.dims("stride")[0], 7);
    EXPECT_TRUE(made == strided(7));
}

}  // namespace
}  // namespace catena::testing
