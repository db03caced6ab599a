#include "tools/catena/bench/table.h"

#include <iostream>

#include <fmt/format.h>

#include "runtime/core/system/counted.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

using Json = nlohmann::ordered_json;

/// One op takes less than a microsecond: milliseconds with the digits that matter.
std::string milliseconds_text(double ms) {
    return ms < 0.1 ? fmt::format("{:.6f}", ms) : fmt::format("{:.3f}", ms);
}

std::string variant_of(const Json& row) {
    return row["peer"].get<std::string>().substr(std::string_view("catena-").size());
}

}  // namespace

BenchTable::BenchTable(int threads, bool with_limits, bool with_dtypes)
    : with_limits_(with_limits), with_dtypes_(with_dtypes) {
    std::string header = fmt::format("{:<18} ", "workload");
    if (with_dtypes_) header += fmt::format("{:<9} ", "dtype");
    header += fmt::format("{:<10} {:>11} {:>11} {:>8} {:>9} {:>8} {:>7} {:>9}", "variant", "median",
                          "least", "speed", "first s", "n", "MB", "ns");
    if (with_limits) header += fmt::format(" {:>9} {:>8} {:>7}", "to limit", "GFLOP/s", "GB/s");
    fmt::print(
        "{}; iterations in milliseconds; speed: the time of eager over this one; ns: a number to "
        "another thread and back, before and after\n{}\n",
        counted(threads, "thread"), styled(Style::heading, header));
}

void BenchTable::print(const Json& row) {
    if (row["workload"] != workload_) {
        workload_ = row["workload"];
        eager_ms_ = 0;
        limit_ = nullptr;
    }
    if (const std::string dtype = row.value("precision", ""); dtype != dtype_) {
        dtype_ = dtype;
        eager_ms_ = 0;
    }
    if (variant_of(row) == "limit")
        print_limit(row);
    else
        print_times(row);
    std::cout.flush();
}

void BenchTable::print_limit(const Json& row) {
    limit_ = row;
    fmt::print("{:<18} {:<10} {:>11}  = {} of products and convolutions + {} of memory\n",
               workload_, "limit", milliseconds_text(row["ms"]),
               milliseconds_text(row["library_ms"]), milliseconds_text(row["memory_ms"]));
}

void BenchTable::print_times(const Json& row) {
    const double ms = row["ms"];
    const std::string gain =
        fmt::format("{:>8}", eager_ms_ > 0 ? fmt::format("{:.2f}x", eager_ms_ / ms) : "");
    const Style judged = eager_ms_ >= ms ? Style::good : Style::bad;
    const std::string exchange = fmt::format("{:.0f}-{:.0f}", row["exchange_ns"][0].get<double>(),
                                             row["exchange_ns"][1].get<double>());
    fmt::print("{:<18} ", workload_);
    if (with_dtypes_) fmt::print("{:<9} ", dtype_);
    fmt::print("{:<10} {:>11} {:>11} {} {:>9.3f} {:>8} {:>7} {:>9}", variant_of(row),
               milliseconds_text(ms), milliseconds_text(row["min_ms"]),
               eager_ms_ > 0 ? styled(judged, gain) : gain, row["first_s"].get<double>(),
               row["n"].get<size_t>(), row["rss_mb"].get<long>(), exchange);
    if (!limit_.is_null())
        fmt::print(" {:>9.2f} {:>8.1f} {:>7.1f}", ms / limit_["ms"].get<double>(),
                   limit_["gflop"].get<double>() / ms * 1e3,
                   limit_["gbyte"].get<double>() / ms * 1e3);
    if (row.contains("pipelined_ms"))
        fmt::print("  {} with one wait after all", milliseconds_text(row["pipelined_ms"]));
    fmt::print("\n");
    if (variant_of(row) == "eager") eager_ms_ = ms;
}

}  // namespace catena::tool
