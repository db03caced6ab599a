#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "frontend/trainer/extensions/report/log_report.h"
#include "frontend/trainer/extensions/report/missing_keys.h"

namespace catena::extensions {

/// Prints the columns `entries` of a LogReport as a table, row by row.
class PrintReport : public Extension {
public:
    /// Uses the trainer's LogReport of that name.
    explicit PrintReport(std::vector<std::string> entries, std::string log_report = "LogReport",
                         std::FILE* out = stdout);
    /// Owns and calls its LogReport.
    PrintReport(std::vector<std::string> entries, LogReport&& log_report, std::FILE* out = stdout);
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void finalize() override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "PrintReport"; }

private:
    void print(const LogEntry& entry);
    std::vector<std::string> entries_;
    std::string log_name_;
    std::shared_ptr<LogReport> own_log_;
    std::FILE* out_;
    MissingKeys missing_;
    bool header_printed_ = false;
    size_t printed_ = 0;
};

}  // namespace catena::extensions
