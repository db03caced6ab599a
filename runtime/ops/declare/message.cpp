#include "runtime/ops/declare/message.h"

#include <mutex>
#include <set>

#include "runtime/core/fork.h"

namespace catena {

namespace {

/// Ops may be registered late, by several threads.
struct Messages {
    std::mutex mutex;
    std::set<const OpDef*> ops;

    Messages() { taken_by_forks(mutex); }
};
Messages& messages() {
    static Messages& all = *new Messages;
    return all;
}

}  // namespace

bool set_is_message(const OpDef& op) {
    std::lock_guard lock(messages().mutex);
    messages().ops.insert(&op);
    return true;
}

bool is_message(const OpDef& op) {
    std::lock_guard lock(messages().mutex);
    return messages().ops.contains(&op);
}

}  // namespace catena
