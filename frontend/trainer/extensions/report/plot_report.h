#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/trainer/extension.h"
#include "frontend/trainer/extensions/report/missing_keys.h"
#include "frontend/trainer/summary.h"

namespace catena::extensions {

/// Options of a PlotReport.
struct PlotReportOptions {
    /// Key of the x axis: "iteration", "epoch" or a reported value.
    std::string x_key = "iteration";
    AnyTrigger trigger = {1, "epoch"};  ///< The trigger that adds a point.
    std::string filename = "plot.png";  ///< The image file, in the trainer's folder.
    /// Whether points are marked, and whether there is a grid.
    bool marker = true, grid = true;
    std::string commands = {};  ///< Gnuplot commands before plotting: "set logscale y".
    /// A function called before every drawing with the script, which it may change, and the means
    /// of this interval by key.
    std::function<void(std::string& script, const std::map<std::string, double>& means)>
        postprocess = {};
};

/// Plots the means of reported values as lines, with gnuplot. Also writes plot.gp and plot.dat, the
/// script and the data; without gnuplot only these, and prints a message.
class PlotReport : public Extension {
public:
    /// An extension that draws the values under these keys.
    explicit PlotReport(std::vector<std::string> y_keys, PlotReportOptions options = {});
    void operator()(Trainer& trainer) override;
    void finalize() override { missing_.end(); }
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "PlotReport"; }
    /// Whether gnuplot is on the PATH.
    static bool available();

private:
    struct Point {
        double x, y;
    };
    void draw(const std::string& folder, const std::map<std::string, double>& means);
    std::vector<std::string> y_keys_;
    PlotReportOptions options_;
    DictSummary summary_;
    std::map<std::string, std::vector<Point>> lines_;
    bool told_ = false;
    MissingKeys missing_;
};

}  // namespace catena::extensions
