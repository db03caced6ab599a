// Memory of the CUDA plug-in against a double of the driver: the pool, and pinned memory for
// copies.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cuda/cuda_device.h"
#include "tests/cuda/recording_driver.h"

namespace catena::testing {
namespace {

using cuda::CudaDevice;
using cuda::SegmentBlocks;

constexpr size_t megabyte = 1 << 20;

Type bytes_of(size_t bytes) { return {Dtype::uint8, Shape{int64_t(bytes)}}; }

TEST(CudaBlocks, are_cut_from_segments_and_join_again) {
    SegmentBlocks blocks;
    EXPECT_EQ(blocks.take(megabyte), 0u);
    blocks.add({1ull << 40, 10 * megabyte});
    const CUdeviceptr a = blocks.take(3 * megabyte), b = blocks.take(2 * megabyte),
                      c = blocks.take(5 * megabyte);
    EXPECT_EQ(a, 1ull << 40);
    EXPECT_EQ(b, a + 3 * megabyte);
    EXPECT_EQ(c, b + 2 * megabyte);
    EXPECT_EQ(blocks.take(megabyte), 0u) << "all is in use";
    blocks.give_back(a);
    blocks.give_back(c);
    EXPECT_EQ(blocks.take(6 * megabyte), 0u) << "the free parts do not lie together";
    EXPECT_EQ(blocks.take(2 * megabyte), a) << "the smaller of the two that fit is cut";
    blocks.give_back(a);
    EXPECT_TRUE(blocks.unused().empty());
    blocks.give_back(b);
    ASSERT_EQ(blocks.unused().size(), 1u);
    EXPECT_EQ(blocks.unused()[0].bytes, 10 * megabyte);
    EXPECT_EQ(blocks.take(10 * megabyte), a);
}

TEST(CudaBlocks, of_neighbouring_segments_stay_apart) {
    SegmentBlocks blocks;
    blocks.add({1ull << 40, 2 * megabyte});
    blocks.add({(1ull << 40) + 2 * megabyte, 2 * megabyte});
    EXPECT_EQ(blocks.take(3 * megabyte), 0u) << "the driver gave two allocations";
    EXPECT_EQ(blocks.unused().size(), 2u);
}

TEST(CudaMemory, small_sizes_are_rounded_by_an_eighth_and_large_ones_to_512_bytes) {
    for (size_t bytes : {1ul, 512ul, 513ul, 5000ul, 131072ul, 131073ul, 1000000ul, 123456789ul}) {
        const size_t rounded = cuda::MemoryPool::rounded(bytes);
        EXPECT_GE(rounded, bytes);
        EXPECT_LE(rounded, bytes > 128 * 1024 ? bytes + 511
                                              : std::max<size_t>(bytes + bytes / 8 + 512, 512));
        EXPECT_EQ(cuda::MemoryPool::rounded(rounded), rounded);
    }
}

/// Steps of a training loop: activations of a batch are made one after another and freed in the
/// other order; every step has a length of its own.
void run_step(CudaDevice& device, int64_t length) {
    std::vector<Array> activations;
    for (int layer = 0; layer < 12; ++layer) {
        const auto width = size_t(1000 + 700 * (layer % 4));
        activations.push_back(Array::empty(bytes_of(size_t(length) * width * 4), device));
        const Array scratch = Array::empty(bytes_of(size_t(length * length) * 4), device);
    }
    while (!activations.empty()) activations.pop_back();
}

TEST(CudaMemory, varying_shapes_need_no_synchronization) {
    RecordingDriver driver;
    driver.memory_left = 600 * megabyte;
    CudaDevice device(0);
    std::mt19937 random(3);
    std::vector<int64_t> lengths;
    for (int step = 0; step < 300; ++step) lengths.push_back(200 + int64_t(random() % 1800));
    for (int64_t length : lengths) run_step(device, length);
    const MemoryStatistics statistics = device.memory_statistics();
    EXPECT_EQ(statistics.bytes_in_use, 0u);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 0);
    EXPECT_EQ(driver.count("cuMemFree "), 0);
    EXPECT_LE(statistics.bytes_reserved, 2 * statistics.peak_bytes);
    // What was there once is enough from then on.
    const int asked = driver.count("cuMemAlloc ");
    for (int64_t length : lengths) run_step(device, length);
    EXPECT_EQ(driver.count("cuMemAlloc "), asked);
    EXPECT_LE(asked, 20);
}

TEST(CudaMemory, shapes_that_only_grow_hold_a_few_times_the_last) {
    RecordingDriver driver;
    CudaDevice device(0);
    for (size_t size = 10; size <= 160; ++size) Array::empty(bytes_of(size * megabyte), device);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 0);
    EXPECT_LE(device.memory_statistics().bytes_reserved, 5 * 160 * megabyte);
    EXPECT_LE(driver.count("cuMemAlloc "), 12);
}

