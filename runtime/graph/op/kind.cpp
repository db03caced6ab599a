#include "runtime/graph/op/op.h"

namespace catena {

std::string_view name_of(Kind kind) {
    static constexpr std::string_view names[] = {
        "map",   "reduce", "scan",   "contract", "window",  "reshape", "transpose", "broadcast",
        "slice", "pad",    "concat", "gather",   "scatter", "sort",    "random",    "call"};
    return names[size_t(kind)];
}

}  // namespace catena
