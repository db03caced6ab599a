// An index out of range is told by the first device on which a result is read.
#include <gmock/gmock.h>

#include "frontend/catena.h"
#include "runtime/core/array/code_device.h"
#include "tests/several_devices/double.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

Variable numbers(const char* device) {
    return Variable(Array::from<float>({1, 2, 3, 4}).to(get_device(device)), false);
}
Variable place(int index, const char* device) {
    return Variable(Array::from<int>({0, index}).to(get_device(device)), false);
}

class FaultsOnSeveralDevices : public SeveralDevices {};

TEST_F(FaultsOnSeveralDevices, a_fault_is_told_where_its_result_has_gone) {
    const Variable y = copy(take(numbers("cuda:1"), place(7, "cuda:1"), 0), "cuda:0") +
                       take(numbers("cuda:0"), place(1, "cuda:0"), 0);
    EXPECT_THAT(message_of([&] { y.array().to_vector<float>(); }),
                HasSubstr("take: index 7 is outside of axis 0 of size 4"));
    EXPECT_EQ(y.array().to_vector<float>()[0], 2) << "It is told once.";
    numbers("cuda:1").array().to_vector<float>();
}

TEST_F(FaultsOnSeveralDevices, a_wait_tells_it_too_also_after_copies_both_ways) {
    const Variable there = copy(numbers("cuda:0"), "cuda:1");
    const Variable y = copy(take(there, place(9, "cuda:1"), 0), "cuda:0");
    EXPECT_THAT(message_of([&] { dynamic_cast<CodeDevice&>(get_device("cuda:0")).synchronize(); }),
                HasSubstr("index 9"));
    dynamic_cast<CodeDevice&>(get_device("cuda:1")).synchronize();
}

TEST_F(FaultsOnSeveralDevices, of_two_the_first_is_told) {
    const Variable x = numbers("cuda:0");
    const Variable y = take(x, place(5, "cuda:0"), 0), z = take(x, place(6, "cuda:0"), 0);
    EXPECT_THAT(message_of([&] { z.array().to_vector<float>(); }), HasSubstr("index 5"));
    EXPECT_EQ(z.array().to_vector<float>()[0], 1);
}

}  // namespace
}  // namespace catena::testing
