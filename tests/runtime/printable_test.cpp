#include "runtime/core/system/printable.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(Printable, shows_what_would_command_a_terminal) {
    EXPECT_EQ(printable("l1/W añ☃"), "l1/W añ☃");
    EXPECT_EQ(printable("a\x1b[2Jb\r\n\x7f"), "a\\x1b[2Jb\\x0d\\x0a\\x7f");
    EXPECT_EQ(printable("two\nlines\x07", "\n"), "two\nlines\\x07");
    EXPECT_EQ(printable("\xc2\x9b[31m"), "\\x9b[31m") << "ESC [ in one character";
    EXPECT_EQ(printable("\xc2"), "\xc2");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

}  // namespace
}  // namespace catena
