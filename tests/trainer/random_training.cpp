#include "tests/trainer/random_training.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "frontend/dataset/datasets.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/extensions/evaluator.h"
#include "frontend/trainer/extensions/fail_on_non_number.h"
#include "frontend/trainer/extensions/micro_average.h"
#include "frontend/trainer/extensions/observe_value.h"
#include "frontend/trainer/extensions/report/log_report.h"
#include "frontend/trainer/extensions/report/parameter_statistics.h"
#include "frontend/trainer/extensions/report/plot_report.h"
#include "frontend/trainer/extensions/report/print_report.h"
#include "frontend/trainer/extensions/report/progress_bar.h"
#include "frontend/trainer/extensions/report/variable_statistics_plot.h"
#include "frontend/trainer/extensions/shift.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/extensions/stop_on_signal.h"
#include "frontend/trainer/extensions/unchain_variables.h"
#include "frontend/trainer/make_extension.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/triggers.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/noise/random.h"

namespace catena::testing {

namespace fs = std::filesystem;

/// What is drawn from a seed, always in the same order.
class Draw {
public:
    explicit Draw(uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15u + 1) {}
    int below(int n) { return int(engine_() % uint64_t(n)); }
    int from(int least, int most) { return least + below(most - least + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    T one_of(std::initializer_list<T> list) {
        return *(list.begin() + below(int(list.size())));
    }

private:
    std::mt19937_64 engine_;
};

namespace {

/// Says when the trigger within it fires.
class Noted final : public Trigger {
public:
    Noted(AnyTrigger trigger, std::string name, std::vector<std::string>& events)
        : trigger_(std::move(trigger)), name_(std::move(name)), events_(&events) {}
    bool operator()(Trainer& trainer) override {
        const bool fires = trigger_(trainer);
        if (fires) events_->push_back(fmt::format("{} {}", trainer.updater().iteration(), name_));
        return fires;
    }
    bool finished() const override { return trigger_.finished(); }
    bool is_over(const Trainer& trainer) const override { return trigger_.is_over(trainer); }
    std::optional<TrainingLength> training_length() const override {
        return trigger_.training_length();
    }
    void serialize(const Serializer& s) override { trigger_.serialize(s); }

private:
    AnyTrigger trigger_;
    std::string name_;
    std::vector<std::string>* events_;
};

/// Writes quickly, and notes how much had happened by then.
class NotingWriter final : public snapshot_writers::Writer {
public:
    NotingWriter(const std::vector<std::string>& events, std::optional<size_t>& saved_at)
        : events_(events), saved_at_(saved_at) {}
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after) override {
        save_npz(path, object, {.compression = false});
        saved_at_ = events_.size();
        if (after) after();
    }

private:
    const std::vector<std::string>& events_;
    std::optional<size_t>& saved_at_;
};

/// An extension of a user: a number of its own that changes the parameters.
struct Nudge final : Extension {
    explicit Nudge(Link& model) : model(model) {}
    void operator()(Trainer&) override {
        for (Parameter* p : model.params(false)) p->set_array((*p * (1 + 0.01 * ++times)).array());
    }
    void serialize(const Serializer& s) override { s("times", times); }
    std::string default_name() const override { return "Nudge"; }
    Link& model;
    int64_t times = 0;
};

struct Interruption : std::runtime_error {
    Interruption() : std::runtime_error("interrupted") {}
};

AnyTrigger drawn_interval(Draw& draw) {
    if (draw.chance(50)) return {draw.from(1, 5), "iteration"};
    return {draw.one_of({.1, .25, 1.0 / 3, .5, .7, 1.0, 1.5, 2.0}), "epoch"};
}

AnyTrigger drawn_trigger(Draw& draw) {
    switch (draw.below(10)) {
        case 0:
            return triggers::ManualScheduleTrigger({.5, 1.36, 2}, "epoch");
        case 1:
            return triggers::ManualScheduleTrigger({double(draw.from(1, 4)), 7}, "iteration");
        case 2:
            return triggers::OnceTrigger();
        case 3:
            return triggers::MaxValueTrigger("main/loss", drawn_interval(draw));
        case 4:
            return triggers::MinValueTrigger("main/accuracy", drawn_interval(draw));
        case 5:
            return triggers::TimeTrigger(draw.one_of({0.0, 1e9}));
        case 6:
            return [](Trainer& t) { return t.updater().iteration() % 3 == 1; };
        case 7:
            return triggers::EarlyStoppingTrigger(
                {.check_trigger = drawn_interval(draw), .patience = draw.from(1, 3)});
        default:
            return drawn_interval(draw);
    }
}

AnyTrigger drawn_stop(Draw& draw) {
    switch (draw.below(5)) {
        case 0:
            return {draw.one_of({.9, 1.5, 2.0}), "epoch"};
        case 1:
            return triggers::ManualScheduleTrigger({double(draw.from(6, 14)), 3}, "iteration");
        case 2:
            return triggers::EarlyStoppingTrigger({.check_trigger = drawn_interval(draw),
                                                   .patience = draw.from(1, 4),
                                                   .max_trigger = {14, "iteration"}});
        case 3: {
            const int last = draw.from(4, 14);
            return [last](Trainer& t) { return t.updater().iteration() >= last; };
        }
        default:
            return {draw.from(4, 14), "iteration"};
    }
}

extensions::Shift drawn_shift(Draw& draw) {
    using namespace extensions;
    switch (draw.below(9)) {
        case 0:
            return ExponentialShift("lr", 0.9);
        case 1:
            return InverseShift("lr", 0.1, 2);
        case 2:
            return LinearShift("lr", {0.2, 0.01}, {1, 8});
        case 3:
            return MultistepShift("lr", 0.5, {2, 5});
        case 4:
            return PolynomialShift("lr", 0.5, 12);
        case 5:
            return StepShift("lr", 0.7, 3);
        case 6:
            return WarmupShift("lr", 0.01, 4, 0.1);
        case 7:
            return CosineShift("lr", 9);
        default:
            return ChainedShift({{WarmupShift("lr", 0.01, 3, 0.1), 3}, {CosineShift("lr", 6), 6}});
    }
}

Dataset examples(int n) {
    std::vector<float> x;
    std::vector<int32_t> t;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) x.push_back(std::sin(float(i * 3 + k)));
        t.push_back(i % 2);
    }
    return TupleDataset(Array::from(x, {n, 3}), Array::from(t, {n}));
}

/// Without what a clock and the folder's name say.
std::string timeless(std::string text, const std::string& folder) {
    for (size_t at = 0; (at = text.find(folder, at)) != text.npos;) text.erase(at, folder.size());
    const std::string key = "\"elapsed_time\"";
    for (size_t at = 0; (at = text.find(key, at)) != text.npos; ++at)
        text.erase(at, text.find_first_of(",}\n", at) - at);
    return text;
}

std::string content_of(const std::string& path, const std::string& folder) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!text.starts_with("PK")) return timeless(std::move(text), folder);
    const NpzFile npz(path);
    text.clear();
    for (const std::string& key : npz.keys()) {
        if (key == "_snapshot_elapsed_time") continue;
        text += key + "=";
        try {
            const Array array = npz.read(key);
            if (array.defined())
                text.append(static_cast<const char*>(array.raw_data()),
                            size_t(array.size()) * size_of(array.dtype()));
        } catch (const FileError&) {
            text += timeless(npz.read_text(key), folder);
        }
    }
    return text;
}

}  // namespace