TEST(CudaMemory, live_blocks_do_not_overlap_and_end_as_whole_segments) {
    RecordingDriver driver;
    CudaDevice device(0);
    std::mt19937 random(7);
    std::vector<Array> live;
    for (int i = 0; i < 2000; ++i) {
        if (live.size() > 40 || (random() % 3 == 0 && !live.empty())) {
            std::swap(live[random() % live.size()], live.back());
            live.pop_back();
            continue;
        }
        live.push_back(Array::empty(bytes_of(1 + random() % (8 * megabyte)), device));
        const auto* begin = static_cast<const char*>(live.back().storage()->data);
        EXPECT_EQ(uintptr_t(begin) % 256, 0u);
        for (size_t k = 0; k + 1 < live.size(); ++k) {
            const auto* other = static_cast<const char*>(live[k].storage()->data);
            ASSERT_TRUE(begin + live.back().size() <= other || other + live[k].size() <= begin);
        }
    }
    live.clear();
    EXPECT_EQ(device.memory_statistics().bytes_in_use, 0u);
    device.release_cached_memory();
    EXPECT_LE(device.memory_statistics().bytes_reserved, 4 * megabyte)
        << "slabs of small blocks stay";
    EXPECT_GE(driver.memory_left, (size_t(1) << 30) - 4 * megabyte);
}

TEST(CudaMemory, gives_back_only_what_a_request_needs) {
    RecordingDriver driver;
    driver.memory_left = 200 * megabyte;
    CudaDevice device(0);
    {  // Four segments, each as large as its array: little is left for others.
        std::vector<Array> arrays;
        for (int i = 0; i < 4; ++i) arrays.push_back(Array::empty(bytes_of(48 * megabyte), device));
    }
    const int asked = driver.count("cuMemAlloc ");
    driver.calls.clear();
    const Array y = Array::empty(bytes_of(100 * megabyte), device);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 1);
    EXPECT_GE(driver.count("cuMemFree "), 1);
    EXPECT_LT(driver.count("cuMemFree "), asked) << "the others stay";
}

TEST(CudaStaging, takes_large_copies_in_pieces) {
    RecordingDriver driver;
    CudaDevice device(0);
    std::vector<uint8_t> values(9 * megabyte);
    for (size_t i = 0; i < values.size(); ++i) values[i] = uint8_t(i * 7);
    const Array x = Array::from(values, Shape{int64_t(values.size())}).to(device);
    EXPECT_EQ(driver.count("cuMemcpyHtoDAsync"), 3);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 0);
    EXPECT_EQ(x.to_vector<uint8_t>(), values);
}

TEST(CudaStaging, small_copies_share_memory_and_wait_for_nothing) {
    RecordingDriver driver;
    CudaDevice device(0);
    driver.busy = true;
    std::vector<Array> there;
    for (int i = 0; i < 10000; ++i) there.push_back(Array::from<float>({float(i)}).to(device));
    EXPECT_EQ(driver.count("cuEventSynchronize"), 0);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 0);
    EXPECT_EQ(driver.count("cuMemAllocHost 4194304"), 1);
    EXPECT_EQ(driver.count("cuEventRecord"), 0) << "nothing has to be waited for yet";
    EXPECT_EQ(there[4321].item<float>(), 4321);
}

TEST(CudaStaging, a_large_batch_waits_for_nothing_while_the_device_is_busy) {
    RecordingDriver driver;
    CudaDevice device(0);
    driver.busy = true;
    const Array batch = Array::zeros(bytes_of(100 * megabyte));
    const Array first = batch.to(device), second = batch.to(device);
    EXPECT_EQ(driver.count("cuEventSynchronize"), 0);
    EXPECT_EQ(driver.count("cuStreamSynchronize"), 0);
    // The memory is there for later batches, too.
    driver.busy = false;
    const int pinned = driver.count("cuMemAllocHost");
    const Array third = batch.to(device), fourth = batch.to(device);
    EXPECT_EQ(driver.count("cuMemAllocHost"), pinned);
}

TEST(CudaStaging, waits_for_the_oldest_copies_when_its_memory_is_full) {
    setenv("CATENA_CUDA_STAGING_MB", "16", 1);
    {
        RecordingDriver driver;
        CudaDevice device(0);
        driver.busy = true;
        const Array x = Array::zeros(bytes_of(40 * megabyte)).to(device);
        EXPECT_EQ(driver.count("cuMemAllocHost 4194304"), 4);
        EXPECT_EQ(driver.count("cuEventSynchronize"), 6) << "ten pieces in the place of four";
        std::vector<std::string> recorded, waited;
        for (const std::string& call : driver.calls) {
            if (call.starts_with("cuEventRecord ")) recorded.push_back(call.substr(14));
            if (call.starts_with("cuEventSynchronize ")) waited.push_back(call.substr(19));
        }
        ASSERT_GE(recorded.size(), waited.size());
        EXPECT_TRUE(std::equal(waited.begin(), waited.end(), recorded.begin()))
            << "the oldest each time";
    }
    unsetenv("CATENA_CUDA_STAGING_MB");
}

}  // namespace
}  // namespace catena::testing
