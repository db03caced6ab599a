#pragma once

#include <nlohmann/json.hpp>

namespace catena::tool {

/// Prints the rows of `catena bench` as they are measured, on standard output: milliseconds, the
/// gain over eager code, and, where the limit was measured, the distance from it.
class BenchTable {
public:
    BenchTable(int threads, bool with_limits, bool with_dtypes);
    /// Prints a row. Rows of one workload and dtype must follow each other: eager before other
    /// variants, "catena-limit" before all.
    void print(const nlohmann::ordered_json& row);

private:
    void print_limit(const nlohmann::ordered_json& row);
    void print_times(const nlohmann::ordered_json& row);

    bool with_limits_, with_dtypes_;
    std::string workload_, dtype_;
    double eager_ms_ = 0;
    nlohmann::ordered_json limit_;  ///< The limit of this workload; null if there is none.
};

}  // namespace catena::tool
