#include "frontend/dataset/text_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/iterator/multithread_iterator.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

class TextDatasetTest : public testing::FolderTest {};

TEST_F(TextDatasetTest, gives_lines_without_their_ends) {
    write("a", "one\n\nthree\r\nvier \xc3\xbc");
    TextDataset text(path("a"));
    ASSERT_EQ(text.size(), 4);
    EXPECT_THAT(text.texts(0), ElementsAre("one"));
    EXPECT_THAT(text.texts(1), ElementsAre(""));
    EXPECT_THAT(text.texts(2), ElementsAre("three"));
    EXPECT_THAT(text.texts(3), ElementsAre("vier \xc3\xbc"));
    EXPECT_EQ(text_of(Dataset(text)[-1][0]), "vier \xc3\xbc");
    EXPECT_FALSE(Dataset(text)[0].is_tuple());
    EXPECT_THROW(text.texts(4), ValueError);
    write("ended", "x\ny\n");
    EXPECT_EQ(TextDataset(path("ended")).size(), 2);
    write("empty", "");
    EXPECT_EQ(TextDataset(path("empty")).size(), 0);
}

TEST_F(TextDatasetTest, a_byte_order_mark_belongs_to_no_line) {
    write("marked", "\xef\xbb\xbfone\ntwo");
    TextDataset text(path("marked"));
    ASSERT_EQ(text.size(), 2);
    EXPECT_THAT(text.texts(0), ElementsAre("one"));
    EXPECT_THAT(text.texts(1), ElementsAre("two"));
    write("empty", "\xef\xbb\xbf");
    EXPECT_EQ(TextDataset(path("empty")).size(), 0);
}

TEST_F(TextDatasetTest, pairs_and_filters_several_files) {
    write("en", "good morning\nyes\nno\n");
    write("de", "guten Morgen\nja\nnein\n");
    TextDataset text(
        {path("en"), path("de")},
        {.filter_func = [](const std::vector<std::string>& lines) { return lines[1].size() > 2; }});
    ASSERT_EQ(text.size(), 2);
    EXPECT_THAT(text.texts(1), ElementsAre("no", "nein"));
    EXPECT_EQ(Dataset(text)[0].size(), 2u);
    write("short", "a\n");
    EXPECT_THAT(message_of<FileError>([&] { TextDataset({path("en"), path("short")}); }),
                HasSubstr("has 1"));
    EXPECT_THROW(TextDataset(path("none")), FileError);
}

TEST_F(TextDatasetTest, is_read_by_several_threads) {
    std::string lines;
    for (int i = 0; i < 500; ++i)
        lines += std::string(size_t(i % 7), 'x') + std::to_string(i) + "\n";
    write("many", lines);
    MultithreadIterator it(TextDataset(path("many")), 50, {.repeat = false, .shuffle = false}, 3);
    int row = 0;
    while (auto examples = it.next())
        for (const Example& example : *examples) {
            EXPECT_EQ(text_of(example[0]), std::string(size_t(row % 7), 'x') + std::to_string(row));
            ++row;
        }
    EXPECT_EQ(row, 500);
}

}  // namespace
}  // namespace catena
