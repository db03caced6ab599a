#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// While alive, the operations of this thread are parts of the function `op`, or of its gradient,
/// unless they are parts of an outer one already: the outermost is the one the user called.
class UserFunctionScope {
public:
    enum class Part : uint8_t { forward, gradient };
    explicit UserFunctionScope(const OpDef& op, Part part = Part::forward);
    ~UserFunctionScope();
    UserFunctionScope(const UserFunctionScope&) = delete;

private:
    bool is_outermost_;
};

/// The function of the user's call that `op`, executed now on this thread, is a part of:
/// "softmax_cross_entropy", "gradient of relu". The op's own name outside all functions. Interned.
const char* user_function(const OpDef& op);
/// The function of the user's call that runs now; null outside all functions.
const char* running_user_function();

}  // namespace catena
