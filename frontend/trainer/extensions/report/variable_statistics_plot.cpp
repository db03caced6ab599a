#include "frontend/trainer/extensions/report/variable_statistics_plot.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/link/parameter.h"
#include "frontend/trainer/extensions/report/run_program.h"
#include "frontend/trainer/extensions/report/statistics.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/random/random.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"

namespace catena::extensions {
namespace {

std::vector<Variable> parameters_of(const Link& link) {
    std::vector<Variable> all;
    for (Parameter* param : link.params()) all.push_back(*param);
    return all;
}

}  // namespace

VariableStatisticsPlot::VariableStatisticsPlot(const Link& link,
                                               VariableStatisticsPlotOptions options)
    : VariableStatisticsPlot(parameters_of(link), std::move(options)) {}

VariableStatisticsPlot::VariableStatisticsPlot(std::vector<Variable> targets,
                                               VariableStatisticsPlotOptions options)
    : targets_(std::move(targets)), options_(std::move(options)) {
    if (options_.max_sample_size < 1)
        fail<ValueError>("VariableStatisticsPlot: {} samples cannot be drawn; keep 1 or more",
                         options_.max_sample_size);
    if (!options_.report_data && !options_.report_grad)
        fail<ValueError>(
            "VariableStatisticsPlot: report_data and report_grad are both false; set one of them");
}

bool VariableStatisticsPlot::available() { return is_on_path("gnuplot"); }

void VariableStatisticsPlot::sample(int64_t iteration) {
    Sample now{iteration, {}};
    for (bool gradients : {false, true}) {
        if (!(gradients ? options_.report_grad : options_.report_data)) continue;
        std::vector<double> all;
        for (const Variable& target : targets_) {
            Array array = gradients ? target.grad() : target.array();
            if (!array.defined()) continue;
            std::vector<double> elements = elements_of(array);
            all.insert(all.end(), elements.begin(), elements.end());
        }
        now.numbers.push_back(mean_of(all));
        now.numbers.push_back(deviation_of(all));
        for (double p : percentiles_of(all, options_.percentile_sigmas)) now.numbers.push_back(p);
    }
    // A reservoir (Vitter, "Random sampling with a reservoir", 1985): every iteration is in it with
    // equal probability.
    const int64_t number = seen_++;
    if (int64_t(samples_.size()) < options_.max_sample_size) {
        samples_.push_back(std::move(now));
        return;
    }
    auto words = RandomStream{0, 0x53544154}.words(uint64_t(number));
    const int64_t place = int64_t(uniform_double(words[0], words[1]) * double(number + 1));
    if (place < options_.max_sample_size) samples_[size_t(place)] = std::move(now);
}

void VariableStatisticsPlot::operator()(Trainer& trainer) {
    sample(trainer.updater().iteration());
    if (options_.trigger(trainer)) draw(trainer.out());
}

void VariableStatisticsPlot::serialize(const Serializer& s) {
    if (!s.has("_seen")) return;  // A snapshot of Chainer, which keeps nothing of this extension.
    options_.trigger.serialize(s["_trigger"]);
    s("_seen", seen_);
    if (!s.loading()) {
        std::vector<int64_t> iterations;
        std::vector<double> numbers;
        for (const Sample& sample : samples_) {
            iterations.push_back(sample.iteration);
            numbers.insert(numbers.end(), sample.numbers.begin(), sample.numbers.end());
        }
        s("_iterations", iterations);
        return s("_numbers", numbers);
    }
    const std::vector<int64_t> iterations = s.get("_iterations", std::vector<int64_t>());
    const std::vector<double> numbers = s.get("_numbers", std::vector<double>());
    if (iterations.empty() ? !numbers.empty() : numbers.size() % iterations.size() != 0)
        s.wrong("_numbers",
                fmt::format("has {} numbers for {} iterations", numbers.size(), iterations.size()));
    std::vector<Sample> loaded;
    const size_t each = iterations.empty() ? 0 : numbers.size() / iterations.size();
    for (size_t i = 0; i < iterations.size(); ++i)
        loaded.push_back({iterations[i],
                          {numbers.begin() + std::ptrdiff_t(i * each),
                           numbers.begin() + std::ptrdiff_t((i + 1) * each)}});
    s.later([this, loaded] { samples_ = loaded; });
}

std::string VariableStatisticsPlot::table() const {
    std::vector<const Sample*> sorted;
    for (const Sample& s : samples_) sorted.push_back(&s);
    std::sort(sorted.begin(), sorted.end(),
              [](const Sample* a, const Sample* b) { return a->iteration < b->iteration; });
    std::string text;
    for (const Sample* s : sorted) {
        text += std::to_string(s->iteration);
        for (double v : s->numbers) text += fmt::format(" {:.9g}", v);
        text += "\n";
    }
    return text;
}

std::string VariableStatisticsPlot::script(const std::string& image,
                                           const std::string& data) const {
    const int percentiles = int(options_.percentile_sigmas.size()),
              columns = options_.report_data + options_.report_grad;
    const int rows = (options_.plot_mean || options_.plot_std) + (percentiles > 0);
    const std::string file = gnuplot_text(data);
    std::string text = fmt::format(
        "set terminal png noenhanced size {},{}\nset output {}\nset xlabel 'iteration'\n",
        options_.width, options_.height, gnuplot_text(image));
    if (options_.grid) text += "set grid\n";
    text +=
        fmt::format("set style fill transparent solid 0.25 noborder\nset multiplot layout {},{}\n",
                    std::max(rows, 1), columns);
    const std::string line = options_.marker ? "linespoints" : "lines";
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const int mean =
                2 + column * (2 + percentiles);  // Column of the file; 1 is the iteration.
            const bool of_data = column == 0 && options_.report_data;
            const bool moments = row == 0 && (options_.plot_mean || options_.plot_std);
            text += fmt::format("set title '{} of {}'\nplot ",
                                moments ? "mean and deviation" : "percentiles",
                                of_data ? "data" : "gradients");
            std::vector<std::string> curves;
            if (moments && options_.plot_std)
                curves.push_back(
                    fmt::format("{} using 1:(${}-${}):(${}+${}) with filledcurves title 'std'",
                                file, mean, mean + 1, mean, mean + 1));
            if (moments && options_.plot_mean)
                curves.push_back(
                    fmt::format("{} using 1:{} with {} title 'mean'", file, mean, line));
            for (int k = 0; !moments && k < percentiles / 2; ++k)
                curves.push_back(fmt::format(
                    "{} using 1:{}:{} with filledcurves title '{:g}% to {:g}%'", file, mean + 2 + k,
                    mean + 1 + percentiles - k, options_.percentile_sigmas[size_t(k)],
                    options_.percentile_sigmas[size_t(percentiles - 1 - k)]));
            if (!moments && percentiles % 2 == 1)
                curves.push_back(fmt::format("{} using 1:{} with {} title '{:g}%'", file,
                                             mean + 2 + percentiles / 2, line,
                                             options_.percentile_sigmas[size_t(percentiles / 2)]));
            text += fmt::format("{}\n", fmt::join(curves, ", \\\n     "));
        }
    return text + "unset multiplot\n";
}

void VariableStatisticsPlot::draw(const std::string& folder) {
    const std::string image = folder + "/" + options_.filename,
                      stem = folder + "/" + stem_of(options_.filename);
    write_file(stem + ".dat", table());
    write_file(stem + ".gp", script(image, stem + ".dat"));
    if (run_program({"gnuplot", stem + ".gp"}) || told_) return;
    told_ = true;
    say(LogLevel::warning,
        fmt::format("VariableStatisticsPlot: {}, so there is no {}; `gnuplot {}.gp` draws it",
                    available() ? "gnuplot fails" : "gnuplot is not installed", image, stem));
}

}  // namespace catena::extensions
