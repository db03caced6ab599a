#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/concat_examples.h"
#include "frontend/dataset/iterator/serial_iterator.h"
#include "frontend/dataset/tabular_dataset.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

Array range(int first, int last) {
    std::vector<int32_t> values(size_t(last - first));
    std::iota(values.begin(), values.end(), first);
    return Array::from(values, {last - first});
}

/// a: 0.., b: 10.., c: 20..
TabularDataset table(int rows = 5, TabularMode mode = TabularMode::tuple) {
    return tabular::from_data(
        {{"a", range(0, rows)}, {"b", range(10, 10 + rows)}, {"c", range(20, 20 + rows)}}, mode);
}

std::vector<int> ints(const TabularColumn& column) {
    std::vector<int> values;
    for (const Array& value : column) values.push_back(value.item<int>());
    return values;
}
std::vector<int> ints(const Example& example) { return ints(example.values()); }

TEST(TabularDataset, gives_examples_in_its_mode) {
    EXPECT_TRUE(table()[1].is_tuple());
    EXPECT_THAT(ints(table()[-1]), ElementsAre(4, 14, 24));
    EXPECT_EQ(table().asdict()[2]["b"].item<int>(), 12);
    EXPECT_TRUE(table(5, TabularMode::dict).astuple()[0].is_tuple());
    const Example single = table().column("c")[3];
    EXPECT_FALSE(single.is_tuple() || single.is_dict());
    EXPECT_EQ(single[0].item<int>(), 23);
    EXPECT_THROW(table()[5], ValueError);
    EXPECT_THROW(tabular::from_data({{"a", range(0, 2)}, {"b", range(0, 2)}}, TabularMode::none),
                 ValueError);
    EXPECT_THROW(tabular::from_data({{"a", range(0, 2)}, {"a", range(0, 2)}}), ValueError);
}

TEST(TabularDataset, slices_rows_and_columns) {
    const TabularDataset part = table().slice({3, -1, 0}, {"c", "a"});
    EXPECT_EQ(part.size(), 3);
    EXPECT_THAT(part.keys(), ElementsAre("c", "a"));
    EXPECT_THAT(ints(part[1]), ElementsAre(24, 4));
    EXPECT_THAT(ints(part.slice({2}).fetch()[0]), ElementsAre(20));
    EXPECT_THAT(ints(table().masked({true, false, false, true, false}).fetch()[1]),
                ElementsAre(10, 13));
    EXPECT_THAT(ints(table().rows(1, -1, 2).fetch()[0]), ElementsAre(1, 3));
    EXPECT_THAT(ints(table().columns({"b"}).fetch()[0]), ElementsAre(10, 11, 12, 13, 14));
    EXPECT_THAT(message_of<ValueError>([] { table().slice({5}); }),
                HasSubstr("no row 5; there are 5"));
    EXPECT_THAT(message_of<ValueError>([] { table().column("d"); }),
                HasSubstr("no column 'd'; there are a, b, c"));
    EXPECT_THROW(table().masked({true}), ValueError);
    EXPECT_THROW(table().rows(0, 5, 0), ValueError);
}

