#include "frontend/trainer/extensions/plot_report.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/file/file.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/json.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"

extern char** environ;

namespace catena::extensions {
namespace {

void write_file(const std::string& path, const std::string& content) {
    AtomicFile file(path);
    file.write(content.data(), content.size());
    file.commit();
}

/// Text between gnuplot's single quotes.
std::string gnuplot_text(const std::string& text) {
    std::string result = "'";
    for (char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

/// Runs `gnuplot SCRIPT`, silently; true when it succeeded.
bool run_gnuplot(const std::string& script) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int stream : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    std::string program = "gnuplot", argument = script;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child;
    int error = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return false;
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string stem_of(const std::string& filename) {
    size_t dot = filename.rfind('.');
    return dot == std::string::npos || dot == 0 ? filename : filename.substr(0, dot);
}

}  // namespace

PlotReport::PlotReport(std::vector<std::string> y_keys, PlotReportOptions options)
    : y_keys_(std::move(y_keys)), options_(std::move(options)) {}

bool PlotReport::available() {
    const char* path = std::getenv("PATH");
    std::string folders = path ? path : "";
    for (size_t begin = 0; begin <= folders.size();) {
        size_t end = std::min(folders.find(':', begin), folders.size());
        if (access((folders.substr(begin, end - begin) + "/gnuplot").c_str(), X_OK) == 0) return true;
        begin = end + 1;
    }
    return false;
}

void PlotReport::operator()(Trainer& trainer) {
    Observation wanted;
    for (auto& [key, reported] : trainer.observation())
        if (key == options_.x_key || std::find(y_keys_.begin(), y_keys_.end(), key) != y_keys_.end())
            wanted.emplace(key, reported);
    summary_.add(wanted);
    if (!options_.trigger(trainer)) return;
    std::map<std::string, double> means = summary_.compute_mean();
    summary_.clear();
    means.emplace("iteration", trainer.updater().iteration());
    means.emplace("epoch", trainer.updater().epoch());
    auto x = means.find(options_.x_key);
    if (x == means.end()) return;
    for (const std::string& key : y_keys_)
        if (auto y = means.find(key); y != means.end()) lines_[key].push_back({x->second, y->second});
    if (!lines_.empty()) draw(trainer.out());
}

void PlotReport::draw(const std::string& folder) {
    std::string image = folder + "/" + options_.filename, stem = folder + "/" + stem_of(options_.filename);
    std::string data, curves;
    int index = 0;
    for (const std::string& key : y_keys_) {  // One block of data for each line.
        if (!lines_.contains(key)) continue;
        data += "# " + key + "\n";
        for (const Point& p : lines_.at(key)) data += fmt::format("{:.17g} {:.17g}\n", p.x, p.y);
        data += "\n\n";
        curves += fmt::format("{}{} index {} with {} title {}", index ? ", \\\n     " : "", gnuplot_text(stem + ".dat"), index,
                              options_.marker ? "linespoints" : "lines", gnuplot_text(key));
        ++index;
    }
    std::string script = "set terminal png noenhanced size 800,500\nset output " + gnuplot_text(image) + "\nset xlabel " +
                         gnuplot_text(options_.x_key) + "\nset key outside right\n" + (options_.grid ? "set grid\n" : "") +
                         "plot " + curves + "\n";
    write_file(stem + ".dat", data);
    write_file(stem + ".gp", script);
    if (run_gnuplot(stem + ".gp") || told_) return;
    told_ = true;
    std::fprintf(stderr, "catena: PlotReport: %s, so there is no %s; `gnuplot %s.gp` draws it from %s.dat\n",
                 available() ? "gnuplot fails" : "gnuplot is not installed", image.c_str(), stem.c_str(), stem.c_str());
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
        return s.write(key, json.dump());
    }
    std::string text = s.read_text(key);
    if (text.empty()) return;
    std::map<std::string, std::vector<Point>> loaded;
    try {
        for (auto& [name, points] : parse_json(text, key).items())
            for (const Json& point : points) loaded[name].push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    } catch (const Json::exception&) {
        s.wrong(key, "is no table of points");
    }
    s.later([this, loaded] { lines_ = loaded; });
}

}  // namespace catena::extensions
