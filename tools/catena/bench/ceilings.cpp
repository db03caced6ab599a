#include "tools/catena/bench/ceilings.h"

#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/core/array/device.h"
#include "runtime/profile/ceilings.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

using Json = nlohmann::ordered_json;

/// A number of Ceilings::known() as a row of measurements.
Json row_of(const std::string& name, double value) {
    Json row{{"peer", "catena-ceiling"}};
    if (constexpr std::string_view products = "products "; name.starts_with(products)) {
        row["workload"] = "large product";
        row["precision"] = name.substr(products.size());
        row["tflops"] = value * 1e-12;
    } else if (name.starts_with("memory")) {
        row["workload"] = "large copy";
        row["gbytes_per_s"] = value * 1e-9;
    } else {
        row["workload"] = name == "node" ? "node of a graph" : name;
        row["ms"] = value * 1e3;
    }
    return row;
}

std::string text_of(const Json& row) {
    if (row.contains("tflops")) return fmt::format("{:.3f} TFLOP/s", row["tflops"].get<double>());
    if (row.contains("gbytes_per_s"))
        return fmt::format("{:.1f} GB/s", row["gbytes_per_s"].get<double>());
    return fmt::format("{:.2f} us", row["ms"].get<double>() * 1e3);
}

}  // namespace

void print_ceilings(const std::string& device, bool json) {
    profile::Ceilings& ceilings = profile::Ceilings::of(get_device(device).name());
    ceilings.measure_all();
    if (!json) fmt::print("{}\n", styled(Style::heading, ceilings.machine()));
    for (const auto& [name, value] : ceilings.known()) {
        const Json row = row_of(name, value);
        if (json && value > 0)
            std::cout << row << std::endl;
        else if (!json)
            fmt::print("{:<16} {:<9} {}\n", row["workload"].get<std::string>(),
                       row.value("precision", ""), value > 0 ? text_of(row) : "not to be had here");
    }
}

}  // namespace catena::tool
