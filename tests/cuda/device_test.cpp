// The logic of the CUDA plug-in against a double of the driver: no device is needed.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cuda/cuda_device.h"
#include "runtime/graph/op/arithmetic.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(CudaDriver, that_is_not_there_is_no_driver) {
    EXPECT_THAT(cuda::load_driver("/nowhere/libcuda.so.1").complaint,
                HasSubstr("no driver: /nowhere/libcuda.so.1"));
}

TEST(CudaDriver, that_lacks_entries_is_too_old_and_says_what_is_needed) {
    // Any library that is none will do.
    EXPECT_THAT(cuda::load_driver("libc.so.6").complaint,
                AllOf(HasSubstr("driver too old: has"), HasSubstr("needs ")));
}

TEST(CudaDevice, keeps_elements) {
    RecordingDriver driver;
    CudaDevice device(0);
    const Array x = Array::from<float>({1, 2, 3, 4}).to(device);
    EXPECT_EQ(x.device().name(), "cuda:0");
    EXPECT_THAT(x.to_vector<float>(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(device.architecture(), "sm_90");
}

TEST(CudaDevice, hands_a_block_out_again_without_asking_the_driver) {
    RecordingDriver driver;
    CudaDevice device(0);
    const Type type{Dtype::float32, {1 << 20}};
    void* first;
    {
        const Array x = Array::empty(type, device);
        first = x.storage()->data;
    }
    EXPECT_EQ(device.memory_statistics().bytes_in_use, 0u);
    const Array y = Array::empty(type, device);
    EXPECT_EQ(y.storage()->data, first);
    EXPECT_EQ(driver.count("cuMemAlloc "), 1);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 0) << "the order of the stream is enough";
    const MemoryStatistics statistics = device.memory_statistics();
    EXPECT_EQ(statistics.bytes_in_use, 4194304u);
    EXPECT_EQ(statistics.peak_bytes, 4194304u);
    EXPECT_EQ(statistics.allocations, 2u);
    EXPECT_EQ(statistics.system_allocations, 1u);
}

TEST(CudaDevice, orders_a_second_stream_after_its_own_work) {
    RecordingDriver driver;
    CudaDevice device(0);
    auto stream = device.make_stream();
    driver.calls.clear();
    const auto filled = device.mark();
    stream->wait_for(*filled);
    EXPECT_NE(stream->handle(), nullptr);
    const auto done = stream->mark();
    EXPECT_TRUE(done->is_reached());
    ASSERT_EQ(driver.count("cuEventRecord"), 2);
    std::vector<std::string> order;
    for (const std::string& call : driver.calls)
        if (!call.starts_with("cuCtx")) order.push_back(call);
    EXPECT_EQ(order[0].substr(14), order[1].substr(18)) << "it waits for the event of the device";
    EXPECT_THAT(order[1], HasSubstr("cuStreamWaitEvent"));
    EXPECT_THAT(order[2], HasSubstr("cuEventRecord"));
    // A stream that is no longer used serves again.
    void* const handle = stream->handle();
    stream.reset();
    EXPECT_EQ(device.make_stream()->handle(), handle);
}

TEST(CudaDevice, asks_events_for_the_time_between_marks_and_waits_once) {
    RecordingDriver driver;
    CudaDevice device(0);
    const auto timer = device.make_timer();
    EXPECT_THAT(timer->seconds(), ElementsAre());
    timer->mark();
    EXPECT_THAT(timer->seconds(), ElementsAre());
    timer->mark();
    timer->mark();
    EXPECT_EQ(driver.count("cuEventRecord"), 3);
    driver.calls.clear();
    EXPECT_THAT(timer->seconds(), ElementsAre(DoubleNear(1e-3, 1e-9), DoubleNear(1e-3, 1e-9)));
    EXPECT_EQ(driver.count("cuEventSynchronize"), 1);
    EXPECT_EQ(driver.count("cuEventElapsedTime"), 2);
    driver.failing = "cuEventElapsedTime", driver.failure = CUDA_ERROR_ILLEGAL_ADDRESS;
    EXPECT_THAT(message_of([&] { timer->seconds(); }), HasSubstr("cuEventElapsedTime"));
}

TEST(CudaDevice, cuts_small_blocks_from_one_allocation) {
    RecordingDriver driver;
    CudaDevice device(0);
    std::vector<Array> arrays;
    for (int i = 0; i < 100; ++i) arrays.push_back(Array::empty({Dtype::float32, {i + 1}}, device));
    EXPECT_EQ(driver.count("cuMemAlloc "), 1);
    for (const Array& x : arrays) EXPECT_EQ(uintptr_t(x.storage()->data) % 256, 0u);
}

TEST(CudaDevice, gives_cached_memory_back_before_it_gives_up) {
    RecordingDriver driver;
    driver.memory_left = 10 << 20;
    CudaDevice device(0);
    {
        const Array x = Array::empty({Dtype::uint8, {4 << 20}}, device);
    }
    const Array y = Array::empty({Dtype::uint8, {9 << 20}}, device);
    EXPECT_EQ(driver.count("cuMemFree 6291456"), 1);
    const std::string text = message_of([&] { Array::empty({Dtype::uint8, {4 << 20}}, device); });
    EXPECT_THAT(text, AllOf(HasSubstr("cuda:0: no room for 4.2 MB"),
                            HasSubstr("arrays use 9.4 MB of 10.5 MB"), HasSubstr("are free")));
}

TEST(CudaDevice, makes_its_context_current_once_for_each_thread) {
    RecordingDriver driver;
    CudaDevice first(0), second(1);
    driver.calls.clear();
    auto use = [](CudaDevice& device) { Array::empty({Dtype::float32, {8}}, device); };
    use(first);
    use(first);
    use(second);
    EXPECT_EQ(driver.count("cuCtxSetCurrent 100"), 1);
    EXPECT_EQ(driver.count("cuCtxSetCurrent 101"), 1);
    std::thread([&] { use(second); }).join();
    EXPECT_EQ(driver.count("cuCtxSetCurrent 101"), 2);
}

TEST(CudaDevice, lets_peers_reach_each_other_once) {
    RecordingDriver driver;
    CudaDevice first(0), second(1);
    const Array x = Array::from<float>({1, 2, 3}).to(first);
    for (int i = 0; i < 3; ++i)
        EXPECT_THAT(x.to(second).to(first).to_vector<float>(), ElementsAre(1, 2, 3));
    EXPECT_EQ(driver.count("cuCtxEnablePeerAccess 101 to 100"), 1);
    EXPECT_EQ(driver.count("cuCtxEnablePeerAccess 100 to 101"), 1);
    EXPECT_EQ(driver.count("cuMemcpyPeerAsync"), 6);
}

TEST(CudaDevice, copies_from_a_peer_that_it_cannot_reach_and_says_so) {
    RecordingDriver driver;
    driver.connected = false;
    CudaDevice first(0), second(1);
    const Array x = Array::from<float>({1, 2, 3}).to(first);
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i) EXPECT_THAT(x.to(second).to_vector<float>(), ElementsAre(1, 2, 3));
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(text.find("catena: cuda:1: it does not reach the memory of cuda:0 (the two are not "
                        "connected): copies from "
                        "there pass through the host\n"),
              0u)
        << text;
    EXPECT_EQ(text.rfind("cuda:1: it does not reach"), text.find("cuda:1: it does not reach"))
        << "once";
    EXPECT_EQ(driver.count("cuCtxEnablePeerAccess"), 0);
    EXPECT_EQ(driver.count("cuMemcpyPeerAsync 12 from 100 to 101"), 3)
        << "the driver takes them through the host";
}

