#include <cmath>
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/extensions/dump_graph.h"
#include "frontend/trainer/extensions/evaluator.h"
#include "frontend/trainer/extensions/fail_on_non_number.h"
#include "frontend/trainer/extensions/micro_average.h"
#include "frontend/trainer/extensions/observe_value.h"
#include "frontend/trainer/extensions/report/log_report.h"
#include "frontend/trainer/extensions/report/plot_report.h"
#include "frontend/trainer/extensions/report/print_report.h"
#include "frontend/trainer/extensions/report/progress_bar.h"
#include "frontend/trainer/extensions/shift.h"
#include "frontend/trainer/extensions/unchain_variables.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/support/command.h"
#include "tests/trainer/fixtures.h"
#include "tests/trainer/small_training.h"

namespace catena {
namespace {

using namespace extensions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::MockUpdater;
using testing::SmallTraining;

class ExtensionTest : public testing::FolderTest {
protected:
    /// Two epochs of two iterations that report 1, 2, 3, 4 as "x".
    void run(std::function<void(Trainer&)> prepare) {
        MockUpdater updater(2);
        updater.on_update = [](int64_t i) { report({{"x", double(i)}, {"half", double(i) / 2}}); };
        Trainer trainer(updater, {2, "epoch"}, path());
        prepare(trainer);
        trainer.run();
    }
    /// What `print` writes to its stream.
    std::string printed(std::function<void(std::FILE*)> print) {
        std::FILE* file = std::fopen(path("printed").c_str(), "w");
        print(file);
        std::fclose(file);
        return content("printed");
    }
};

TEST_F(ExtensionTest, log_report_writes_means_as_json_with_chainers_keys) {
    run([](Trainer& trainer) { trainer.extend(LogReport()); });
    auto log = nlohmann::json::parse(content("log"));
    ASSERT_EQ(log.size(), 2u);
    EXPECT_EQ(log[0]["x"], 1.5);
    EXPECT_EQ(log[1]["x"], 3.5);
    EXPECT_EQ(log[1]["epoch"], 2);
    EXPECT_EQ(log[1]["iteration"], 4);
    EXPECT_TRUE(log[1]["iteration"].is_number_integer());
    EXPECT_GT(log[1]["elapsed_time"], 0.0);
    EXPECT_THAT(content("log"), HasSubstr("\n        \"epoch\": 1,\n"));
}

TEST_F(ExtensionTest, log_report_chooses_keys_and_postprocesses) {
    run([](Trainer& trainer) {
        trainer.extend(LogReport({.keys = {"half"},
                                  .trigger = {2, "epoch"},
                                  .postprocess = [](LogEntry& entry) { entry.values["more"] = 7; },
                                  .filename = "other.json"}));
    });
    auto log = nlohmann::json::parse(content("other.json"));
    ASSERT_EQ(log.size(), 1u);
    EXPECT_FALSE(log[0].contains("x"));
    EXPECT_EQ(log[0]["half"], 1.25);
    EXPECT_EQ(log[0]["more"], 7);
}

TEST_F(ExtensionTest,
       log_reports_of_the_same_options_have_their_own_rows_which_a_shared_one_shows) {
    const extensions::LogReportOptions options{.trigger = {2, "iteration"}, .filename = ""};
    const auto first = std::make_shared<LogReport>(options),
               second = std::make_shared<LogReport>(options);
    run([&](Trainer& trainer) {
        trainer.extend(first).extend(second).extend(
            PrintReport({"x"}, LogReport(options), std::tmpfile()));
    });
    EXPECT_EQ(first->log().size(), 2u);
    EXPECT_EQ(second->log().size(), 2u);
    static_assert(!std::is_constructible_v<PrintReport, std::vector<std::string>, LogReport&>);
}

TEST_F(ExtensionTest, a_misspelt_key_is_warned_of_once_with_the_nearest) {
    const auto warnings = [&](std::function<void(Trainer&)> prepare) {
        ::testing::internal::CaptureStderr();
        run(std::move(prepare));
        return ::testing::internal::GetCapturedStderr();
    };
    const std::string of_print = warnings([&](Trainer& trainer) {
        trainer.extend(LogReport({.trigger = {1, "iteration"}}));
        trainer.extend(PrintReport({"epoch", "hlaf", "x"}, "LogReport", std::tmpfile()));
    });
    EXPECT_EQ(of_print, "catena: PrintReport: nothing reports 'hlaf'; the nearest key is 'half'\n");
    EXPECT_EQ(warnings([&](Trainer& t) {
                  t.extend(PrintReport({"eproch"}, LogReport({.filename = ""}), std::tmpfile()));
              }),
              "catena: PrintReport: nothing reports 'eproch'; the nearest key is 'epoch'\n");
    EXPECT_EQ(
        warnings([](Trainer& trainer) { trainer.extend(LogReport({.keys = {"half", "halv"}})); }),
        "catena: LogReport: nothing reports 'halv'; the nearest key is 'half'\n");
    EXPECT_THAT(
        warnings(
            [](Trainer& trainer) { trainer.extend(PlotReport({"x", "hal"}, {.x_key = "epoch"})); }),
        HasSubstr("catena: PlotReport: nothing reports 'hal'; the nearest key is 'half'\n"));
}

TEST_F(ExtensionTest, a_key_that_comes_late_is_not_warned_of) {
    ::testing::internal::CaptureStderr();
    MockUpdater updater(2);
    updater.on_update = [](int64_t i) {
        report({{"main/x", double(i)}});
        if (i > 8) report({{"validation/x", double(i)}});
    };
    Trainer trainer(updater, {6, "epoch"}, path());
    trainer.extend(LogReport())
        .extend(PrintReport({"validation/x", "nowhere"}, "LogReport", std::tmpfile()));
    trainer.run();
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "catena: PrintReport: nothing reports 'nowhere'; the nearest key is 'epoch'\n");
}

TEST_F(ExtensionTest, print_report_prints_chainers_table) {
    std::string table = printed([&](std::FILE* out) {
        run([&](Trainer& trainer) {
            trainer.extend(LogReport())
                .extend(PrintReport({"epoch", "validation/main/x", "x"}, "LogReport", out));
        });
    });
    EXPECT_EQ(table,
              "epoch       validation/main/x  x         \n"
              "1                              1.5         \n"
              "2                              3.5         \n");
    std::string own = printed([&](std::FILE* out) {
        run([&](Trainer& trainer) {
            trainer.extend(PrintReport({"x"}, LogReport({.filename = ""}), out));
        });
    });
    EXPECT_EQ(own, "x         \n1.5         \n3.5         \n");
    EXPECT_THAT(
        message_of<ValueError>([&] { run([](Trainer& t) { t.extend(PrintReport({"x"})); }); }),
        HasSubstr("no extension 'LogReport'"));
}

TEST_F(ExtensionTest, progress_bar_is_one_line_where_there_is_no_terminal) {
    std::string text = printed([&](std::FILE* out) {
        run([&](Trainer& trainer) {
            trainer.extend(ProgressBar({.update_interval = 1, .out = out}));
        });
    });
    EXPECT_THAT(text, ::testing::StartsWith("4 iterations, 2 epochs in "));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST_F(ExtensionTest, progress_bar_shows_bars_and_speed) {
    std::string text;
    run([&](Trainer& trainer) {
        auto bar = std::make_shared<ProgressBar>(ProgressBarOptions{.bar_length = 10});
        trainer.extend(
            [bar, &text](Trainer& t) {
                if (t.updater().iteration() == 3) text = bar->text(t);
            },
            {.name = "look"});
    });
    EXPECT_THAT(text,
                HasSubstr("     total [#######...] 75.00%\nthis epoch [#####.....] 50.00%\n"));
    EXPECT_THAT(text, HasSubstr("         3 iter, 1 epoch / 2 epochs\n"));
    EXPECT_THAT(text, HasSubstr("iters/sec. Estimated time to finish: "));
}

TEST_F(ExtensionTest, plot_report_draws_a_png_where_gnuplot_is) {
    run([](Trainer& trainer) {
        trainer.extend(PlotReport({"x", "absent"}, {.x_key = "epoch", .filename = "p.png"}));
    });
    EXPECT_THAT(content("p.dat"), HasSubstr("1 1.5\n2 3.5\n"));
    EXPECT_THAT(content("p.gp"), HasSubstr("set xlabel 'epoch'"));
    if (!PlotReport::available())
        GTEST_SKIP() << "gnuplot is not installed: only the script and the data were checked";
    EXPECT_TRUE(content("p.png").starts_with("\x89PNG"));
}

TEST_F(ExtensionTest, plot_report_says_what_to_do_without_gnuplot) {
    const char* before = std::getenv("PATH");
    std::string saved = before ? before : "";
    setenv("PATH", path().c_str(), 1);
    ::testing::internal::CaptureStderr();
    run([](Trainer& trainer) { trainer.extend(PlotReport({"x"})); });
    std::string text = ::testing::internal::GetCapturedStderr();
    setenv("PATH", saved.c_str(), 1);
    EXPECT_THAT(text, HasSubstr("gnuplot is not installed"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "said once";
    EXPECT_THAT(content("plot.dat"), HasSubstr("2 1.5\n"));
}

TEST_F(ExtensionTest, micro_average_divides_sums) {
    run([](Trainer& trainer) {
        trainer.extend(MicroAverage("x", "half", "ratio")).extend(LogReport());
    });
    EXPECT_EQ(nlohmann::json::parse(content("log"))[1]["ratio"], 2.0);
}

/// Values of a hyperparameter after 0, 1, 2, ... calls.
std::vector<double> values_of(Shift shift, double start, int n, const std::string& folder) {
    Linear model(1, 1);
    SGD sgd(start);
    sgd.setup(model);
    SerialIterator it(Dataset({Array::zeros({Dtype::float32, {4, 1}})}), 1);
    StandardUpdater updater(it, sgd, [&](const Variable& x) { return sum(model(x)); });
    Trainer trainer(updater, {n, "iteration"}, folder);
    trainer.extend(std::move(shift));
    std::vector<double> seen;
    trainer.extend([&](Trainer&) { seen.push_back(sgd.lr); },
                   {.name = "note", .call_before_training = true});
    trainer.run();
    return seen;
}

TEST_F(ExtensionTest, shifts_follow_their_schedules) {
    auto near = [&](Shift shift, std::vector<double> expected) {
        std::vector<double> seen = values_of(std::move(shift), 2, int(expected.size()) - 1, path());
        EXPECT_THAT(seen, ::testing::Pointwise(::testing::DoubleNear(1e-12), expected));
    };
    near(ExponentialShift("lr", 0.5), {2, 1, 0.5, 0.25});
    near(ExponentialShift("lr", 0.5, {.init = 4, .target = 1}), {4, 2, 1, 1});
    near(ExponentialShift("lr", 2, {.target = 5}), {2, 4, 5});
    near(InverseShift("lr", 1, 1), {2, 1, 2.0 / 3});
    near(LinearShift("lr", {1, 3}, {1, 3}), {1, 1, 2, 3, 3});
    near(MultistepShift("lr", 0.1, {2, 3}), {2, 2, 0.2, 0.02});
    near(PolynomialShift("lr", 2, 2), {2, 0.5, 0, 0});
    near(StepShift("lr", 0.5, 2), {2, 2, 1, 1, 0.5});
    near(WarmupShift("lr", 0, 2, 1), {0, 0.5, 1, 1});
    EXPECT_THAT(
        message_of<ValueError>([&] { values_of(ExponentialShift("alpha", 1), 1, 1, path()); }),
        HasSubstr("SGD: there is no hyperparameter 'alpha'; there are: lr"));
    EXPECT_THROW(ExponentialShift("lr", -1), ValueError);
}

TEST_F(ExtensionTest, evaluator_reports_means_in_test_mode) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {1, "epoch"}, path());
    SerialIterator test(
        Dataset({Array::full({Dtype::float32, {5, 2}}, 1), Array::zeros({Dtype::int32, {5}})}), 2,
        {.repeat = false, .shuffle = false});
    for (bool compiled : {false, true})
        trainer.extend(Evaluator(test, f.model, {.static_graph = compiled}));
    bool tested = false;
    trainer.extend(Evaluator(test, f.model,
                             [&](const Batch& batch) {
                                 tested = !config().train && !config().enable_backprop;
                                 report({{"n", Reported(double(batch[0].shape()[0]))}}, f.model);
                             }),
                   {.name = "sizes"});
    trainer.extend(LogReport());
    trainer.run();
    auto& entry = trainer.get_extension<LogReport>("LogReport").log().at(0);
    EXPECT_TRUE(tested);
    EXPECT_TRUE(config().train);
    EXPECT_DOUBLE_EQ(entry.values.at("sizes/main/n"), 5.0 / 3);
    EXPECT_NEAR(entry.values.at("validation/main/loss"), entry.values.at("validation_1/main/loss"),
                1e-6);
    EXPECT_TRUE(entry.values.contains("validation/main/accuracy"));
    EXPECT_TRUE(entry.values.contains("main/loss"));
    Evaluator alone(test, f.model);
    EXPECT_TRUE(alone.evaluate().contains("main/loss")) << "also without a trainer";
    EXPECT_THAT(message_of<ValueError>([&] { Evaluator(f.it, f.model); }),
                HasSubstr("the iterator repeats"));
}

TEST_F(ExtensionTest, observe_lr_reports_adams_present_rate) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {1, "epoch"}, path());
    trainer.extend(observe_lr()).extend(LogReport());
    trainer.run();
    double expected = 0.001 * std::sqrt(1 - std::pow(0.999, 3)) / (1 - std::pow(0.9, 3));
    EXPECT_DOUBLE_EQ(trainer.get_extension<LogReport>("LogReport").log()[0].values.at("lr"),
                     expected);
}

