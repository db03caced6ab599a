// Bytes of bools that are neither 0 nor 1, which files may have and C++ does not.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/serializer/memory_archive.h"
#include "runtime/core/array/array.h"
#include "runtime/file/bool_elements.h"

namespace catena::fuzz {
namespace {

std::string bytes_of_bools(const Array& array) {
    return {static_cast<const char*>(array.elements()), size_t(array.size())};
}

const std::string odd("\xff\0\2\1", 4), right("\1\0\1\1", 4);

TEST(Bools, of_packed_arrays_are_0_or_1) {
    std::string bytes = pack_arrays({Array::zeros({Dtype::bool_, {4}})});
    ASSERT_EQ(bytes.substr(bytes.size() - 4), std::string(4, '\0'));
    bytes.replace(bytes.size() - 4, 4, odd);
    EXPECT_EQ(bytes_of_bools(unpack_arrays(bytes, "a test")[0]), right);
}

TEST(Bools, are_settled_and_numbers_stay) {
    const Array bools = Array::zeros({Dtype::bool_, {4}}),
                numbers = Array::zeros({Dtype::int8, {4}});
    for (const Array& each : {bools, numbers}) odd.copy(static_cast<char*>(each.to_fill()), 4);
    settle_bools(bools);
    settle_bools(numbers);
    EXPECT_EQ(bytes_of_bools(bools), right);
    EXPECT_EQ(bytes_of_bools(numbers), odd);
}

}  // namespace
}  // namespace catena::fuzz
