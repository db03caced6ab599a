#include "tests/ops/host_only.h"

#include <algorithm>

#include "runtime/ops/declare/device_form.h"

namespace catena::testing {

bool tells_of_host_only(const std::string& message) {
    const std::vector<const OpDef*> ops = all_ops();
    return std::any_of(ops.begin(), ops.end(), [&](const OpDef* op) {
        const std::string& reason = host_only_reason(*op);
        return !reason.empty() && message.find(reason) != message.npos;
    });
}

}  // namespace catena::testing