TEST_F(ExtensionTest, log_report_writes_infinities_as_python_does_and_reads_them_back) {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto run = [&](int64_t iterations, const std::string& resume) {
        SmallTraining f;
        StandardUpdater updater(f.it, f.adam, f.model);
        Trainer trainer(updater, {iterations, "iteration"}, path());
        trainer.extend(
            [&](Trainer&) {
                report({{"up", infinity}, {"down", -infinity}, {"none", std::nan("")}});
            },
            {.name = "values", .trigger = {1, "iteration"}, .priority = priority_writer});
        trainer.extend(LogReport({.trigger = {1, "iteration"}}));
        if (!resume.empty()) load_npz(resume, trainer);
        trainer.run();
        if (resume.empty()) save_npz(path("log.npz"), trainer);
        return trainer.get_extension<LogReport>("LogReport").log();
    };
    run(1, "");
    EXPECT_THAT(content("log"), HasSubstr("\"up\": Infinity"));
    EXPECT_THAT(content("log"), HasSubstr("\"down\": -Infinity"));
    EXPECT_THAT(content("log"), HasSubstr("\"none\": NaN"));
    const auto log = run(2, path("log.npz"));
    ASSERT_EQ(log.size(), 2u);
    EXPECT_EQ(log[0].values.at("up"), infinity);
    EXPECT_EQ(log[0].values.at("down"), -infinity);
    EXPECT_TRUE(std::isnan(log[0].values.at("none")));
}

