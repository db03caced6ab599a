#include "frontend/trainer/extensions/report/log_report.h"

#include <cmath>

#include "runtime/file/file.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/json.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const LogEntry& entry) {
    Json json = Json::object();
    for (auto& [key, value] : entry.values) json[key] = value;
    json["epoch"] = entry.epoch;
    json["iteration"] = entry.iteration;
    json["elapsed_time"] = entry.elapsed_time;
    return json;
}

LogEntry from_json(const Json& json) {
    LogEntry entry;
    for (auto& [key, value] : json.items()) {
        if (!value.is_number() && !value.is_null())
            continue;  // What a postprocess of Chainer added.
        double number = value.is_null() ? std::nan("") : value.get<double>();
        if (key == "epoch")
            entry.epoch = int64_t(number);
        else if (key == "iteration")
            entry.iteration = int64_t(number);
        else if (key == "elapsed_time")
            entry.elapsed_time = number;
        else
            entry.values[key] = number;
    }
    return entry;
}

}  // namespace

std::optional<double> LogEntry::find(const std::string& key) const {
    if (key == "epoch") return double(epoch);
    if (key == "iteration") return double(iteration);
    if (key == "elapsed_time") return elapsed_time;
    auto found = values.find(key);
    if (found == values.end()) return std::nullopt;
    return found->second;
}

namespace {

/// The file name with every {key} replaced by its number in the row.
std::string named_after(const std::string& filename, const LogEntry& entry) {
    std::string name;
    for (size_t at = 0; at < filename.size();) {
        const size_t end = filename[at] == '{' ? filename.find('}', at) : filename.npos;
        if (end == filename.npos) {
            name += filename[at++];
            continue;
        }
        const std::string key = filename.substr(at + 1, end - at - 1);
        const std::optional<double> number = entry.find(key);
        if (!number)
            fail<ValueError>(
                "LogReport: the file name has the field {{{}}}, which is not in this row", key);
        name += fmt::format("{:g}", *number);
        at = end + 1;
    }
    return name;
}

}  // namespace

LogReport::LogReport(LogReportOptions options)
    : options_(std::move(options)), missing_("LogReport", options_.keys) {}

void LogReport::operator()(Trainer& trainer) {
    const Observation& observation = trainer.observation();
    if (!missing_.done())
        for (const auto& [key, value] : observation) missing_.saw(key);
    if (options_.keys.empty()) {
        summary_.add(observation);
    } else {
        Observation chosen;
        for (const std::string& key : options_.keys)
            if (auto found = observation.find(key); found != observation.end())
                chosen.insert(*found);
        summary_.add(chosen);
    }
    if (!trainer.is_before_training() && !options_.trigger(trainer)) return;
    LogEntry entry{.values = summary_.compute_mean(),
                   .epoch = trainer.updater().epoch(),
                   .iteration = trainer.updater().iteration(),
                   .elapsed_time = trainer.elapsed_time()};
    summary_.clear();
    missing_.end_row();
    if (options_.postprocess) options_.postprocess(entry);
    log_.push_back(std::move(entry));
    if (options_.filename.empty()) return;
    AtomicFile file(trainer.out() + "/" + named_after(options_.filename, log_.back()));
    std::string content = text(4);
    file.write(content.data(), content.size());
    file.commit();
}

std::string LogReport::text(int indent) const {
    Json list = Json::array();
    for (const LogEntry& entry : log_) list.push_back(to_json(entry));
    return json_text(std::move(list), indent);
}

void LogReport::serialize(const Serializer& s) {
    options_.trigger.serialize(s["_trigger"]);
    summary_.serialize(s["_summary"]);
    if (!s.loading()) return s.write("_log", text(-1));
    std::string saved = s.read_text("_log");
    if (saved.empty()) return;
    Json list = parse_json(saved, "_log");
    if (!list.is_array()) s.wrong("_log", "is not a list of log entries");
    std::vector<LogEntry> loaded;
    for (const Json& entry : list) loaded.push_back(from_json(entry));
    s.later([this, loaded] { log_ = loaded; });
}

}  // namespace catena::extensions
