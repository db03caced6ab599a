#include "runtime/ops/declare/library_role.h"

#include <map>
#include <mutex>

#include "runtime/core/fork.h"

namespace catena {
namespace {

/// The op's entry, never removed; ops may be registered late, by several threads.
LibraryRole& role_of(const OpDef& op) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& roles = *new std::map<const OpDef*, LibraryRole>;
    std::lock_guard lock(mutex);
    return roles[&op];
}

}  // namespace

bool set_library_role(const OpDef& op, LibraryRole role) {
    role_of(op) = role;
    return true;
}

LibraryRole library_role_of(const OpDef& op) { return role_of(op); }

bool is_convolution(LibraryRole role) {
    return role == LibraryRole::convolution || role == LibraryRole::convolution_data || role == LibraryRole::convolution_weights;
}

}  // namespace catena
