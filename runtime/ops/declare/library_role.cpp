#include "runtime/ops/declare/library_role.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

using Roles = OpTable<LibraryRole, LibraryRole>;

}  // namespace

bool set_library_role(const OpDef& op, LibraryRole role) { return Roles::instance().add(op, role); }

LibraryRole library_role_of(const OpDef& op) {
    const LibraryRole* const role = Roles::instance().of(op);
    return role ? *role : LibraryRole();
}

bool is_convolution(LibraryRole role) {
    return role == LibraryRole::convolution || role == LibraryRole::convolution_data ||
           role == LibraryRole::convolution_weights;
}

}  // namespace catena
