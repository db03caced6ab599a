// What a class of the user's may list in its serialize function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Everything {
    int n = 3;
    float x = 1.5f;
    int64_t large = int64_t(1) << 40;
    double y = 0.1;
    bool flag = true;
    std::string text = "text";
    std::vector<float> floats{1.f, 0.1f};
    Array array = catena::array({{1, 2}, {3, 4}}), none;
    void serialize(const Serializer& s) {
        s("n", n);
        s("x", x);
        s("large", large);
        s("y", y);
        s("flag", flag);
        s("text", text);
        s("floats", floats);
        s("array", array);
        s("none", none);
    }
};

TEST(SerializerTypes, come_back) {
    Everything saved;
    saved.n = -7;
    saved.x = 0.1f;
    saved.array = catena::array({5, 6, 7});
    MemoryArchive archive;
    save_to(archive, serialize_function(saved));
    Everything loaded;
    loaded.floats.clear();
    loaded.none = catena::array({1});
    load_from(archive, serialize_function(loaded), {});
    EXPECT_EQ(loaded.n, -7);
    EXPECT_EQ(loaded.x, 0.1f);
    EXPECT_EQ(loaded.large, int64_t(1) << 40);
    EXPECT_THAT(loaded.floats, ElementsAre(1.f, 0.1f));
    EXPECT_EQ(to_string(loaded.array), "int32[3] {5, 6, 7}");
    EXPECT_FALSE(loaded.none.defined());
}

TEST(SerializerTypes, change_only_when_the_whole_file_is_right) {
    Everything saved;
    saved.large = 1;
    MemoryArchive archive;
    save_to(archive, serialize_function(saved));
    archive.write("n", Array::scalar(int64_t(1) << 40));
    Everything loaded;
    loaded.large = 2;
    try {
        load_from(archive, serialize_function(loaded), {});
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'n' is 1099511627776, which an int does not hold"));
    }
    EXPECT_EQ(loaded.large, 2);
    archive.write("n", Array::scalar(int64_t(4)));
    archive.write("array", catena::array({1.5}));
    EXPECT_THROW(load_from(archive, serialize_function(loaded), {}), FileError) << "no integers";
    EXPECT_EQ(loaded.n, 3);
}

TEST(SerializerTypes, keep_what_is_ignored_or_missing_where_that_is_allowed) {
    Everything saved;
    saved.array = catena::array({9});
    saved.n = 9;
    MemoryArchive archive;
    save_to(archive, serialize_function(saved));
    Everything loaded;
    load_from(archive, serialize_function(loaded), {.ignore_names = {"array"}});
    EXPECT_EQ(loaded.n, 9);
    EXPECT_EQ(loaded.array.size(), 4);
    MemoryArchive empty;
    load_from(empty, serialize_function(loaded), {.strict = false});
    EXPECT_EQ(loaded.n, 9);
    EXPECT_EQ(loaded.array.size(), 4);
    EXPECT_THROW(load_from(empty, serialize_function(loaded), {}), FileError);
}

}  // namespace
}  // namespace catena::testing
