#include "frontend/distribution/base/divergence.h"

#include <map>
#include <mutex>
#include <typeindex>

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/graph/op/arithmetic.h"

namespace catena {
namespace {

struct Registry {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::map<std::pair<std::type_index, std::type_index>, Divergence> divergences;
};
/// The known divergences by pairs of distributions, never destroyed.
Registry& registry() {
    static Registry& all = *new Registry;
    return all;
}

}  // namespace

bool register_kl(const std::type_info& p, const std::type_info& q, Divergence divergence) {
    const std::lock_guard lock(registry().mutex);
    registry().divergences[{p, q}] = std::move(divergence);
    return true;
}

Variable kl_divergence(const Distribution& p, const Distribution& q) {
    Divergence found;
    {
        const std::lock_guard lock(registry().mutex);
        const auto entry = registry().divergences.find({typeid(p), typeid(q)});
        if (entry != registry().divergences.end()) found = entry->second;
    }
    if (!found)
        fail<ValueError>(
            "kl_divergence: none is known of {} from {}; register_kl<{}, {}>(function) adds it",
            q.name(), p.name(), p.name(), q.name());
    return found(p, q);
}

Variable cross_entropy(const Distribution& p, const Distribution& q) {
    return p.entropy() + kl_divergence(p, q);
}

}  // namespace catena
