#include "runtime/ops/declare/library_role.h"

namespace catena {
namespace {

constexpr DeclarationKind<LibraryRole> role_kind("library_role");

}  // namespace

Declaration library_role(LibraryRole role) { return role_kind(role); }

LibraryRole library_role_of(const OpDef& op) {
    const LibraryRole* const role = role_kind.in(op.declared);
    return role ? *role : LibraryRole::none;
}

bool is_convolution(LibraryRole role) {
    return role == LibraryRole::convolution || role == LibraryRole::convolution_data ||
           role == LibraryRole::convolution_weights;
}

}  // namespace catena
