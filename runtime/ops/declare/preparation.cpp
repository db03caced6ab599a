#include "runtime/ops/declare/preparation.h"

namespace catena {

namespace {

constexpr DeclarationKind<Preparation> preparation_kind("preparation");

}  // namespace

Declaration preparation(Preparation how) { return preparation_kind(std::move(how)); }

std::unique_ptr<PreparedCall> prepare(const KernelCall& call) {
    const Preparation* const how = preparation_kind.in(call.op.declared);
    return how ? (*how)(call) : nullptr;
}

}  // namespace catena