TEST(CudaDevice, that_others_have_made_reach_its_peer_does) {
    RecordingDriver driver;
    driver.failing = "cuCtxEnablePeerAccess";
    driver.failure = CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;  // By NCCL, for example.
    CudaDevice first(0), second(1);
    const Array x = Array::from<float>({1, 2, 3}).to(first);
    ::testing::internal::CaptureStderr();
    EXPECT_THAT(x.to(second).to_vector<float>(), ElementsAre(1, 2, 3));
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(CudaDevice, copies_from_a_peer_in_the_order_of_both_streams) {
    RecordingDriver driver;
    CudaDevice first(0), second(1);
    const Array x = Array::from<float>({1, 2, 3}).to(first);
    driver.calls.clear();
    const Array y = x.to(second);
    EXPECT_EQ(driver.count("cuMemcpyPeerAsync 12 from 100 to 101"), 1);
    EXPECT_EQ(driver.count("cuStreamWaitEvent"), 2);
    EXPECT_EQ(driver.count("cuMemcpyDtoH"), 0);
    EXPECT_THAT(y.to_vector<float>(), ElementsAre(1, 2, 3));
}

TEST(CudaDevice, error_names_call_kernel_and_line) {
    RecordingDriver driver;
    CudaDevice device(0);
    const std::string name = "rows_7";
    const void* kernel = device.load("", {&name, 1})[0];
    driver.failing = "cuLaunchKernel";
    driver.failure = CUDA_ERROR_ILLEGAL_ADDRESS;
    SourceLoc line;
    line.file = "model.cpp";
    line.line = 42;
    uint64_t argument = 0;
    const std::string text = message_of([&] {
        device.launch_code({.kernel = kernel,
                            .name = "rows_7",
                            .blocks = 3,
                            .threads = 256,
                            .arguments = &argument,
                            .bytes = 8,
                            .location = line});
    });
    EXPECT_EQ(text,
              "cuda:0: cuLaunchKernel(rows_7, 3 blocks of 256 threads): "
              "CUDA_ERROR_ILLEGAL_ADDRESS: so says the double (at "
              "model.cpp:42)");
}

TEST(CudaDevice, replays_launches_as_one_graph_and_updates_what_changed) {
    RecordingDriver driver;
    CudaDevice device(0);
    const std::string names[] = {"a", "b", "c"};
    const std::vector<const void*> kernels = device.load("", names);
    uint64_t arguments[] = {11, 22, 33};
    std::vector<CodeDevice::Launch> launches;
    for (size_t i = 0; i < 3; ++i)  // a and b beside each other, then c
        launches.push_back({.kernel = kernels[i],
                            .name = names[i].c_str(),
                            .blocks = 2,
                            .threads = 256,
                            .arguments = &arguments[i],
                            .bytes = 8,
                            .level = uint32_t(i / 2)});
    std::unique_ptr<CodeDevice::Replay> memory;
    driver.calls.clear();
    device.replay(memory, launches);
    EXPECT_EQ(driver.count("cuGraphAddKernelNode"), 3);
    EXPECT_EQ(driver.count("cuGraphAddEmptyNode after 2"), 1);
    EXPECT_EQ(driver.count("cuGraphInstantiate"), 1);
    EXPECT_EQ(driver.count("cuGraphExecKernelNodeSetParams"), 0);
    EXPECT_EQ(driver.count("cuGraphLaunch"), 1);

    driver.calls.clear();
    arguments[1] = 44;
    device.replay(memory, launches);
    EXPECT_EQ(driver.count("cuGraphExecKernelNodeSetParams"), 1);
    EXPECT_EQ(driver.calls[0],
              fmt::format("cuGraphExecKernelNodeSetParams {} 44", uintptr_t(kernels[1])));
    EXPECT_EQ(driver.count("cuGraphLaunch"), 1);
    EXPECT_EQ(driver.calls.size(), 2u);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 0);
}

TEST(CudaDevice, and_the_host_do_not_mix_in_one_operation) {
    RecordingDriver driver;
    CudaDevice device(0);
    const Variable x(Array::from<float>({1, 2}).to(device), false),
        y(Array::from<float>({1, 2}), false);
    EXPECT_THAT(message_of([&] { x + y; }),
                AllOf(HasSubstr("add"), HasSubstr("cuda:0"), HasSubstr("cpu")));
}

}  // namespace
}  // namespace catena::testing
