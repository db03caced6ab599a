// Functions of the registry that are called by position, as from other languages.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/graph/settings/config.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/frontend/allocation_count.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Variable half_steps(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i) * 0.5f - 1;
    return Variable(Array::from(values, shape));
}

/// How often `f` allocates once the pools have what it needs.
template <class F>
int64_t steady_allocations(const F& f) {
    for (int i = 0; i < 20; ++i) f();
    const int64_t before = allocation_count();
    f();
    return allocation_count() - before;
}

TEST(CallByPosition, allocates_what_the_function_itself_allocates) {
    const Variable x = half_steps({4}), W = half_steps({3, 4}), rows = half_steps({2, 4}),
                   b = half_steps({3});
    const FunctionDef &relu_def = find_function("relu"), &leaky_def = find_function("leaky_relu"),
                      &linear_def = find_function("linear"), &sum_def = find_function("sum");
    const LiteralValue slope{0.25}, axis{Dims{0, 1}};
    const LiteralValue *slopes[] = {&slope}, *axes[] = {&axis};
    const Variable linear_arrays[] = {rows, W, b};

    EXPECT_EQ(steady_allocations([&] { call_for_one(relu_def, {&x, 1}); }),
              steady_allocations([&] { relu(x); }));
    EXPECT_EQ(steady_allocations([&] { call_for_one(leaky_def, {&x, 1}, slopes); }),
              steady_allocations([&] { leaky_relu(x, 0.25); }));
    EXPECT_EQ(steady_allocations([&] { call_for_one(linear_def, linear_arrays); }),
              steady_allocations([&] { linear(rows, W, b); }));
    EXPECT_EQ(steady_allocations([&] { call_function(sum_def, {&rows, 1}, axes); }),
              steady_allocations([&] { sum(rows, Axes{0, 1}); }));
}

TEST(CallByPosition, parameters_are_those_of_the_signature) {
    const FunctionDef& f = find_function("batch_normalization");
    std::string text;
    for (const FunctionParameter& p : f.parameters)
        text += fmt::format("{}{}{}{}{} ", p.is_keyword_only ? "*" : "", p.name,
                            p.is_value() ? "" : "[]", p.slot,
                            p.fallback ? "=" + to_string(*p.fallback) : "");
    EXPECT_EQ(text,
              "x[]0 gamma[]1 beta[]2 *eps0=2e-05 *running_mean[]3=None *running_var[]4=None "
              "*decay1=0.9 *axis2=None ");
    EXPECT_EQ(f.array_count, 5u);
    EXPECT_EQ(f.value_count, 3u);
    EXPECT_FALSE(f.takes_list);

    const FunctionDef& add_def = find_function("add");
    EXPECT_TRUE(add_def.takes_list);
    EXPECT_TRUE(add_def.parameters[0].is_variadic);
    EXPECT_EQ(find_function("crf1d").parameters[0].kind, FunctionParameter::Kind::array);
    EXPECT_EQ(find_function("crf1d").parameters[1].kind, FunctionParameter::Kind::arrays);
    EXPECT_FALSE(find_function("crf1d").parameters[1].is_variadic);
}

TEST(CallByPosition, values_that_are_not_given_have_their_defaults) {
    const Variable x = half_steps({4});
    const FunctionDef& f = find_function("selu");
    const LiteralValue scale{2.0};
    const LiteralValue* values[] = {nullptr, &scale};
    EXPECT_EQ(call_for_one(f, {&x, 1}, values).array().to_vector<float>(),
              selu(x, 1.6732632423543772, 2.0).array().to_vector<float>());
    EXPECT_EQ(call_for_one(f, {&x, 1}).array().to_vector<float>(),
              selu(x).array().to_vector<float>());
}

TEST(CallByPosition, integers_in_place_are_a_list) {
    const Variable x = half_steps({2, 3});
    const LiteralValue pairs{LiteralValue::List{{Dims{1, 0}}, {Dims{0, 2}}}}, mode{"constant"},
        index{Dims{1, 2}}, axes{LiteralValue::List{{Dims{1}}, {Dims{0}}}};
    const LiteralValue* padding[] = {&pairs, &mode};
    EXPECT_EQ(call_for_one(find_function("pad"), {&x, 1}, padding).shape(), (Shape{3, 5}));
    const LiteralValue* indices[] = {&index};
    EXPECT_EQ(call_for_one(find_function("get_item"), {&x, 1}, indices).item<float>(), 1.5f);
    const Variable both[] = {x, half_steps({3, 4})};
    const LiteralValue* contracted[] = {&axes};
    EXPECT_EQ(call_for_one(find_function("tensordot"), both, contracted).shape(), (Shape{2, 4}));
    EXPECT_EQ(to_string(pairs), "[[1, 0], [0, 2]]");
}