TEST_F(ExtensionTest, fail_on_non_number_names_the_parameter) {
    SmallTraining f;
    f.model.predictor.b.set_array(
        Array::full({Dtype::float32, {2}}, std::numeric_limits<double>::infinity()));
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {3, "iteration"}, path());
    trainer.extend(FailOnNonNumber());
    EXPECT_THAT(message_of<ValueError>([&] { trainer.run(false); }), HasSubstr("main/predictor/"));
}

TEST_F(ExtensionTest, dump_graph_writes_the_loss_graph_once) {
    for (bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(compiled ? "compiled as a whole" : "eager");
        SmallTraining f;
        std::filesystem::remove(path("cg.dot"));
        std::filesystem::remove(path("cg.png"));
        StandardUpdater updater(f.it, f.adam, f.model, {.static_graph = compiled});
        Trainer trainer(updater, {3, "iteration"}, path());
        trainer.extend(DumpGraph("main/loss")).extend(LogReport());
        trainer.run();
        std::string dot = content("cg.dot");
        EXPECT_TRUE(dot.starts_with("digraph graphname{rankdir=TB;"));
        EXPECT_THAT(dot, HasSubstr("softmax_cross_entropy"));
        EXPECT_THAT(dot, HasSubstr("/predictor/W: [2,2], float32"));
        EXPECT_FALSE(config().keep_graph_on_report);
        EXPECT_EQ(f.adam.t(), 3);
        if (compiled) {
            EXPECT_EQ(updater.statistics().programs, 1);
        }
        if (DumpGraph::available()) {
            EXPECT_TRUE(content("cg.png").starts_with("\x89PNG"));
        } else {
            EXPECT_FALSE(std::filesystem::exists(path("cg.png")));
        }
    }
}