void RandomTraining::add(Draw& draw, Trainer& trainer, Outcome& outcome,
                         std::shared_ptr<Extension> extension, bool any_trigger) {
    const std::string name = extension->default_name();
    const AnyTrigger trigger = draw.chance(any_trigger ? 70 : 40) ? drawn_trigger(draw)
                               : any_trigger                      ? drawn_interval(draw)
                                                                  : extension->trigger();
    ExtendOptions options{.name = name, .trigger = Noted(trigger, name, outcome.events)};
    if (draw.chance(30)) options.priority = draw.one_of({350, 250, 150, 50, -50, -150, -250});
    description += fmt::format(" {}({})", name, options.priority.value_or(extension->priority()));
    trainer.extend(std::move(extension), options);
}

void RandomTraining::add_extensions(Draw& draw, Trainer& trainer, Outcome& outcome, Link& link) {
    using namespace extensions;
    const auto maybe = [&](int percent, const auto& make) {
        if (draw.chance(percent)) add(draw, trainer, outcome, make());
    };
    const auto interval = [&] { return drawn_interval(draw); };
    const auto writer = [&] {
        return std::make_shared<NotingWriter>(outcome.events, outcome.saved_at);
    };
    const auto other_writer = [&] {
        return std::make_shared<NotingWriter>(outcome.events, unused_);
    };
    saves_errors = draw.chance(30);
    const auto main_snapshot = [&] {
        add(draw, trainer, outcome,
            std::make_shared<Snapshot>(snapshot({.snapshot_on_error = saves_errors,
                                                 .n_retains = draw.one_of({-1, 1, 2}),
                                                 .autoload = true,
                                                 .writer = writer()})));
    };
    const bool snapshot_first = draw.chance(50);
    if (snapshot_first) main_snapshot();
    maybe(30, [&] { return std::make_shared<Evaluator>(*test_, *model_); });
    maybe(60, [&] { return std::make_shared<LogReport>(LogReportOptions{.trigger = interval()}); });
    maybe(30, [&] {
        return std::make_shared<PrintReport>(
            std::vector<std::string>{"epoch", "main/loss"},
            LogReport({.trigger = interval(), .filename = "printed"}), nowhere_.get());
    });
    maybe(5, [&] {
        return std::make_shared<PlotReport>(std::vector<std::string>{"main/loss"},
                                            PlotReportOptions{.trigger = interval()});
    });
    // No gradients: where an error ends an iteration, the rest of it is called without them.
    maybe(5, [&] {
        return std::make_shared<VariableStatisticsPlot>(
            link, VariableStatisticsPlotOptions{
                      .max_sample_size = 4, .report_grad = false, .trigger = interval()});
    });
    maybe(30, [&] {
        return std::make_shared<MicroAverage>("main/loss", "main/accuracy", "micro", interval());
    });
    maybe(20, [&] { return std::make_shared<ObserveValue>(observe_lr()); });
    maybe(20, [&] {
        return std::make_shared<ParameterStatistics>(
            link,
            ParameterStatisticsOptions{.statistics = {{"mean", default_statistics().at("mean")}},
                                       .report_grads = false,
                                       .trigger = interval()});
    });
    maybe(60, [&] { return std::make_shared<Shift>(drawn_shift(draw)); });
    maybe(10, [&] { return std::make_shared<FailOnNonNumber>(); });
    maybe(10, [&] { return std::make_shared<UnchainVariables>(); });
    maybe(10,
          [&] { return std::make_shared<ProgressBar>(ProgressBarOptions{.out = nowhere_.get()}); });
    maybe(5, [&] { return std::make_shared<StopOnSignal>(); });
    maybe(40, [&] { return std::make_shared<Nudge>(link); });
    maybe(20, [&] {
        return std::make_shared<FunctionExtension>(make_extension(
            [](Trainer& t) {
                t.observation().insert_or_assign("random",
                                                 double(random_uniform({}).item<float>()));
            },
            {.default_name = "random", .priority = priority_writer}));
    });
    maybe(30, [&] {
        return std::make_shared<Snapshot>(
            snapshot_object(link, "best", {.writer = other_writer()}));
    });
    maybe(20, [&] {
        return std::make_shared<Snapshot>(snapshot({.filename = "other_{.updater.epoch_detail}",
                                                    .n_retains = 2,
                                                    .writer = other_writer()}));
    });
    if (!snapshot_first) main_snapshot();
}

