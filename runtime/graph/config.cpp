#include "runtime/graph/config.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace catena {
namespace {

bool environment_flag(const char* name, bool fallback) {
    const char* value = std::getenv(name);
    return value && *value ? std::string_view(value) != "0" : fallback;
}

Config from_environment() {
    Config c;
    c.debug = environment_flag("CATENA_DEBUG", c.debug);
    c.type_check = environment_flag("CATENA_TYPE_CHECK", c.type_check);
    c.use_static_graph = environment_flag("CATENA_USE_STATIC_GRAPH", c.use_static_graph);
    c.keep_graph_on_report = environment_flag("CATENA_KEEP_GRAPH_ON_REPORT", c.keep_graph_on_report);
    if (const char* dtype = std::getenv("CATENA_DTYPE"); dtype && *dtype) c.dtype = parse_dtype(dtype);
    return c;
}

thread_local Config thread_config = from_environment();

}  // namespace

const Config& config() { return thread_config; }
Config& mutable_config() { return thread_config; }

uint64_t config_key() {
    const Config& c = thread_config;
    return uint64_t(c.train) | uint64_t(c.enable_backprop) << 1 | uint64_t(c.debug) << 2 |
           uint64_t(c.fast_math) << 3 | uint64_t(c.dtype) << 8;
}

std::string to_string(const Config& c) {
    return fmt::format(
        "train {}\nenable_backprop {}\ndebug {}\ntype_check {}\nuse_static_graph {}\n"
        "keep_graph_on_report {}\nfast_math {}\ndtype {}\n",
        c.train, c.enable_backprop, c.debug, c.type_check, c.use_static_graph,
        c.keep_graph_on_report, c.fast_math, name_of(c.dtype));
}

}  // namespace catena