TEST_F(ExtensionTest, dump_graph_does_not_run_the_code_of_a_compiled_step_twice) {
    SmallTraining f;
    int calls = 0;
    auto loss = [&](const Variable& x, const Variable& t) {
        report({{"calls", ++calls}});
        return f.model(x, t);
    };
    StandardUpdater updater(f.it, f.adam, loss, {.static_graph = true});
    Trainer trainer(updater, {3, "iteration"}, path());
    trainer.extend(DumpGraph("main/loss")).extend(LogReport({.trigger = {1, "iteration"}}));
    trainer.run();
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(trainer.get_extension<LogReport>("LogReport").log()[2].values.at("calls"), 3);
}

TEST_F(ExtensionTest, log_report_names_files_after_the_row) {
    run([](Trainer& trainer) { trainer.extend(LogReport({.filename = "log_{epoch}_{x}"})); });
    EXPECT_EQ(nlohmann::json::parse(content("log_1_1.5")).size(), 1u);
    EXPECT_EQ(nlohmann::json::parse(content("log_2_3.5")).size(), 2u);
    EXPECT_THAT(
        message_of<ValueError>([&] {
            run([](Trainer& trainer) { trainer.extend(LogReport({.filename = "{none}"})); });
        }),
        HasSubstr("{none}"));
}

