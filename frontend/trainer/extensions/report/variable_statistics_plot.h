#pragma once

#include "frontend/link/link.h"
#include "frontend/trainer/extension.h"
#include "runtime/core/random/random_stream.h"

namespace catena::extensions {

/// Options of a VariableStatisticsPlot.
struct VariableStatisticsPlotOptions {
    /// Number of iterations in the plot; a random sample if there are more.
    int64_t max_sample_size = 1000;
    /// Whether the elements and their gradients are plotted.
    bool report_data = true, report_grad = true;
    /// Whether means and standard deviations are plotted.
    bool plot_mean = true, plot_std = true;
    /// The percentiles, in percent; pairs from both ends are drawn as bands. Empty: none.
    std::vector<double> percentile_sigmas = {0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100};
    AnyTrigger trigger = {1, "epoch"};  ///< The trigger that draws the plot.
    /// The image file, in the trainer's folder.
    std::string filename = "statistics.png";
    int width = 900, height = 600;  ///< Size of the image, in pixels.
    /// Whether points are marked, and whether there is a grid.
    bool marker = false, grid = true;
};

/// Plots the distribution of the elements of all targets over the iterations, with gnuplot like
/// PlotReport: mean, standard deviation and percentiles, of the data and of the gradients.
class VariableStatisticsPlot : public Extension {
public:
    /// An extension for these variables.
    explicit VariableStatisticsPlot(std::vector<Variable> targets,
                                    VariableStatisticsPlotOptions options = {});
    /// Plots all parameters of the link.
    explicit VariableStatisticsPlot(const Link& link, VariableStatisticsPlotOptions options = {});
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "VariableStatisticsPlot"; }
    /// Whether gnuplot is on the PATH.
    static bool available();

private:
    /// One iteration: mean, deviation, percentiles of the data, then of the gradients.
    struct Sample {
        int64_t iteration;
        std::vector<double> numbers;
    };
    void sample(int64_t iteration);
    void draw(const std::string& folder);
    std::string table() const;
    std::string script(const std::string& image, const std::string& data) const;
    std::vector<Variable> targets_;
    VariableStatisticsPlotOptions options_;
    std::vector<Sample> samples_;
    int64_t seen_ = 0;
    bool told_ = false;
};

}  // namespace catena::extensions
