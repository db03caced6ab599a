#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/checked_memory.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// Of tests of what the pool keeps.
struct MemoryKept : ::testing::Test {
    void SetUp() override {
        if (checked_memory::is_on()) GTEST_SKIP() << "CATENA_CHECK_MEMORY: the pool keeps nothing";
    }
};

Array bytes(int64_t n) { return Array::empty({Dtype::int8, {n}}); }

TEST(MemoryPool, counts_live_bytes_and_their_peak) {
    reset_peak_memory();
    const size_t before = cpu_memory_statistics().bytes_in_use;
    {
        const Array a = bytes(1000), b = bytes(5'000'000);
        EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before + 5'001'000);
    }
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
    EXPECT_EQ(cpu_memory_statistics().peak_bytes, before + 5'001'000);
    reset_peak_memory();
    EXPECT_EQ(cpu_memory_statistics().peak_bytes, before);
}

size_t resident_bytes() {
    size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * size_t(sysconf(_SC_PAGESIZE));
}

TEST_F(MemoryKept, released_blocks_leave_the_process_whatever_lies_between) {
    void* volatile large =
        std::malloc(size_t(30) << 20);  // From now on malloc takes as large ones from its heap.
    std::free(large);
    release_cached_memory();
    const size_t before = resident_bytes();
    std::vector<std::unique_ptr<char[]>> notes;
    {
        std::vector<Array> blocks;
        for (int i = 0; i < 400; ++i) {
            blocks.push_back(bytes(500'000));
            std::memset(blocks.back().raw_data(), 1, 500'000);
            notes.push_back(std::make_unique<char[]>(1000));
        }
        EXPECT_GT(resident_bytes(), before + 150'000'000);
    }
    release_cached_memory();
    EXPECT_LT(resident_bytes(), before + 50'000'000);
}

TEST_F(MemoryKept, a_steady_state_asks_the_system_for_nothing) {
    const auto work = [] {
        std::vector<Array> live;
        for (int64_t n : {1, 100, 4000, 70'000, 1'000'000, 9'000'000}) live.push_back(bytes(n));
        live.push_back(bytes(4000));
    };
    for (int i = 0; i < 3; ++i) work();
    const MemoryStatistics before = cpu_memory_statistics();
    for (int i = 0; i < 1000; ++i) work();
    const MemoryStatistics after = cpu_memory_statistics();
    EXPECT_EQ(after.system_allocations, before.system_allocations);
    EXPECT_EQ(after.bytes_reserved, before.bytes_reserved);
    EXPECT_EQ(after.allocations, before.allocations + 7000);
}

TEST_F(MemoryKept, short_lived_blocks_of_several_sizes_take_the_largest) {
    release_cached_memory();
    const size_t before = cpu_memory_statistics().bytes_reserved;
    const auto work = [](int64_t n) {
        const ShortLivedMemory soon_free;
        bytes(n);
    };
    for (int64_t n = 10'000'000; n <= 60'000'000; n += 5'000'000) work(n);
    const MemoryStatistics grown = cpu_memory_statistics();
    EXPECT_GE(grown.bytes_reserved, before + 60'000'000);
    EXPECT_LE(grown.bytes_reserved, before + 68'000'000)
        << "each new block is made of the one before";
    for (int64_t n = 60'000'000; n >= 10'000'000; n -= 5'000'000) work(n);
    EXPECT_EQ(cpu_memory_statistics().system_allocations, grown.system_allocations)
        << "the largest serves all sizes";
}

TEST_F(MemoryKept, a_short_lived_block_is_made_of_cached_ones) {
    release_cached_memory();
    {
        std::vector<Array> eager;
        for (int i = 0; i < 20; ++i) eager.push_back(bytes(3'000'000));
    }
    const size_t before = cpu_memory_statistics().bytes_reserved;
    const ShortLivedMemory soon_free;
    bytes(40'000'000);
    EXPECT_LT(cpu_memory_statistics().bytes_reserved, before + 8'000'000);
}

TEST_F(MemoryKept, blocks_of_sizes_that_are_over_become_those_of_larger_ones) {
    release_cached_memory();
    const size_t before = cpu_memory_statistics().bytes_reserved;
    int sizes = 0;
    for (int64_t n = 200'000; n <= 1'500'000; n += n / 7, ++sizes)
        for (int call = 0; call < 1100; ++call) bytes(n);
    EXPECT_GE(sizes, 12);
    EXPECT_LE(cpu_memory_statistics().bytes_reserved, before + 4'500'000)
        << "more than three blocks";
}

TEST_F(MemoryKept, what_stays_takes_no_block_that_is_much_too_large) {
    release_cached_memory();
    bytes(40'000'000);  // Cached from now on.
    const size_t before = cpu_memory_statistics().bytes_reserved;
    const ShortLivedMemory soon_free;
    {
        const LongLivedMemory stays;
        const Array kept = bytes(3'000'000);
        EXPECT_GE(cpu_memory_statistics().bytes_reserved, before + 3'000'000);
    }
    release_cached_memory();
    bytes(40'000'000);
    const size_t cached = cpu_memory_statistics().bytes_reserved;
    const Array soon = bytes(3'000'000);
    EXPECT_EQ(cpu_memory_statistics().bytes_reserved, cached) << "short-lived again";
}

TEST(MemoryPool, live_blocks_do_not_overlap) {
    std::vector<Array> live;
    for (int i = 0; i < 3000; ++i) {
        live.push_back(bytes(1 + i * 37 % 5000));
        std::memset(live.back().raw_data(), i % 251, size_t(live.back().size()));
        if (i % 3 == 0) live.erase(live.begin() + i * 7 % int64_t(live.size()));
    }
    for (const Array& x : live) {
        const auto* data = static_cast<const uint8_t*>(x.raw_data());
        for (int64_t i = 1; i < x.size(); ++i) ASSERT_EQ(data[i], data[0]);
    }
}

TEST(MemoryPool, blocks_may_be_freed_on_another_thread) {
    const size_t before = cpu_memory_statistics().bytes_in_use;
    for (int round = 0; round < 20; ++round) {
        std::vector<Array> made;
        std::thread([&] {
            for (int i = 0; i < 500; ++i) made.push_back(bytes(64 + i));
        }).join();
        made.clear();
    }
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
}

TEST(MemoryPool, threads_work_side_by_side) {
    const size_t before = cpu_memory_statistics().bytes_in_use;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            for (int i = 0; i < 20'000; ++i) {
                const Array a = bytes(1 + (i * 131 + t) % 100'000), b = bytes(64);
                *static_cast<int8_t*>(a.raw_data()) = *static_cast<int8_t*>(b.raw_data()) =
                    int8_t(i);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(cpu_memory_statistics().bytes_in_use, before);
}

TEST_F(MemoryKept, release_gives_cached_blocks_back) {
    {
        const Array big = bytes(50'000'000);
    }
    EXPECT_GE(cpu_memory_statistics().bytes_reserved, 50'000'000u);
    release_cached_memory();
    EXPECT_LT(cpu_memory_statistics().bytes_reserved, 50'000'000u);
}

TEST(MemoryPool, an_impossible_size_is_an_error_with_the_number) {
    try {
        bytes(int64_t(1) << 46);
        FAIL() << "not refused";
    } catch (const DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find("70368744177664"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace catena
