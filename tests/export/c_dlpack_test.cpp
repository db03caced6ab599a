// Tensors of DLPack in C: as inputs of operations and programs, and as what programs give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/capi.h"
#include "runtime/core/array/dlpack.h"
#include "runtime/core/array/dlpack_tensor.h"
#include "tests/export/saved_step.h"

namespace catena::testing {
namespace {

using dlpack::Managed;
using dlpack::Versioned;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Managed* inside(DLManagedTensor* tensor) { return reinterpret_cast<Managed*>(tensor); }
Versioned* inside(DLManagedTensorVersioned* tensor) { return reinterpret_cast<Versioned*>(tensor); }

TEST(DlpackInC, a_tensor_is_an_input_with_its_strides) {
    const Array x = Array::from<float>(std::vector<float>{-1, 2, -3, 4, 5, -6}, {2, 3});
    DLManagedTensor* const given = to_dlpack(x.view({3, 2}, {1, 3}, 0));
    char error[256] = "";
    catena_tensor input{};
    ASSERT_EQ(catena_tensor_from_dlpack(given, &input, error, sizeof error), CATENA_OK) << error;
    EXPECT_EQ(input.dtype, CATENA_FLOAT32);
    EXPECT_EQ(input.data, x.elements());
    float y[6] = {};
    const int64_t sizes[] = {3, 2};
    const catena_tensor output = {y, CATENA_FLOAT32, 2, sizes, nullptr};
    const catena_op_call call = {"relu", nullptr, nullptr, &input, &output, 0, 0, 1, 1};
    ASSERT_EQ(catena_call_op(&call, error, sizeof error), CATENA_OK) << error;
    EXPECT_THAT(y, ElementsAre(0, 4, 2, 5, 0, 0));
    inside(given)->deleter(inside(given));
}

TEST(DlpackInC, what_is_no_tensor_for_it_is_refused_and_stays_its_owners) {
    const Array x = Array::from<float>({1, 2});
    DLManagedTensorVersioned* const given = to_dlpack_versioned(x);
    catena_tensor input{};
    char error[256] = "";
    const auto refusal = [&] {
        EXPECT_EQ(catena_tensor_from_dlpack_versioned(given, &input, error, sizeof error),
                  CATENA_FAILED);
        return std::string(error);
    };
    inside(given)->tensor.device = {2, 0};
    EXPECT_THAT(refusal(), HasSubstr("the tensor is on cuda:0"));
    inside(given)->tensor.device = {1, 0};
    inside(given)->tensor.dtype.code = 5;
    EXPECT_THAT(refusal(), HasSubstr("no dtype of 32 bits of DLPack's code 5"));
    inside(given)->major = 2;
    EXPECT_THAT(refusal(), HasSubstr("DLPack 2.0"));
    EXPECT_EQ(catena_tensor_from_dlpack(nullptr, &input, error, sizeof error), CATENA_FAILED);
    EXPECT_STREQ(error, "catena_tensor_from_dlpack: the tensor is NULL");
    inside(given)->deleter(inside(given));
}

TEST(DlpackInC, a_result_outlives_its_program) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    auto twice = static_graph([](const Variable& x) { return x * 2 + 1; }, {.name = "twice"});
    const Array x = Array::from<float>({1, 2, 3});
    twice(Variable(x, false));
    twice.save(temporary("twice.catena"), {});
    char error[256] = "";
    catena_program* const program =
        catena_program_load(temporary("twice.catena").c_str(), error, sizeof error);
    ASSERT_NE(program, nullptr) << error;
    EXPECT_EQ(catena_program_output_dlpack(program, 0, error, sizeof error), nullptr);
    EXPECT_THAT(error, HasSubstr("result 0 does not exist; the last run had 0"));
    const int64_t sizes[] = {3};
    const catena_tensor input = {const_cast<void*>(x.elements()), CATENA_FLOAT32, 1, sizes,
                                 nullptr};
    ASSERT_EQ(catena_program_run(program, &input, 1, error, sizeof error), CATENA_OK) << error;
    DLManagedTensorVersioned* const result =
        catena_program_output_dlpack(program, 0, error, sizeof error);
    ASSERT_NE(result, nullptr) << error;
    ASSERT_EQ(catena_program_run(program, &input, 1, error, sizeof error), CATENA_OK) << error;
    catena_program_free(program);
    EXPECT_THAT(from_dlpack(result).to_vector<float>(), ElementsAre(3, 5, 7));
}

}  // namespace
}  // namespace catena::testing
