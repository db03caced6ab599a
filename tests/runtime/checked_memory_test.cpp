// With CATENA_CHECK_MEMORY=1 a write outside of an array ends the process, wherever the array's
// memory comes from.
#include "runtime/core/memory/checked_memory.h"

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/dtype/half.h"
#include "runtime/cpu/scratch.h"
#include "runtime/program/run/scheduled_executable.h"
#include "tests/support/environment.h"

namespace catena {
namespace {

// The address sanitizer sees the write itself.
constexpr const char* behind = "1 bytes behind the array of 100 bytes|heap-buffer-overflow";
constexpr const char* before = "3 bytes before the array of 100 bytes|heap-buffer-overflow";

void write(void* array, int64_t at) { static_cast<volatile int8_t*>(array)[at] = 1; }

TEST(CheckedMemory, finds_what_was_written_behind_the_last_byte) {
    EXPECT_DEATH(
        {
            void* const block = checked_memory::allocate(100);
            write(block, 100);
            checked_memory::free(block, 100);
        },
        behind);
}

TEST(CheckedMemory, finds_what_was_written_before_the_first_byte) {
    EXPECT_DEATH(
        {
            void* const block = checked_memory::allocate(100);
            write(block, -3);
            checked_memory::free(block, 100);
        },
        before);
}

TEST(CheckedMemory, lets_all_bytes_of_a_block_be_written) {
    for (const size_t bytes : {1, 3, 4, 63, 64, 65, 100, 5000}) {
        const checked_memory::Block block(checked_memory::allocate(bytes), {bytes});
        EXPECT_EQ(uintptr_t(block.get()) % 64, 0u);
        std::memset(block.get(), 0, bytes);
    }
}

template <class T>
T first_of_a_fresh_block() {
    const checked_memory::Block block(checked_memory::allocate(sizeof(T)), {sizeof(T)});
    return *static_cast<const T*>(block.get());
}

TEST(CheckedMemory, is_not_a_number_before_it_is_written) {
    EXPECT_TRUE(std::isnan(first_of_a_fresh_block<float>()));
    EXPECT_TRUE(std::isnan(first_of_a_fresh_block<double>()));
    EXPECT_TRUE(std::isnan(half_bits_to_float(first_of_a_fresh_block<uint16_t>())));
    EXPECT_EQ(first_of_a_fresh_block<int64_t>(), -1);
}

/// Of tests that need the variable from the start: their statements run in a process of their own.
struct CheckedProcess : ::testing::Test {
    CheckedProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
    test::EnvironmentScope on{"CATENA_CHECK_MEMORY", "1"};
};

Array bytes(int64_t n) { return Array::empty({Dtype::int8, {n}}); }

TEST_F(CheckedProcess, checks_arrays) {
    EXPECT_DEATH({ write(bytes(100).raw_data(), 100); }, behind);
    EXPECT_DEATH(std::thread([] { write(bytes(100).raw_data(), -3); }).join(), before);
}

TEST_F(CheckedProcess, checks_each_piece_of_scratch_memory) {
    std::vector<std::byte> planned(512);
    EXPECT_DEATH(
        {
            Scratch memory(planned, 256);
            std::byte* const first = memory.take(100);
            memory.take(128);
            write(first, 100);
        },
        behind);
}

void write_behind(const program::KernelArguments* arguments, int64_t, int64_t) {
    write(arguments->pointers[0], 100);
}

TEST_F(CheckedProcess, checks_each_temporary_of_a_program) {
    program::Schedule schedule;
    for (const size_t offset : {0, 128})
        schedule.buffers.push_back({.bytes = 100, .offset = offset, .first = 0, .last = 0});
    schedule.arena_bytes = 256;
    program::KernelLaunch kernel;
    kernel.operands = {{.buffer = 0}};
    kernel.function = write_behind;
    kernel.units = 1;
    kernel.unit_nanoseconds = 1;
    schedule.kernels.push_back(kernel);
    schedule.launches.push_back({.kernels = {0}});
    EXPECT_DEATH(program::ScheduledExecutable(schedule).run({}, {}, {}, {}), behind);
}

}  // namespace
}  // namespace catena
