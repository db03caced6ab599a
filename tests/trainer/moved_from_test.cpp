// Objects that were moved from, and null pointers, say what they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/parallel/multi_node_checkpointer.h"
#include "frontend/parallel/multi_node_evaluator.h"
#include "frontend/parallel/multi_node_iterator.h"
#include "frontend/parallel/multi_node_snapshot.h"
#include "frontend/parallel/observation_aggregator.h"
#include "frontend/parallel/optimizer/multi_node_optimizer.h"
#include "runtime/program/file/program.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(MovedFrom, datasets_and_their_iterators_say_so) {
    Dataset dataset(Array::zeros({Dtype::float32, {4, 1}}));
    const Dataset taken = std::move(dataset);
    EXPECT_EQ(taken.size(), 4);
    for (const auto& use : std::vector<std::function<void()>>{
             [&] { dataset.size(); }, [&] { dataset[0]; }, [&] { dataset.described(0); },
             [&] { SerialIterator(dataset, 2); }})
        EXPECT_THAT(message_of<ValueError>(use), HasSubstr("moved to another Dataset"));
    EXPECT_THAT(message_of<ValueError>([] { Dataset(std::shared_ptr<const DatasetMixin>()); }),
                HasSubstr("null"));
    SerialIterator serial(taken, 2);
    const SerialIterator other = std::move(serial);
    EXPECT_THAT(message_of<ValueError>([&] { serial.next(); }), HasSubstr("Dataset"));
}

TEST(MovedFrom, regions_say_so) {
    auto region = static_graph([](const Variable& x) { return x * 2.0; });
    const Variable x(Array::scalar(1.0f));
    region(x);
    auto taken = std::move(region);
    EXPECT_THAT(message_of<ValueError>([&] { region(x); }), HasSubstr("moved to another one"));
    for (const auto& use : std::vector<std::function<void()>>{
             [&] { region.explain(); }, [&] { region.statistics(); }, [&] { region.profile(); },
             [&] { region.clear(); }, [&] { region.save("moved.catena"); }})
        EXPECT_THAT(message_of<ValueError>(use), HasSubstr("moved to another one"));
    EXPECT_EQ(taken(x).item<float>(), 2);
}

TEST(MovedFrom, recurrent_links_are_empty) {
    LSTM lstm(2, 1);
    const Variable x(Array::full({Dtype::float32, {1, 2}}, 1));
    lstm(x);
    LSTM taken = std::move(lstm);
    EXPECT_TRUE(taken.h().defined());
    EXPECT_FALSE(lstm.h().defined());
}

TEST(NullCommunicator, is_refused_where_it_is_given) {
    const std::shared_ptr<Communicator> none;
    SGD sgd;
    for (const auto& use : std::vector<std::function<void()>>{
             [&] { create_multi_node_optimizer(sgd, none); },
             [&] { create_multi_node_iterator(nullptr, none); }, [&] { multi_node_snapshot(none); },
             [&] { extensions::ObservationAggregator(none, "main/loss"); },
             [&] { create_multi_node_checkpointer("name", none); },
             [&] {
                 create_multi_node_evaluator([] { return std::map<std::string, double>(); }, none);
             }})
        EXPECT_THAT(message_of<ValueError>(use), HasSubstr("its communicator is null"));
}

}  // namespace
}  // namespace catena
