#pragma once

namespace catena {

/// While alive, static regions that this thread calls run their C++ code, whatever their audit
/// option: something observes the code that a call without it would not notify.
class CodeMustRunScope {
public:
    CodeMustRunScope();
    ~CodeMustRunScope();
    CodeMustRunScope(const CodeMustRunScope&) = delete;
};
/// Whether a CodeMustRunScope is alive on this thread, or a backward recomputes what forget() has
/// dropped.
bool code_must_run();

}  // namespace catena
