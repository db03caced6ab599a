#pragma once

#include <map>
#include <optional>
#include <vector>

#include "frontend/trainer/extension.h"
#include "frontend/trainer/extensions/report/missing_keys.h"
#include "frontend/trainer/summary.h"

namespace catena::extensions {

/// One row of a log.
struct LogEntry {
    std::map<std::string, double> values;  ///< Means of the reported values over the interval.
    /// The position of the training when the row was written.
    int64_t epoch = 0, iteration = 0;
    double elapsed_time = 0;  ///< Seconds since the training began.
    /// The value of a key, also of "epoch", "iteration" or "elapsed_time".
    std::optional<double> find(const std::string& key) const;
};

/// Options of a LogReport.
struct LogReportOptions {
    std::vector<std::string> keys = {};  ///< Keys of the values to log; empty: all.
    AnyTrigger trigger = {1, "epoch"};   ///< The trigger that writes a row.
    /// A function that may change a row before it is written.
    std::function<void(LogEntry&)> postprocess = {};
    /// The log file, in the trainer's folder, which may contain fields such as "{epoch}"; "": no
    /// file.
    std::string filename = "log";
};

/// Averages all reported values, and appends a row to a log, stored as a JSON list in a file. The
/// file is replaced atomically, so it is complete at any time.
class LogReport : public Extension {
public:
    /// An extension with these options.
    explicit LogReport(LogReportOptions options = {});
    void operator()(Trainer& trainer) override;
    void finalize() override { missing_.end(); }
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "LogReport"; }
    /// The rows so far.
    const std::vector<LogEntry>& log() const { return log_; }

private:
    std::string text(int indent) const;
    LogReportOptions options_;
    DictSummary summary_;
    MissingKeys missing_;
    std::vector<LogEntry> log_;
};

}  // namespace catena::extensions
