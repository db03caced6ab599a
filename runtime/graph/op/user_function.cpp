#include "runtime/graph/op/user_function.h"

#include <utility>

namespace catena {
namespace {

struct Outermost {
    const OpDef* op = nullptr;
    UserFunctionScope::Part part{};
};
thread_local Outermost outermost [[gnu::tls_model("initial-exec")]];

}  // namespace

UserFunctionScope::UserFunctionScope(const OpDef& op, Part part) : is_outermost_(!outermost.op) {
    if (is_outermost_) outermost = {&op, part};
}

UserFunctionScope::~UserFunctionScope() {
    if (is_outermost_) outermost.op = nullptr;
}

const char* user_function(const OpDef& op) {
    const char* running = running_user_function();
    return running ? running : intern(op.name);
}

const char* running_user_function() {
    if (!outermost.op) return nullptr;
    return intern(outermost.part == UserFunctionScope::Part::gradient
                      ? "gradient of " + outermost.op->name
                      : outermost.op->name);
}

}  // namespace catena
