#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/extensions/report/parameter_statistics.h"
#include "frontend/trainer/extensions/report/variable_statistics_plot.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using namespace extensions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

class StatisticsTest : public testing::FolderTest {
protected:
    StatisticsTest()
        : it_(Dataset(
                  {Array::full({Dtype::float32, {6, 2}}, 1), Array::zeros({Dtype::int32, {6}})}),
              2) {
        adam_.setup(model_);
    }
    Classifier<Linear> model_{Linear(2, 2)};
    Adam adam_;
    SerialIterator it_;
};

TEST_F(StatisticsTest, are_numpys) {
    const std::vector<double> x{3, 0, 1, 2, 0};
    auto& all = default_statistics();
    EXPECT_THAT(all.at("mean")(x), ElementsAre(1.2));
    EXPECT_DOUBLE_EQ(all.at("std")(x)[0], std::sqrt(1.36));
    EXPECT_THAT(all.at("min")(x), ElementsAre(0.0));
    EXPECT_THAT(all.at("max")(x), ElementsAre(3.0));
    EXPECT_THAT(all.at("zeros")(x), ElementsAre(2.0));
    std::vector<double> percentiles = all.at("percentile")(x);
    ASSERT_EQ(percentiles.size(), 7u);
    EXPECT_DOUBLE_EQ(percentiles[3], 1.0);
    EXPECT_NEAR(percentiles[4], 2.3652, 1e-12);  // numpy.percentile(x, 84.13)
    EXPECT_NEAR(percentiles[6], 2.9948, 1e-12);
    EXPECT_TRUE(std::isnan(mean_of({})));
    const double with_nan[] = {1, std::nan("")};
    EXPECT_TRUE(std::isnan(percentiles_of(with_nan, std::vector<double>{50})[0]));
}

TEST_F(StatisticsTest, of_parameters_are_reported_under_their_paths) {
    for (bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        StandardUpdater updater(it_, adam_, model_, {.static_graph = compiled, .keep_grads = true});
        Trainer trainer(updater, {4, "iteration"}, path());
        ParameterStatistics statistics(model_, {.prefix = "p", .trigger = {2, "iteration"}});
        statistics.register_statistics("norm", [](std::span<const double> x) {
            double sum = 0;
            for (double v : x) sum += v * v;
            return std::vector<double>{std::sqrt(sum)};
        });
        EXPECT_THROW(statistics.register_statistics("norm", nullptr), ValueError);
        trainer.extend(std::move(statistics));
        std::vector<double> maxima, reported;
        std::set<std::string> keys;
        trainer.extend(
            [&](Trainer& t) {
                std::vector<double> w = elements_of(model_.predictor.W.array());
                maxima.push_back(*std::max_element(w.begin(), w.end()));
                for (auto& [key, value] : t.observation()) keys.insert(key);
                if (auto found = t.observation().find("p//predictor/W/data/max");
                    found != t.observation().end())
                    reported.push_back(found->second.value());
            },
            {.name = "look"});
        trainer.run();
        ASSERT_EQ(reported.size(), 2u);
        EXPECT_DOUBLE_EQ(reported[0], (maxima[0] + maxima[1]) / 2);
        EXPECT_DOUBLE_EQ(reported[1], (maxima[2] + maxima[3]) / 2);
        for (const char* key : {"p//predictor/W/grad/std", "p//predictor/b/grad/percentile/6",
                                "p//predictor/b/data/norm", "p//predictor/W/data/percentile/0"})
            EXPECT_TRUE(keys.contains(key)) << key;
    }
}

TEST_F(StatisticsTest, of_arrays_with_nan_can_be_skipped) {
    model_.predictor.b.set_array(Array::from<float>({NAN, 1}));
    testing::MockUpdater updater;
    Trainer trainer(updater, {1, "iteration"}, path());
    trainer.extend(ParameterStatistics(
        model_,
        {.statistics = {{"asked", [](std::span<const double>) { return std::vector<double>{1}; }}},
         .report_grads = false,
         .trigger = {1, "iteration"},
         .skip_nan_params = true}));
    trainer.run();
    EXPECT_TRUE(std::isnan(trainer.observation().at("/predictor/b/data/asked").value()));
    EXPECT_EQ(trainer.observation().at("/predictor/W/data/asked").value(), 1);
}

TEST_F(StatisticsTest, are_plotted_with_bands_of_percentiles) {
    StandardUpdater updater(it_, adam_, model_);
    Trainer trainer(updater, {12, "iteration"}, path());
    trainer.extend(
        VariableStatisticsPlot(model_, {.max_sample_size = 5, .trigger = {12, "iteration"}}));
    trainer.run();
    std::string table = content("statistics.dat");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
    std::istringstream first(table.substr(0, table.find('\n')));
    std::vector<double> row{std::istream_iterator<double>(first), {}};
    ASSERT_EQ(row.size(), 1 + 2 * (2 + 9u));
    EXPECT_LE(row[3], row[7]);  // Minimum and median of the data.
    EXPECT_THAT(content("statistics.gp"), HasSubstr("title '0% to 100%'"));
    EXPECT_THAT(content("statistics.gp"), HasSubstr("layout 2,2"));
    if (VariableStatisticsPlot::available()) {
        EXPECT_TRUE(content("statistics.png").starts_with("\x89PNG"));
    } else {
        EXPECT_FALSE(std::filesystem::exists(path("statistics.png")));
    }
    EXPECT_THAT(
        message_of<ValueError>([&] { VariableStatisticsPlot(model_, {.max_sample_size = 0}); }),
        HasSubstr("keep 1 or more"));
}

}  // namespace
}  // namespace catena
