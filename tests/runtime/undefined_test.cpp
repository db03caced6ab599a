// Nothing where an array is needed: a clear error at the user's line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/ops/activation/activation.h"
#include "tests/reject/rejection.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

#define EXPECT_UNDEFINED(expression, words)                                  \
    EXPECT_THAT(refusal<ValueError>([&] { static_cast<void>(expression); }), \
                ::testing::AllOf(HasSubstr(words),                           \
                                 HasSubstr("undefined_test.cpp:" + std::to_string(__LINE__))))

TEST(Undefined, a_variable_names_what_was_asked_and_the_line) {
    const Variable x;
    EXPECT_UNDEFINED(x.backward(), "backward: this Variable is undefined");
    EXPECT_UNDEFINED(x.shape(), "shape: this Variable is undefined");
    EXPECT_UNDEFINED(x.dtype(), "dtype: this Variable is undefined");
    EXPECT_UNDEFINED(x.size(), "size: this Variable is undefined");
    EXPECT_UNDEFINED(x.rank(), "rank: this Variable is undefined");
    EXPECT_UNDEFINED(x.device(), "device: this Variable is undefined");
    EXPECT_UNDEFINED(x.array(), "array: this Variable is undefined");
    EXPECT_UNDEFINED(x.item<float>(), "array: this Variable is undefined");
    EXPECT_UNDEFINED(x.grad(), "grad: this Variable is undefined");
    EXPECT_UNDEFINED(x.cleargrad(), "grad: this Variable is undefined");
    EXPECT_UNDEFINED(x.set_grad(Array()), "grad: this Variable is undefined");
    EXPECT_EQ(x.name(), "");
}

TEST(Undefined, an_array_names_what_was_asked_and_the_line) {
    const Array x;
    EXPECT_UNDEFINED(x.shape(), "shape: this Array is undefined");
    EXPECT_UNDEFINED(x.dtype(), "dtype: this Array is undefined");
    EXPECT_UNDEFINED(x.size(), "size: this Array is undefined");
    EXPECT_UNDEFINED(x.data<float>(), "dtype: this Array is undefined");
    EXPECT_UNDEFINED(x.raw_data(), "raw_data: this Array is undefined");
    EXPECT_UNDEFINED(x.item<float>(), "item: this Array is undefined");
    EXPECT_UNDEFINED(x.to_vector<float>(), "to_vector: this Array is undefined");
    EXPECT_UNDEFINED(x.device(), "device: this Array is undefined");
}

TEST(Undefined, an_array_that_is_to_be_copied_or_read_names_what_was_asked) {
    const Array x;
    EXPECT_THAT(refusal<ValueError>([&] { x.as_contiguous(); }),
                HasSubstr("as_contiguous: this Array is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.astype(Dtype::float64); }),
                HasSubstr("astype: this Array is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.to(cpu_device()); }),
                HasSubstr("to: this Array is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.elements(); }),
                HasSubstr("elements: this Array is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.to_fill(); }),
                HasSubstr("to_fill: this Array is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.view({1}, Strides{1}, 0); }),
                HasSubstr("view: this Array is undefined"));
}

TEST(Undefined, a_variable_of_nothing_is_refused_like_nothing) {
    const Variable x{Array()};
    EXPECT_UNDEFINED(x.shape(), "shape: this Array is undefined");
    EXPECT_UNDEFINED(x.item<float>(), "item: this Array is undefined");
}

TEST(Undefined, operations_name_the_input_and_the_line) {
    const Variable x;
    EXPECT_UNDEFINED(relu(x), "relu: input 0 holds no array");
    EXPECT_UNDEFINED(x * 0.5, "multiply_scalar: input 0 holds no array");
}

TEST(Undefined, calling_off_the_graph_does_not_crash) {
    const Variable x;
    EXPECT_THAT(refusal<ValueError>([&] { x.unchain(); }),
                HasSubstr("unchain: this Variable is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.unchain_backward(); }),
                HasSubstr("unchain_backward: this Variable is undefined"));
    EXPECT_THAT(refusal<ValueError>([&] { x.set_array(Array()); }),
                HasSubstr("set_array: this Variable is undefined"));
}

}  // namespace
}  // namespace catena
