#include "frontend/trainer/reporter.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/reporting_region.h"
#include "frontend/trainer/summary.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

struct Reporting : Chain {
    Linear l1{2, 2};
    Reporting() { add_children({{"l1", l1}}); }
    Variable operator()(const Variable& x) {
        Variable y = l1(x);
        report({{"sum", sum(y)}}, *this);
        report({{"inner", sum(y)}}, l1);
        return y;
    }
};

TEST(Reporter, names_values_after_the_link_that_reports) {
    Reporting model;
    Variable x(Array::full({Dtype::float32, {1, 2}}, 1), false);
    model(x);  // Without a reporter nothing happens.
    Reporter reporter;
    reporter.add_observers("main", model);
    Observation outer, inner;
    {
        auto scope = reporter.scope(outer);
        model(x);
        {
            auto nested = reporter.scope(inner);
            report({{"plain", 3}});
        }
        report({{"after", 4.5}});
    }
    EXPECT_EQ(current_reporter(), nullptr);
    EXPECT_TRUE(outer.contains("main/sum"));
    EXPECT_TRUE(outer.contains("main/l1/inner"));
    EXPECT_EQ(outer.at("after").value(), 4.5);
    EXPECT_EQ(inner.at("plain").value(), 3);
    EXPECT_FALSE(outer.contains("plain"));
}

TEST(Reporter, refuses_links_it_does_not_know) {
    Reporting model, stranger;
    Reporter reporter;
    reporter.add_observers("main", model);
    Observation observation;
    auto scope = reporter.scope(observation);
    Variable x(Array::full({Dtype::float32, {1, 2}}, 1), false);
    EXPECT_THAT(message_of<ValueError>([&] { stranger(x); }),
                HasSubstr("Reporting is not registered"));
}

TEST(Reporter, keeps_graphs_only_when_told) {
    Reporter reporter;
    Observation observation;
    auto scope = reporter.scope(observation);
    Variable x(Array::scalar(2.0f));
    Variable y = x * x;
    report({{"y", y}});
    EXPECT_FALSE(observation.at("y").variable().requires_grad());
    auto keep = using_config(&Config::keep_graph_on_report, true);
    report({{"y", y}});
    EXPECT_TRUE(observation.at("y").variable().requires_grad());
}

TEST(Reporter, a_report_inside_a_region_is_one_at_every_call) {
    for (Audit audit : {Audit::always, Audit::never}) {
        auto region = static_graph(
            [](const Variable& x) {
                Variable y = x * 2;
                report({{"y", y}, {"n", 3.0}});
                return y;
            },
            {.audit = audit});
        for (int i = 0; i < 4; ++i) {
            Reporter reporter;
            Observation observation;
            auto scope = reporter.scope(observation);
            region(Variable(Array::scalar(float(i)), false));
            EXPECT_EQ(observation.at("y").value(), 2 * i);
            EXPECT_EQ(observation.at("n").value(), 3);
        }
    }
}

TEST(ReportingRegion, replays_report_too) {
    Reporter reporter;
    ReportingRegion region(
        [](const Batch& batch) { report({{"twice", batch[0] * 2}, {"sum", sum(batch[0])}}); },
        {.name = "reports"});
    for (int i = 0; i < 5; ++i) {
        Observation observation;
        auto scope = reporter.scope(observation);
        region(Batch(Variable(Array::full({Dtype::float32, {3}}, i), false)));
        EXPECT_EQ(observation.at("sum").value(), 3 * i);
        EXPECT_EQ(observation.at("twice").variable().array().to_vector<float>()[1], 2 * i);
    }
    EXPECT_EQ(region.statistics().compiled_calls, compiler_available() ? 5 : 0);
    double n = 0;
    ReportingRegion numbers([&](const Batch& batch) { report({{"n", ++n}}); },
                            {.audit = Audit::never});
    for (int i = 1; i < 5; ++i) {
        Observation observation;
        auto scope = reporter.scope(observation);
        numbers(Batch(Variable(Array::scalar(1.0f), false)));
        EXPECT_EQ(observation.at("n").value(), i);
    }
}

TEST(ReportingRegion, keeps_weights_that_change_from_call_to_call) {
    Reporter reporter;
    double weight = 0;
    ReportingRegion region(
        [&](const Batch& batch) { report({{"mean", Reported(sum(batch[0]), weight)}}); },
        {.audit = Audit::never});
    DictSummary summary;
    for (int i = 1; i < 5; ++i) {
        weight = i + 1;
        Observation observation;
        auto scope = reporter.scope(observation);
        region(Batch(Variable(Array::full({Dtype::float32, {2}}, i), false)));
        EXPECT_EQ(observation.at("mean").weight(), i + 1);
        summary.add(observation);
    }
    EXPECT_EQ(summary.compute_mean().at("mean"), 2.0 * (2 + 6 + 12 + 20) / (2 + 3 + 4 + 5));
}

TEST(Classifier, reports_loss_and_accuracy) {
    Classifier model{Linear(2, 3)};
    Reporter reporter;
    reporter.add_observers("main", model);
    Observation observation;
    auto scope = reporter.scope(observation);
    Variable x(Array::full({Dtype::float32, {4, 2}}, 1), false),
        t(Array::zeros({Dtype::int32, {4}}), false);
    Variable loss = model(x, t);
    EXPECT_EQ(observation.at("main/loss").value(), loss.item<float>());
    double accuracy = observation.at("main/accuracy").value();
    EXPECT_TRUE(accuracy == 0 || accuracy == 1);
    EXPECT_EQ(model.namedparams()[0].first, "/predictor/W");
}

TEST(Summary, weighs_and_measures) {
    Summary summary;
    summary.add(1);
    summary.add(4, 2);
    EXPECT_DOUBLE_EQ(summary.mean(), 3);
    EXPECT_NEAR(summary.deviation(), std::sqrt(2.0), 1e-12);
    DictSummary dict;
    dict.add({{"a", 1.0}, {"vector", Variable(Array::zeros({Dtype::float32, {2}}), false)}});
    dict.add({{"a", Reported(4.0, 2)}, {"b", 7}});
    EXPECT_DOUBLE_EQ(dict.compute_mean().at("a"), 3);
    EXPECT_EQ(dict.compute_mean().size(), 2u) << "a vector has no mean";
    EXPECT_TRUE(dict.make_statistics().contains("a.std"));
}

class SummaryFileTest : public testing::FolderTest {};

TEST_F(SummaryFileTest, sums_go_on_after_loading) {
    DictSummary summary, loaded;
    summary.add({{"main/loss", 1.0}, {"b", 5}});
    loaded.add({{"old", 1}});
    save_npz(path("s.npz"), summary);
    load_npz(path("s.npz"), loaded);
    for (DictSummary* s : {&summary, &loaded}) s->add({{"main/loss", 0.1}});
    EXPECT_EQ(loaded.compute_mean(), summary.compute_mean());
    EXPECT_EQ(loaded.make_statistics(), summary.make_statistics());
}

}  // namespace
}  // namespace catena
