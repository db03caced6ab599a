#include "runtime/graph/node/user_gradient.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "runtime/core/system/fork.h"

namespace catena {
namespace {

/// The gradients of users' functions, indexed by OpDef::id. They are few, and made while others
/// compute.
struct UserGradients {
    std::atomic<uint32_t> lowest{~uint32_t(0)};  ///< The library's own ops are registered before.
    std::shared_mutex& mutex = taken_by_forks(*new std::shared_mutex);
    std::vector<uint32_t> ids;

    static UserGradients& instance() {
        static UserGradients& table = *new UserGradients;
        return table;
    }
};

}  // namespace

void set_user_gradient(const OpDef& op) {
    UserGradients& table = UserGradients::instance();
    std::unique_lock lock(table.mutex);
    table.ids.push_back(op.id);
    table.lowest = std::min(table.lowest.load(), op.id);
}

bool has_user_gradient(const OpDef& op) {
    UserGradients& table = UserGradients::instance();
    if (op.id < table.lowest.load(std::memory_order_relaxed)) return false;
    std::shared_lock lock(table.mutex);
    return std::ranges::find(table.ids, op.id) != table.ids.end();
}

}  // namespace catena
