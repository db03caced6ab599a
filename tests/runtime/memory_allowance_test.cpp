#include "runtime/core/memory/memory_allowance.h"

#include <string>

#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena::testing {
namespace {

Array megabytes(int64_t count) { return Array::empty({Dtype::uint8, {count << 20}}, cpu_device()); }

TEST(MemoryAllowance, counts_what_is_taken_at_a_time) {
    const MemoryAllowance allowed(uint64_t(8) << 20);
    for (int times = 0; times < 5; ++times) megabytes(7);  // Given back each time.
    const Array first = megabytes(5);
    EXPECT_THROW(megabytes(5), FileError);
    megabytes(2);
}

TEST(MemoryAllowance, says_what_is_asked_for_and_what_is_left) {
    const MemoryAllowance allowed(uint64_t(1) << 20);
    std::string what;
    try {
        megabytes(3);
    } catch (const FileError& error) {
        what = error.what();
    }
    EXPECT_NE(what.find("an array of 3145728 bytes is asked for, and 1048576 more are allowed"),
              std::string::npos)
        << what;
}

TEST(MemoryAllowance, of_an_outer_one_holds_inside_and_ends_with_it) {
    {
        const MemoryAllowance outer(uint64_t(4) << 20);
        const MemoryAllowance inner(uint64_t(1) << 40);
        EXPECT_THROW(megabytes(6), FileError);
        {
            const MemoryAllowance innermost(uint64_t(1) << 20);
            EXPECT_THROW(megabytes(2), FileError);
        }
        megabytes(2);
    }
    megabytes(6);
}

}  // namespace
}  // namespace catena::testing
