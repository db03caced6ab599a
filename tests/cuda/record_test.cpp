// A program's work as one graph: the policy when it is recorded, and what the plug-in makes of it
// with a double of the driver.
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cuda/cuda_device.h"
#include "runtime/program/run/recorded_work.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Launch = CodeDevice::Launch;
using Work = CodeDevice::Work;

class RecordedWorkTest : public ::testing::Test {
protected:
    RecordingDriver driver;
    CudaDevice device{0};
    uint64_t argument = 1;
    std::vector<Launch> launches{{.kernel = reinterpret_cast<void*>(7),
                                  .arguments = &argument,
                                  .bytes = sizeof argument,
                                  .level = 1},
                                 {.kernel = reinterpret_cast<void*>(8),
                                  .arguments = &argument,
                                  .bytes = sizeof argument,
                                  .level = 1}};
    uint64_t of_call = 5;
    int calls = 0;
    std::function<void()> call = [this] {
        ++calls;
        device.launch_code(
            {.kernel = reinterpret_cast<void*>(9), .arguments = &of_call, .bytes = sizeof of_call});
    };
    std::vector<Work> work{{launches, {}}, {{}, [this] { call(); }}, {launches, {}}};

    CodeDevice::Replay* find(program::RecordedWork& recorded, std::vector<uint64_t> key) {
        return recorded.find(key, device, work);
    }
};

TEST_F(RecordedWorkTest, is_made_when_a_key_repeats_and_found_from_then_on) {
    program::RecordedWork recorded;
    EXPECT_FALSE(find(recorded, {1, 2}));
    EXPECT_FALSE(find(recorded, {1, 3}));
    CodeDevice::Replay* form = find(recorded, {1, 2});
    ASSERT_TRUE(form);
    EXPECT_EQ(find(recorded, {1, 2}), form);
    EXPECT_NE(find(recorded, {1, 3}), form);
    EXPECT_EQ(recorded.recordings(), 2);
    EXPECT_EQ(calls, 2);
}

TEST_F(RecordedWorkTest, is_given_up_where_keys_come_twice_only) {
    program::RecordedWork recorded;
    for (uint64_t k = 0; k < 20; ++k)
        for (int time = 0; time < 2; ++time) find(recorded, {k});
    EXPECT_EQ(recorded.recordings(), 8);
    EXPECT_FALSE(find(recorded, {19}));
}

TEST_F(RecordedWorkTest, of_many_keys_that_come_again_and_again_keeps_some) {
    program::RecordedWork recorded;
    for (int round = 0; round < 100; ++round)
        for (uint64_t k = 0; k < 4; ++k) find(recorded, {k});
    EXPECT_EQ(recorded.recordings(), 4);
}

TEST_F(RecordedWorkTest, that_no_device_takes_is_asked_for_once) {
    program::RecordedWork recorded;
    call = [] { fail<DeviceError>("it cannot"); };
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(find(recorded, {1}));
    EXPECT_EQ(driver.count("cuStreamBeginCapture"), 1);
    EXPECT_EQ(driver.count("cuStreamEndCapture"), 1) << "the stream is not left in a capture";
}

TEST_F(RecordedWorkTest, is_one_graph_whose_kernels_are_updated_and_whose_calls_are_parts) {
    const auto form = device.record(work);
    ASSERT_TRUE(form);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(driver.count("cuGraphAddKernelNode"), 4);
    EXPECT_EQ(driver.count("cuGraphAddChildGraphNode of 1 after 1"), 1)
        << "after the empty node of its level";
    EXPECT_EQ(driver.count("cuGraphLaunch"), 0);
    driver.calls.clear();
    device.replay(*form, work);
    EXPECT_THAT(driver.calls, ElementsAre("cuGraphLaunch"));
    argument = 2;
    driver.calls.clear();
    device.replay(*form, work);
    EXPECT_EQ(driver.count("cuGraphExecKernelNodeSetParams"), 4);
    EXPECT_EQ(driver.count("cuGraphLaunch"), 1);
    EXPECT_EQ(calls, 1) << "it is not made again";
}

TEST_F(RecordedWorkTest, keeps_the_memory_that_its_calls_used_from_others) {
    void *first = nullptr, *second = nullptr;
    call = [&] {
        {
            const Ref<Storage> workspace = device.allocate(1 << 20);
            first = workspace->data;
            device.launch_code({.kernel = reinterpret_cast<void*>(9),
                                .arguments = &of_call,
                                .bytes = sizeof of_call});
        }
        const Ref<Storage> workspace = device.allocate(1 << 19);
        second = workspace->data;
    };
    auto form = device.record(work);
    ASSERT_TRUE(form);
    EXPECT_EQ(first, second) << "one after another";
    const Ref<Storage> other = device.allocate(1 << 20);
    EXPECT_NE(other->data, first);
    form = nullptr;
    EXPECT_EQ(device.allocate(1 << 20)->data, first) << "it is free again";
}

TEST_F(RecordedWorkTest, of_all_programs_uses_the_same_memory) {
    std::vector<void*> taken;
    call = [&] {
        const Ref<Storage> workspace = device.allocate(1 << 20);
        taken.push_back(workspace->data);
        device.launch_code(
            {.kernel = reinterpret_cast<void*>(9), .arguments = &of_call, .bytes = sizeof of_call});
    };
    auto first = device.record(work), second = device.record(work);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(taken[0], taken[1]);
    first = nullptr;
    EXPECT_NE(device.allocate(1 << 20)->data, taken[0]) << "there is another graph";
    second = nullptr;
    EXPECT_EQ(device.allocate(1 << 20)->data, taken[0]);
}

TEST_F(RecordedWorkTest, is_not_made_of_calls_that_the_host_takes_part_in) {
    float number = 1;
    const Array x = Array::empty({Dtype::float32, {1}}, device);
    for (const std::function<void()>& part :
         {std::function<void()>([&] { device.copy_from_host(&number, x); }),
          std::function<void()>([&] { device.copy_to_host(x, &number); }),
          std::function<void()>([&] { device.synchronize(); })}) {
        call = part;
        EXPECT_FALSE(device.record(work));
    }
    EXPECT_NO_THROW(device.synchronize()) << "the capture has ended";
}

TEST_F(RecordedWorkTest, is_not_made_of_calls_that_keep_memory) {
    Ref<Storage> kept;
    call = [&] {
        if (!kept) kept = device.allocate(1000);
    };
    EXPECT_FALSE(device.record(work));
    const Ref<Storage> other = device.allocate(1000);
    EXPECT_NE(other->data, kept->data);
    EXPECT_NO_THROW(kept = nullptr);
}

TEST_F(RecordedWorkTest, of_one_thread_leaves_others_alone) {
    call = [&] {
        EXPECT_TRUE(device.is_recording());
        std::thread([&] { EXPECT_FALSE(device.is_recording()); }).join();
    };
    EXPECT_TRUE(device.record(work));
    EXPECT_FALSE(device.is_recording());
}

}  // namespace
}  // namespace catena::testing
