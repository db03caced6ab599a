// Hooks that measure time, with a double of the driver.
#include "frontend/hooks/timer_hook.h"

#include <gtest/gtest.h>

#include "frontend/link/connection/linear.h"
#include "frontend/link/hooks/timer.h"
#include "runtime/cuda/cuda_device.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

const OpDef& op_of(const char* name) { return *find_op(name); }

TEST(TimerHook, waits_for_the_device_before_and_after_an_operation) {
    RecordingDriver driver;
    cuda::CudaDevice device(0);
    const Variable x(Array::empty({Dtype::float32, {2}}, device));
    const Variable* const inputs[] = {&x};
    TimerHook timer;
    const auto waits = [&] { return driver.count("cuStreamSynchronize"); };
    timer.forward_preprocess(op_of("relu"), inputs);
    EXPECT_EQ(waits(), 1);
    timer.forward_postprocess(op_of("relu"), inputs);
    EXPECT_EQ(waits(), 2);
    const Variable grads[] = {x, Variable()};
    timer.backward_preprocess(op_of("relu"), {}, grads);
    timer.backward_postprocess(op_of("relu"), {}, grads);
    EXPECT_EQ(waits(), 4);
    EXPECT_EQ(timer.call_history().size(), 2u);
}

TEST(TimerHook, of_links_waits_for_the_device) {
    RecordingDriver driver;
    cuda::CudaDevice device(0);
    const Variable x(Array::empty({Dtype::float32, {2}}, device));
    Linear link(2, 3);
    LinkCall call(link, {&x});
    link_hooks::TimerHook timer;
    timer.forward_preprocess(call);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 1);
    timer.forward_postprocess(call);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 2);
    call.finish(x);
}

}  // namespace
}  // namespace catena::testing
