// A hook that measures memory, with a double of the driver.
#include "frontend/hooks/memory_hook.h"

#include <gtest/gtest.h>

#include "runtime/cuda/cuda_device.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

TEST(MemoryHook, measures_the_pool_of_the_arrays_device) {
    RecordingDriver driver;
    cuda::CudaDevice device(0);
    const OpDef& relu = *find_op("relu");
    const Type type{Dtype::float32, {1 << 20}};
    const Variable x(Array::empty(type, device));
    const Variable* const inputs[] = {&x};
    MemoryHook memory;
    memory.forward_preprocess(relu, inputs);
    Array y = Array::empty(type, device);
    memory.forward_postprocess(relu, inputs);
    const Variable grads[] = {Variable(), x};
    memory.backward_preprocess(relu, {}, grads);
    y = Array();
    memory.backward_postprocess(relu, {}, grads);
    ASSERT_EQ(memory.call_history().size(), 2u);
    EXPECT_EQ(memory.call_history()[0].device, &device);
    EXPECT_EQ(memory.call_history()[0].used_bytes, int64_t(4) << 20);
    EXPECT_EQ(memory.summary().at("backward of relu").used_bytes, -(int64_t(4) << 20));
    EXPECT_EQ(memory.total_used_bytes(), 0);
}

}  // namespace
}  // namespace catena::testing
