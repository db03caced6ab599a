#pragma once

namespace catena {

/// While one lives, static regions that this thread calls run their code, whatever their audit:
/// something listens to it that a call without it would not tell.
class CodeMustRunScope {
public:
    CodeMustRunScope();
    ~CodeMustRunScope();
    CodeMustRunScope(const CodeMustRunScope&) = delete;
};
/// True while one lives on this thread, or a backward computes again what forget() has dropped.
bool code_must_run();

}  // namespace catena
