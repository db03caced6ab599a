// Failed allocations and exceptions of third-party libraries become Catena's errors; everything
// works afterwards.
#include "runtime/core/memory/out_of_memory.h"

#include <new>
#include <stdexcept>

#include <dnnl.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/op.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of_launch(const std::function<void()>& kernel) {
    OpDef op;
    op.name = "hungry";
    op.kernel = [&](const KernelCall&) { kernel(); };
    const Array x = Array::zeros({Dtype::float32, {2, 3}});
    Array y = Array::zeros({Dtype::int64, {5}});
    try {
        cpu_device().launch(KernelCall{op, {&x, 1}, {&y, 1}, {}, {}});
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "no DeviceError";
}

TEST(OutOfMemory, an_array_that_is_too_large_names_bytes_and_type_and_leaves_everything_usable) {
    const size_t before = cpu_memory_statistics().bytes_in_use;
    for (int i = 0; i < 3; ++i) {
        try {
            Array::zeros({Dtype::float32, {1 << 21, 1 << 24}});
            FAIL() << "128 TiB were given";
        } catch (const OutOfMemory& error) {
            EXPECT_EQ(error.bytes, size_t(1) << 47);
            EXPECT_THAT(error.what(),
                        AllOf(HasSubstr("cpu: an array float32[2097152,16777216]: out of memory"),
                              HasSubstr(fmt::format("{} bytes", size_t(1) << 47))));
        }
    }
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
    EXPECT_EQ(Array::full({Dtype::float32, {3}}, 2).to_vector<float>(),
              (std::vector<float>{2, 2, 2}));
}

TEST(OutOfMemory, in_a_kernel_names_the_operation) {
    EXPECT_THAT(message_of_launch([] { throw std::bad_alloc(); }),
                HasSubstr("hungry (float32[2,3] -> int64[5]): out of memory"));
    EXPECT_THAT(message_of_launch([] { std::vector<int>().resize(~size_t(0)); }),
                HasSubstr("hungry (float32[2,3] -> int64[5]): out of memory"));
    EXPECT_THAT(
        message_of_launch([] { Array::empty({Dtype::int8, {int64_t(1) << 47}}, cpu_device()); }),
        AllOf(HasSubstr("hungry (float32[2,3] -> int64[5]): out of memory: the system refused"),
              HasSubstr(fmt::format("refused {} bytes", size_t(1) << 47))));
}

TEST(OutOfMemory, of_a_result_names_the_operation) {
    const Variable x(Array::zeros({Dtype::float32, {1}}), false);
    try {
        broadcast_to(x, {int64_t(1) << 21, int64_t(1) << 24}) + 1.0;
        FAIL() << "128 TiB were given";
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(
            error.what(),
            HasSubstr("add_scalar: its result float32[2097152,16777216] on cpu: out of memory"));
        EXPECT_THAT(error.what(), HasSubstr("out_of_memory_test.cpp"));
    }
}

TEST(ForeignError, of_onednn_names_the_operation) {
    EXPECT_THAT(
        message_of_launch([] { throw dnnl::error(dnnl_unimplemented, "no such primitive"); }),
        HasSubstr("hungry (float32[2,3] -> int64[5]): oneDNN cannot do it: no such primitive"));
    EXPECT_THAT(message_of_launch([] { throw dnnl::error(dnnl_out_of_memory, "none"); }),
                HasSubstr("out of memory"));
}

TEST(ForeignError, of_the_user_stays_what_it_is) {
    EXPECT_THROW(message_of_launch([] { throw std::out_of_range("mine"); }), std::out_of_range);
}

}  // namespace
}  // namespace catena
