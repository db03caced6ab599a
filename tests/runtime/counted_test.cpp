#include "runtime/core/system/counted.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(Counted, one_is_singular_and_every_other_number_plural) {
    EXPECT_EQ(counted(1, "call"), "1 call");
    EXPECT_EQ(counted(0, "call"), "0 calls");
    EXPECT_EQ(counted(2, "launch"), "2 launches");
    EXPECT_EQ(counted(1, "launch"), "1 launch");
    EXPECT_EQ(counted(3, "library call"), "3 library calls");
}

}  // namespace
}  // namespace catena
