#include "runtime/ops/custom/unused_name.h"

#include <atomic>

#include <fmt/format.h>

#include "runtime/graph/op/op.h"

namespace catena {

std::string unused_op_name(const std::string& name) {
    if (!find_op(name)) return name;
    static std::atomic<int> number = 1;
    while (true)
        if (std::string next = fmt::format("{}#{}", name, ++number); !find_op(next)) return next;
}

}  // namespace catena
