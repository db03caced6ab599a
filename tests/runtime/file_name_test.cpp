#include "runtime/file/file_name.h"

#include <cctype>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(FileName, plain_names_stay_as_they_are) {
    for (const char* name : {"step", "train_step-2", "model.v3", "A"})
        EXPECT_EQ(file_name_of(name), name);
    EXPECT_EQ(file_name_of(std::string(100, 'x')), std::string(100, 'x'));
}

TEST(FileName, any_name_is_one_part_of_a_path_that_stays_in_its_folder) {
    const std::string names[] = {"",
                                 ".",
                                 "..",
                                 "../x",
                                 "/etc/passwd",
                                 "a/b",
                                 "a\\b",
                                 " ",
                                 "\n",
                                 "schritt für x",
                                 ".hidden",
                                 "~",
                                 std::string("nul\0nul", 7),
                                 std::string(5000, 'x'),
                                 std::string(300, '/')};
    const std::filesystem::path folder = "/dump/folder";
    for (const std::string& name : names) {
        const std::string file = file_name_of(name);
        EXPECT_EQ((folder / file).lexically_normal().parent_path(), folder) << name;
        EXPECT_FALSE(file.empty());
        EXPECT_NE(file[0], '.') << name;
        EXPECT_LE(file.size(), 100u) << name;
        for (unsigned char c : file)
            EXPECT_TRUE(std::isalnum(c) || c == '-' || c == '_' || c == '.') << name;
    }
}

TEST(FileName, distinct_names_stay_distinct) {
    const std::string names[] = {"a/b",
                                 "a_b",
                                 "a b",
                                 "a\\b",
                                 "",
                                 "_",
                                 ".",
                                 "..",
                                 "__",
                                 "../x",
                                 ".._x",
                                 file_name_of("a/b"),
                                 std::string(200, 'x'),
                                 std::string(201, 'x'),
                                 std::string(100, 'x')};
    std::set<std::string> files;
    for (const std::string& name : names)
        EXPECT_TRUE(files.insert(file_name_of(name)).second) << name;
}

}  // namespace
}  // namespace catena
