#pragma once

#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// Takes an operation out of the registry again, which nothing may have used.
void withdraw_op(const OpDef& op) noexcept;

/// Operations that are made together, one of another. Those that it was given are withdrawn when it
/// ends before keep(): if memory ends in between, none is there, and all can be made again under
/// the same names.
class RegisteredTogether {
public:
    RegisteredTogether();
    ~RegisteredTogether();
    RegisteredTogether(const RegisteredTogether&) = delete;

    /// Takes what register_op() or another function has just registered.
    const OpDef& add(const OpDef& registered);
    void keep() noexcept;

private:
    std::vector<const OpDef*> ops_;
};

}  // namespace catena