TEST(CallByPosition, a_function_says_what_it_gives) {
    using Gives = FunctionDef::Gives;
    EXPECT_EQ(find_function("relu").gives, Gives::one);
    EXPECT_EQ(find_function("fft").gives, Gives::several);
    EXPECT_EQ(find_function("max_pooling_2d").gives, Gives::one_or_several);

    const Variable x = half_steps({1, 1, 4, 4});
    const FunctionDef& pooling = find_function("max_pooling_2d");
    const LiteralValue two{int64_t(2)}, yes{true};
    const LiteralValue* asking[] = {&two, nullptr, nullptr, nullptr, &yes};
    EXPECT_TRUE(call_function(pooling, {&x, 1}, std::span(asking).first(1)).is_alone);
    const FunctionResults both = call_function(pooling, {&x, 1}, asking);
    EXPECT_FALSE(both.is_alone);
    EXPECT_EQ(both.list.size(), 2u);
    EXPECT_EQ(both.list_from, -1);
    EXPECT_TRUE(call_function(find_function("relu"), {&x, 1}).is_alone);
}

TEST(CallByPosition, one_section_is_alone_only_where_no_tuple_is_forced) {
    const Variable x = half_steps({4});
    const LiteralValue one{int64_t(1)}, zero{int64_t(0)}, no{false};
    const LiteralValue* values[] = {&one, &zero, &no};
    const FunctionDef& f = find_function("split_axis");
    EXPECT_TRUE(call_function(f, {&x, 1}, values).is_alone);
    EXPECT_FALSE(call_function(f, {&x, 1}, std::span(values).first(2)).is_alone);
}

TEST(CallByPosition, a_mask_that_was_asked_for_has_its_place_in_test_mode_too) {
    const auto mode = using_config(&Config::train, false);
    const Variable x = half_steps({4});
    const LiteralValue yes{true};
    const LiteralValue* values[] = {nullptr, &yes};
    const FunctionResults results = call_function(find_function("dropout"), {&x, 1}, values);
    EXPECT_FALSE(results.is_alone);
    ASSERT_EQ(results.list.size(), 2u);
    EXPECT_FALSE(results.list[1].defined());
}

TEST(CallByPosition, results_may_end_in_a_list) {
    const Variable cost = half_steps({2, 2}), first = half_steps({3, 2}),
                   second = half_steps({3, 2});
    const Variable arrays[] = {cost, first, second};
    const FunctionResults path = call_function(find_function("argmax_crf1d"), arrays);
    EXPECT_EQ(path.list_from, 1);
    EXPECT_EQ(path.list.size(), 3u);
}

TEST(CallByPosition, errors_name_the_function_and_the_given_line_once) {
    const Variable xs[] = {half_steps({2, 3}), half_steps({2, 3}), half_steps({2, 3})};
    SourceLoc at;
    at.file = "model.py";
    at.line = 7;
    const FunctionDef& f = find_function("softmax");
    const LiteralValue text{"one"}, far{int64_t(5)};
    const LiteralValue *wrong[] = {&text}, *outside[] = {&far}, *many[] = {&far, &far};
    EXPECT_EQ(refusal<ValueError>([&] { call_for_one(f, {xs, 1}, wrong, at); }),
              "softmax: axis takes an integer, not 'one' (at model.py:7)");
    EXPECT_EQ(refusal<ValueError>([&] { call_for_one(f, {xs, 2}, {}, at); }),
              "softmax: 2 arrays given, softmax(x, axis=1) takes at most 1 (at model.py:7)");
    EXPECT_EQ(refusal<ValueError>([&] { call_for_one(f, {}, {}, at); }),
              "softmax: array x is missing; it is called as softmax(x, axis=1) (at model.py:7)");
    EXPECT_EQ(refusal<ValueError>([&] { call_for_one(f, {xs, 1}, many, at); }),
              "softmax: 2 arguments given that are no arrays, softmax(x, axis=1) takes at most 1 "
              "(at model.py:7)");
    const std::string told = refusal<ShapeError>([&] { call_for_one(f, {xs, 1}, outside, at); });
    EXPECT_THAT(told, StartsWith("softmax: "));
    EXPECT_EQ(told.find(" (at model.py:7)"), told.size() - 16);
    const LiteralValue sections{int64_t(2)};
    const LiteralValue* two[] = {&sections};
    const std::string inner =
        refusal<ShapeError>([&] { call_function(find_function("hsplit"), {xs, 1}, two, at); });
    EXPECT_THAT(inner, StartsWith("hsplit: split_axis: axis 1 of x [2,3] has size 3"));
    EXPECT_EQ(inner.find(" (at model.py:7)"), inner.size() - 16);
}

TEST(CallByPosition, every_function_knows_its_family) {
    const std::set<std::string_view> families{"activation", "array", "connection", "evaluation",
                                              "loss",       "math",  "noise",      "normalization",
                                              "pooling",    "rnn",   "spatial"};
    for (const FunctionDef* f : all_functions())
        EXPECT_TRUE(families.contains(f->family())) << f->name << " of " << f->source.file;
    EXPECT_EQ(find_function("relu").family(), "activation");
}

}  // namespace
}  // namespace catena::testing
