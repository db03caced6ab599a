#include "runtime/graph/walk/untrained.h"

#include <atomic>

#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/variable/variable.h"

namespace catena {
namespace {

std::atomic<int> awaiting_updates = 0;
constinit PerThread<std::vector<std::string>> noted_parameters;

}  // namespace

AwaitingUpdate::AwaitingUpdate() { ++awaiting_updates; }
AwaitingUpdate::~AwaitingUpdate() { --awaiting_updates; }

void note_untrained_parameter(const VariableBody& parameter) {
    if (awaiting_updates.load(std::memory_order_relaxed) == 0) return;
    noted_parameters.get().push_back(
        fmt::format("{} {}", parameter.name ? *parameter.name : "one without a name",
                    to_string(parameter.array.type())));
}

const std::vector<std::string>& untrained_parameters() { return noted_parameters.get(); }

void forget_untrained_parameters() {
    if (awaiting_updates.load(std::memory_order_relaxed) == 0) return;
    noted_parameters.get().clear();
}

}  // namespace catena
