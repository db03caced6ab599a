#include "frontend/trainer/extensions/report/plot_report.h"

#include <algorithm>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extensions/report/run_program.h"
#include "frontend/trainer/json.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/log.h"

namespace catena::extensions {
namespace {

std::vector<std::string> all_keys(std::vector<std::string> keys, const std::string& x_key) {
    keys.push_back(x_key);
    return keys;
}

}  // namespace

PlotReport::PlotReport(std::vector<std::string> y_keys, PlotReportOptions options)
    : y_keys_(std::move(y_keys)),
      options_(std::move(options)),
      missing_("PlotReport", all_keys(y_keys_, options_.x_key)) {}

bool PlotReport::available() { return is_on_path("gnuplot"); }

void PlotReport::operator()(Trainer& trainer) {
    if (!missing_.done())
        for (const char* key : {"iteration", "epoch"}) missing_.saw(key);
    Observation wanted;
    for (auto& [key, reported] : trainer.observation()) {
        missing_.saw(key);
        if (key == options_.x_key ||
            std::find(y_keys_.begin(), y_keys_.end(), key) != y_keys_.end())
            wanted.emplace(key, reported);
    }
    summary_.add(wanted);
    if (!options_.trigger(trainer)) return;
    std::map<std::string, double> means = summary_.compute_mean();
    summary_.clear();
    missing_.end_row();
    means.emplace("iteration", trainer.updater().iteration());
    means.emplace("epoch", trainer.updater().epoch());
    auto x = means.find(options_.x_key);
    if (x == means.end()) return;
    for (const std::string& key : y_keys_)
        if (auto y = means.find(key); y != means.end())
            lines_[key].push_back({x->second, y->second});
    if (!lines_.empty()) draw(trainer.out(), means);
}

void PlotReport::draw(const std::string& folder, const std::map<std::string, double>& means) {
    std::string image = folder + "/" + options_.filename,
                stem = folder + "/" + stem_of(options_.filename);
    std::string data, curves;
    int index = 0;
    for (const std::string& key : y_keys_) {  // One block of data for each line.
        if (!lines_.contains(key)) continue;
        data += "# " + key + "\n";
        for (const Point& p : lines_.at(key)) data += fmt::format("{:.17g} {:.17g}\n", p.x, p.y);
        data += "\n\n";
        curves += fmt::format("{}{} index {} with {} title {}", index ? ", \\\n     " : "",
                              gnuplot_text(stem + ".dat"), index,
                              options_.marker ? "linespoints" : "lines", gnuplot_text(key));
        ++index;
    }
    std::string script = "set terminal png noenhanced size 800,500\nset output " +
                         gnuplot_text(image) + "\nset xlabel " + gnuplot_text(options_.x_key) +
                         "\nset key outside right\n" + (options_.grid ? "set grid\n" : "") +
                         (options_.commands.empty() ? "" : options_.commands + "\n") + "plot " +
                         curves + "\n";
    if (options_.postprocess) options_.postprocess(script, means);
    write_file(stem + ".dat", data);
    write_file(stem + ".gp", script);
    if (run_program({"gnuplot", stem + ".gp"}) || told_) return;
    told_ = true;
    say(LogLevel::warning,
        fmt::format("PlotReport: {}, so there is no {}; `gnuplot {}.gp` draws it from {}.dat",
                    available() ? "gnuplot fails" : "gnuplot is not installed", image, stem, stem));
}

void PlotReport::serialize(const Serializer& s) {
    using Json = nlohmann::ordered_json;
    options_.trigger.serialize(s["_trigger"]);
    summary_.serialize(s["_summary"]);
    std::string key = "_plot_" + options_.filename;
    if (!s.loading()) {
        Json json = Json::object();
        for (auto& [name, points] : lines_) {
            json[name] = Json::array();
            for (const Point& p : points) json[name].push_back({p.x, p.y});
        }
        return s.write(key, json_text(std::move(json)));
    }
    std::string text = s.read_text(key);
    if (text.empty()) return;
    std::map<std::string, std::vector<Point>> loaded;
    try {
        const Json json = parse_json(text, key);
        for (auto& [name, points] : json.items())
            for (const Json& point : points)
                loaded[name].push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    } catch (const Json::exception&) {
        s.wrong(key, "is not a table of points");
    }
    s.later([this, loaded] { lines_ = loaded; });
}

}  // namespace catena::extensions
