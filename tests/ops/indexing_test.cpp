#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracing.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 0, 1, 2, ... in a shape.
Variable counting(const Shape& shape) {
    std::vector<double> values;
    for (int64_t i = 0; i < element_count(shape); ++i) values.push_back(double(i));
    return Variable(Array::from(values, shape));
}

std::vector<double> values(const Variable& x) { return x.array().to_vector<double>(); }

TEST(Indexing, braces_take_slices_integers_and_ellipsis) {
    const Variable x = counting({6, 2, 3});
    const Variable y = x[{slice(1, 5, 2), ellipsis, 2}];
    EXPECT_EQ(y.shape(), (Shape{2, 2}));
    EXPECT_THAT(values(y), ElementsAre(8, 11, 20, 23));
    EXPECT_THAT(values(x[-1][{newaxis, 0}]), ElementsAre(30, 31, 32));
    EXPECT_EQ((x[{newaxis, slice({}, 2)}].shape()), (Shape{1, 2, 2, 3}));
}

TEST(Indexing, basic_indices_copy_nothing) {
    const Variable x = counting({6, 2, 3});
    EXPECT_EQ((x[{slice({}, {}, -1), 1}].array().storage()), x.array().storage());
    EXPECT_EQ(transpose(x).array().storage(), x.array().storage());
    EXPECT_EQ(broadcast_to(x, {2, 6, 2, 3}).array().storage(), x.array().storage());
    EXPECT_EQ(reshape(x, {12, 3}).array().storage(), x.array().storage());
}

TEST(Indexing, reshape_of_a_view_copies_only_when_strides_cannot_say_it) {
    const Variable x = transpose(counting({2, 3, 4}), {1, 0, 2});  // [3,2,4]
    EXPECT_EQ(reshape(x, {3, 2, 2, 2}).array().storage(), x.array().storage());
    EXPECT_EQ(reshape(x, {3, 1, 2, 4}).array().storage(), x.array().storage());
    const Variable merged = reshape(x, {6, 4});
    EXPECT_NE(merged.array().storage(), x.array().storage());
    EXPECT_THAT(values(merged[1]), ElementsAre(12, 13, 14, 15));
}

TEST(Indexing, a_bool_array_names_its_true_elements) {
    const Variable x = counting({2, 3});
    const Variable y = x[{x > 2.5}];
    EXPECT_THAT(values(y), ElementsAre(3, 4, 5));
    const Variable rows = x[{Array::from<bool>({false, true}), slice(1, {})}];
    EXPECT_THAT(values(rows), ElementsAre(4, 5));
    EXPECT_THROW(x[{Array::from<bool>({true})}], ShapeError);
}

TEST(Indexing, the_error_names_the_users_line) {
    const Variable x = counting({2, 3});
    try {
        x[{0, 7}];
        FAIL() << "nothing was thrown";
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("get_item: index 7 is outside of axis 1 of size 3"));
        EXPECT_THAT(error.what(), HasSubstr("indexing_test.cpp:"));
    }
}

TEST(Indexing, the_error_names_the_axis_of_x_when_others_are_dropped) {
    const Variable x = counting({2, 3});
    const Array t = Array::from<int32_t>({0, 5});
    try {
        x[{1, t}];
        FAIL() << "nothing was thrown";
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("get_item: index 5 is outside of axis 1 of size 3"));
    }
    EXPECT_THAT(values(x[{1, Array::from<int32_t>({0, 2})}]), ElementsAre(3, 5));
}

TEST(Indexing, permutate_checks_repeated_indices_in_debug_mode) {
    const Variable x = counting({3});
    const Array twice = Array::from<int32_t>({0, 1, 1});
    EXPECT_NO_THROW(permutate(x, twice));
    auto debug = using_config(&Config::debug, true);
    EXPECT_THROW(permutate(x, twice), ValueError);
}

/// Names of the ops that ran.
class Names : public Tracing {
public:
    void saw(const OpCall& call, std::span<const Variable>) override {
        names.push_back(call.op.name);
    }
    void assigned(const Variable&, const Variable&) override {}
    void changing(VariableBody&, Change) override {}
    void same(const Array&, const Array&) override {}
    void host_read(ArrayBody&) override {}
    std::vector<std::string> names;
};

TEST(Joining, a_split_is_slices_forward_and_one_concat_backward) {
    const Variable x = counting({2, 6});
    Names names;
    RecorderScope scope(&names);
    const Variables parts = split_axis(x, 3, 1);
    EXPECT_THAT(names.names, ElementsAre("slice", "slice", "slice"));
    names.names.clear();
    grad(parts, std::vector{x}, std::vector{parts[0], parts[1], parts[2]});
    EXPECT_EQ(std::count(names.names.begin(), names.names.end(), "concat"), 1);
    EXPECT_EQ(std::count(names.names.begin(), names.names.end(), "place_slice"), 0);
}

TEST(Joining, more_cuts_than_a_list_of_axes_holds_still_split) {
    const std::vector<int64_t> cuts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const Variables parts = split_axis(counting({12}), cuts, 0);
    ASSERT_EQ(parts.size(), 11u);
    EXPECT_THAT(values(parts[10]), ElementsAre(10, 11));
}

TEST(Reduction, ties_of_max_all_receive_the_gradient) {
    const Variable x(Array::from<double>({1, 3, 3, 2}));
    const Variables gx = grad(std::vector{max(x)}, std::vector{x});
    EXPECT_THAT(values(gx[0]), ElementsAre(0, 1, 1, 0));
}

TEST(Reduction, variance_is_the_mean_squared_distance_from_the_mean) {
    const Variable x(Array::from(std::vector<double>{1, 2, 3, 4, 2, 2}, {2, 3}));
    const Variable y = variance(x, 1);
    EXPECT_NEAR(values(y)[0], 2.0 / 3, 1e-12);
    EXPECT_NEAR(values(y)[1], 8.0 / 9, 1e-12);
}

TEST(Reduction, mean_of_many_halves_does_not_overflow) {
    const Variable x(Array::full({Dtype::float16, {4000}}, 100));
    EXPECT_EQ(mean(x).item<float>(), 100);
}

}  // namespace

}  // namespace catena
