// What tests of this folder remember in the build folder.
#include "tests/structure/proven.h"

#include <gtest/gtest.h>

namespace catena::structure {
namespace {

std::string fresh_file(const std::string& name) {
    const std::string file = testing::TempDir() + name;
    std::filesystem::remove(file);
    return file;
}

TEST(Proven, is_what_an_earlier_run_added) {
    const std::string file = fresh_file("proven_earlier");
    {
        Proven first(file);
        EXPECT_FALSE(first.has("a"));
        first.add("a");
        EXPECT_TRUE(first.has("a"));
    }
    Proven second(file);
    EXPECT_TRUE(second.has("a"));
    EXPECT_FALSE(second.has("b"));
}

TEST(Proven, is_forgotten_when_nobody_asks) {
    const std::string file = fresh_file("proven_forgotten");
    {
        Proven(file).add("a");
    }
    {
        Proven(file).add("b");
    }
    Proven last(file);
    EXPECT_FALSE(last.has("a"));
    EXPECT_TRUE(last.has("b"));
}

}  // namespace
}  // namespace catena::structure
