#include "frontend/static_graph/call/profile.h"

#include <map>

#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/file/write_file.h"
#include "runtime/profile/ceilings.h"
#include "runtime/program/schedule/product_type.h"

namespace catena {
namespace {

using profile::Ceilings;

double bytes_of(const LaunchReport& launch) { return launch.bytes_read + launch.bytes_written; }

/// `amount` per call in billions per second.
double rate(double amount, const LaunchReport& launch) {
    return launch.seconds > 0 ? amount * double(launch.calls) / launch.seconds / 1e9 : 0;
}

std::string number(double value, int digits) {
    return value > 0 ? fmt::format("{:.{}f}", value, digits) : "";
}

/// A field of a CSV file.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

std::string lines_of(const LaunchReport& launch) {
    std::string text;
    for (const std::string& operation : launch.operations)
        text += (text.empty() ? "" : ", ") + operation;
    return text;
}

/// "step: convolution_2d, winograd 4x4"
std::string text_of(const RegionProfile::Row& row) {
    const std::string& method = row.launch.method;
    return fmt::format("{}: {}{}{}", row.program, row.launch.name, method.empty() ? "" : ", ",
                       method);
}

std::vector<MachineShares> shares_of_rows(const RegionProfile& profile, Ceilings::Ask ask) {
    std::map<std::string, double> program_bytes;
    for (const RegionProfile::Row& row : profile.rows)
        program_bytes[row.program] += row.launch.bytes_read + row.launch.bytes_written;
    std::vector<MachineShares> shares;
    for (const RegionProfile::Row& row : profile.rows) {
        const LaunchReport& launch = row.launch;
        shares.push_back(profile::shares_of({.device = launch.device,
                                             .bytes = launch.bytes_read + launch.bytes_written,
                                             .operations = launch.product_operations,
                                             .product_type = program::product_type(launch),
                                             .program_bytes = program_bytes[row.program]},
                                            row.milliseconds() * 1e-3, ask));
    }
    return shares;
}

std::string csv_of(const RegionProfile& profile) {
    std::string text =
        "program,launch,kind,method,operations,calls,ms,share,bytes_read,bytes_written,GB/s,"
        "GFLOP/s,product_type,% of memory,% of products,% of launch,bound by,% of limit\n";
    const std::vector<MachineShares> all_shares = machine_shares(profile);
    for (size_t r = 0; r < profile.rows.size(); ++r) {
        const RegionProfile::Row& row = profile.rows[r];
        const LaunchReport& launch = row.launch;
        const MachineShares& shares = all_shares[r];
        text += fmt::format("{},{},{},{},{},{},{:.6f},{:.4f},{:.0f},{:.0f},{:.3f},{:.3f},",
                            field(row.program), field(launch.name),
                            launch.is_library_call ? "library call" : "kernels",
                            field(launch.method), field(lines_of(launch)), launch.calls,
                            row.milliseconds(), row.share, launch.bytes_read, launch.bytes_written,
                            row.gigabytes_per_second(), row.gigaflops_per_second());
        text += fmt::format("{},{:.1f},{:.1f},{:.1f},{},{:.1f}\n", program::product_type(launch),
                            shares.memory * 100, shares.products * 100, shares.launch * 100,
                            shares.bound(), shares.most() * 100);
    }
    return text;
}

}  // namespace

std::vector<MachineShares> machine_shares(const RegionProfile& profile) {
    return shares_of_rows(profile, Ceilings::Ask::measure);
}

std::vector<MachineShares> known_machine_shares(const RegionProfile& profile) {
    return shares_of_rows(profile, Ceilings::Ask::known);
}

double RegionProfile::Row::milliseconds() const {
    return launch.calls > 0 ? launch.seconds / double(launch.calls) * 1e3 : 0;
}
double RegionProfile::Row::gigabytes_per_second() const { return rate(bytes_of(launch), launch); }
double RegionProfile::Row::gigaflops_per_second() const {
    return rate(launch.product_operations, launch);
}

std::string RegionProfile::to_string() const {
    std::string text = fmt::format("{:>7} {:>10} {:>7} {:>10} {:>8} {:>9} {:>10} {:<8}  {}\n",
                                   is_timed ? "time" : "bytes", "ms", "calls", "MB", "GB/s",
                                   "GFLOP/s", "% of limit", "of", "launch");
    const std::vector<MachineShares> all_shares = machine_shares(*this);
    for (size_t r = 0; r < rows.size(); ++r) {
        const Row& row = rows[r];
        const MachineShares& shares = all_shares[r];
        text += fmt::format("{:>5.1f} % {:>10} {:>7} {:>10.3f} {:>8} {:>9} {:>10} {:<8}  {}\n",
                            row.share * 100, number(row.milliseconds(), 4), row.launch.calls,
                            bytes_of(row.launch) / 1e6, number(row.gigabytes_per_second(), 1),
                            number(row.gigaflops_per_second(), 1), number(shares.most() * 100, 0),
                            shares.bound(), text_of(row));
    }
    return text;
}

void RegionProfile::save(const std::string& path) const {
    if (path.ends_with(".json")) return save_trace(path);
    if (!path.ends_with(".csv"))
        fail<ValueError>(
            "profile: '{}' cannot be written; NAME.json is a trace for Perfetto, NAME.csv a table",
            path);
    write_file(path, csv_of(*this));
}

}  // namespace catena
