#include "runtime/graph/call/code_must_run.h"

#include "runtime/graph/call/recomputing.h"

namespace catena {
namespace {
thread_local int scopes = 0;
}

CodeMustRunScope::CodeMustRunScope() { ++scopes; }
CodeMustRunScope::~CodeMustRunScope() { --scopes; }

bool code_must_run() { return scopes > 0 || is_recomputing(); }

}  // namespace catena