TEST_F(ExtensionTest, evaluator_calls_its_hook_first) {
    SmallTraining f;
    SerialIterator test(
        Dataset({Array::full({Dtype::float32, {5, 2}}, 1), Array::zeros({Dtype::int32, {5}})}), 2,
        {.repeat = false, .shuffle = false});
    int calls = 0;
    Evaluator evaluator(test, f.model, {.eval_hook = [&](Evaluator& e) {
                            calls += e.default_name() == "validation";
                        }});
    evaluator.evaluate();
    EXPECT_EQ(calls, 1);
}

TEST_F(ExtensionTest, plots_of_a_resumed_training_go_on) {
    auto trained = [&](int64_t until, bool resume) {
        MockUpdater updater(2);
        updater.on_update = [](int64_t i) { report({{"x", double(i)}}); };
        Trainer trainer(updater, {until, "epoch"}, path());
        trainer.extend(PlotReport({"x"}, {.commands = "set logscale y"}));
        if (resume) load_npz(path("t.npz"), trainer);
        trainer.run();
        save_npz(path("t.npz"), trainer);
        return content("plot.dat");
    };
    const std::string through = trained(4, false);
    trained(2, false);
    EXPECT_EQ(trained(4, true), through);
    EXPECT_THAT(content("plot.gp"), HasSubstr("set logscale y\nplot "));
}

TEST_F(ExtensionTest, dump_graph_takes_styles) {
    SmallTraining f;
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {1, "iteration"}, path());
    trainer.extend(
        DumpGraph("main/loss", "g.dot", {.rankdir = "LR", .function_style = "shape=\"oval\""}));
    trainer.run();
    EXPECT_THAT(content("g.dot"), HasSubstr("rankdir=LR"));
    EXPECT_THAT(content("g.dot"), HasSubstr("shape=\"oval\""));
    EXPECT_THAT(content("g.dot"), HasSubstr("octagon"));
}

TEST_F(ExtensionTest, unchain_variables_drops_reported_graphs) {
    SmallTraining f;
    auto keep = using_config(&Config::keep_graph_on_report, true);
    StandardUpdater updater(f.it, f.adam, f.model);
    Trainer trainer(updater, {2, "iteration"}, path());
    std::string seen;
    auto look = [&](Trainer& t) {
        seen += t.observation().at("main/loss").variable().body()->creator ? "graph " : "none ";
    };
    trainer.extend(unchain_variables());
    trainer.extend(look, {.name = "before", .priority = 1})
        .extend(look, {.name = "after", .priority = -1});
    trainer.run();
    EXPECT_EQ(seen, "graph none graph none ");
}

}  // namespace
}  // namespace catena
