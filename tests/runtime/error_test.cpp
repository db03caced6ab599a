#include <string>

#include <gtest/gtest.h>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

SourceLoc place(const char* file, uint32_t line) {
    SourceLoc loc;
    loc.file = file;
    loc.line = line;
    return loc;
}

TEST(Error, names_the_users_line_when_it_is_known) {
    LocationScope scope(place("/home/user/mlp.cpp", 42));
    EXPECT_STREQ(ShapeError("relu: no").what(), "relu: no (at mlp.cpp:42)");
}

TEST(Error, is_the_bare_message_without_a_line) {
    EXPECT_STREQ(ShapeError("relu: no").what(), "relu: no");
}

TEST(LocationScope, the_outermost_known_line_wins) {
    {
        LocationScope unknown{SourceLoc()};
        LocationScope outer(place("user.cpp", 1));
        LocationScope inner(place("library.cpp", 2));
        EXPECT_EQ(to_string(current_location()), "user.cpp:1");
    }
    EXPECT_EQ(to_string(current_location()), "");
}

}  // namespace
}  // namespace catena
