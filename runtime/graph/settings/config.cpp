#include "runtime/graph/settings/config.h"

#include <fmt/format.h>

namespace catena {

std::string to_string(const Config& c) {
    return fmt::format(
        "train {}\nenable_backprop {}\ndebug {}\ntype_check {}\nuse_static_graph {}\n"
        "keep_graph_on_report {}\nfast_math {}\ntf32 {}\nautotune {}\ndtype {}\n",
        c.train, c.enable_backprop, c.debug, c.type_check, c.use_static_graph,
        c.keep_graph_on_report, c.fast_math, c.tf32, c.autotune, name_of(c.dtype));
}

}  // namespace catena