RandomTraining::Outcome RandomTraining::run(const std::string& folder, bool killed, bool resumed) {
    Draw draw(seed_);
    description.clear();
    set_seed(resumed ? 1000 : int64_t(seed_));
    Outcome outcome;
    const int size = draw.from(4, 10);
    Classifier<Linear> model{Linear(3, 2)};
    SGD sgd(0.1);
    sgd.setup(model);
    SerialIterator it(examples(size), draw.from(1, 4));
    SerialIterator test(examples(3), 2, {.repeat = false, .shuffle = draw.chance(50)});
    test_ = &test;
    model_ = &model;
    StandardUpdater updater(it, sgd, model);
    Trainer trainer(updater, drawn_stop(draw), folder);
    const int kill_at = draw.from(1, 14);
    const auto add_killer = [&, priority = draw.one_of({400, 250, 150, 50, -50, -150, -300})] {
        trainer.extend(
            [kill_at, killed](Trainer& t) {
                if (killed && t.updater().iteration() == kill_at) throw Interruption();
            },
            {.name = "killer", .trigger = {1, "iteration"}, .priority = priority});
    };
    const bool killer_first = draw.chance(50);
    if (killer_first) add_killer();
    add_extensions(draw, trainer, outcome, model);
    if (!killer_first) add_killer();
    try {
        trainer.run(false);
    } catch (const Interruption&) {
    }
    outcome.ended_at = updater.iteration();
    save_npz(folder + "/end", updater, {.compression = false});
    for (const auto& entry : fs::directory_iterator(folder))
        outcome.content[entry.path().filename()] = content_of(entry.path(), folder);
    return outcome;
}

}  // namespace catena::testing
