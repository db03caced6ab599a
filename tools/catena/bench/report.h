#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace catena::tool {

/// Measurements of `catena bench`, and lines of other frameworks' scripts, for a page.
struct BenchReport {
    /// Facts about the machine and the run.
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<nlohmann::ordered_json> rows, peers;
};

/// Reads the lines {"peer": ..., "workload": ..., "ms": ...} of a file; FileError naming file and
/// line when one is not such an object.
std::vector<nlohmann::ordered_json> read_peers(const std::string& path);

/// The last line of `output` that is a JSON object with a time; null when there is none. Other
/// lines, which a library may have printed, are copied to standard error.
nlohmann::ordered_json measurement_in(const std::string& output);

/// ValueError unless a report of this name can be written: .html or .md.
void check_report_name(const std::string& path);
/// Writes a report. NAME.html: bars and a table on a page that needs nothing else; NAME.md: the
/// table. Both say on what was measured and what variants and columns mean.
void save_report(const BenchReport& report, const std::string& path);

}  // namespace catena::tool