TEST(TabularDataset, reads_only_what_is_asked_for) {
    int calls = 0;
    const TabularDataset data = tabular::from_data(
        {{"cheap", range(0, 4)},
         {"dear", [&](int64_t row) { return ++calls, Array::scalar<int32_t>(int(row) * 2); }}});
    EXPECT_THAT(ints(data.column("cheap").fetch()[0]), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(calls, 0);
    EXPECT_THAT(ints(data.slice({3, 1}, {"dear"}).fetch()[0]), ElementsAre(6, 2));
    EXPECT_EQ(calls, 2);
    const TabularDataset wide = data.join({table(4)});
    EXPECT_THAT(ints(wide.columns({"b", "cheap"}).fetch()[0]), ElementsAre(10, 11, 12, 13));
    EXPECT_EQ(calls, 2);
    auto no_size = [] { tabular::from_data({{"f", [](int64_t) { return Array::scalar(1.f); }}}); };
    EXPECT_THAT(message_of<ValueError>(no_size), HasSubstr("must be given"));
}

TEST(TabularDataset, concatenates_rows_and_joins_columns) {
    const TabularDataset rows = table(3).concat({table(2), table(1)});
    EXPECT_EQ(rows.size(), 6);
    EXPECT_THAT(ints(rows.slice({5, 3, 2, 0, 4}).fetch()[0]), ElementsAre(0, 0, 2, 0, 1));
    EXPECT_THROW(table().concat({table().columns({"a"})}), ValueError);

    const TabularDataset columns = table(3).column("a").join(
        {tabular::from_data({{"z", range(7, 10)}}), table(3).columns({"c"})});
    EXPECT_THAT(columns.keys(), ElementsAre("a", "z", "c"));
    EXPECT_THAT(ints(columns[2]), ElementsAre(2, 9, 22));
    EXPECT_TRUE(columns[0].is_tuple());
    EXPECT_THAT(message_of<ValueError>([] { table(3).join({table(3)}); }),
                HasSubstr("twice: a, b, c, a, b, c"));
    EXPECT_THAT(
        message_of<ValueError>([] { table(3).join({tabular::from_data({{"z", range(0, 2)}})}); }),
        HasSubstr("the first has 3 rows, number 2 has 2"));
}

TEST(TabularDataset, transforms_examples_and_batches) {
    int calls = 0;
    const TabularDataset sums = table().transform(
        {"sum", "a"},
        [&](const Example& x) {
            ++calls;
            const int total =
                std::accumulate(x.values().begin(), x.values().end(), 0,
                                [](int s, const Array& v) { return s + v.item<int>(); });
            return Example({Array::scalar<int32_t>(total), x[0]});
        },
        TabularMode::dict);
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(sums[2]["sum"].item<int>(), 36);
    EXPECT_EQ(calls, 1);
    EXPECT_THAT(ints(sums.slice({0, 1}, {"sum"}).fetch()[0]), ElementsAre(30, 33));

    const TabularDataset reversed = table(3).column("a").transform_batch(
        {"r"},
        [](std::span<const TabularColumn> columns) {
            return std::vector<TabularColumn>{{columns[0].rbegin(), columns[0].rend()}};
        },
        TabularMode::none);
    EXPECT_THAT(ints(reversed.fetch()[0]), ElementsAre(2, 1, 0));
    EXPECT_EQ(reversed[1][0].item<int>(), 1);

    const TabularDataset wrong =
        table().transform({"x", "y"}, [](const Example& x) { return Example(x[0]); });
    EXPECT_THAT(message_of<ValueError>([&] { wrong[0]; }), HasSubstr("for the keys x, y"));
    const TabularDataset short_one =
        table().transform_batch({"x"}, [](std::span<const TabularColumn>) {
            return std::vector<TabularColumn>{{Array::scalar(1.f)}};
        });
    EXPECT_THAT(message_of<ValueError>([&] { short_one.fetch(); }),
                HasSubstr("gives 1 values of 'x' for 5 rows"));
}

TEST(TabularDataset, makes_batches_by_itself_or_by_a_converter) {
    const Batch batch = table(3).asdict().slice({2, 0}).convert();
    EXPECT_EQ(batch["b"].array().to_vector<int>(), (std::vector<int>{12, 10}));
    const TabularDataset longest =
        table(3).with_converter([](std::span<const TabularColumn> columns) {
            return Batch(
                Variable(Array::scalar<int32_t>(int(columns.size() * columns[0].size())), false));
        });
    EXPECT_EQ(longest.convert()[0].array().item<int>(), 9);
    EXPECT_EQ(longest.slice({0}).convert()[0].array().item<int>(), 3)
        << "parts convert as the whole";
    EXPECT_EQ(longest.concat({table(2)}).convert()[0].array().item<int>(), 15);
}

TEST(TabularDataset, is_a_dataset_for_iterators) {
    SerialIterator it(table(5).columns({"a", "c"}), 2, {.repeat = false, .shuffle = false});
    std::vector<int> seen;
    while (auto batch = it.next_batch())
        for (int v : (*batch)[1].array().to_vector<int>()) seen.push_back(v);
    EXPECT_THAT(seen, ElementsAre(20, 21, 22, 23, 24));
}

}  // namespace
}  // namespace catena
