#include "runtime/ops/declare/preparation.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {

using PreparationRules = OpRules<std::unique_ptr<PreparedCall>, KernelCall>;

bool set_preparation(const OpDef& op, Preparation preparation) {
    return PreparationRules::instance().add(op, std::move(preparation));
}

std::unique_ptr<PreparedCall> prepare(const KernelCall& call) {
    std::optional<std::unique_ptr<PreparedCall>> prepared = PreparationRules::instance().of(call);
    return prepared ? std::move(*prepared) : nullptr;
}

}  // namespace catena
