#pragma once

namespace catena {

/// True while this thread computes what it has computed before, for a backward (forget). States may
/// change then as always: they hold what they held in the first call, and afterwards what they held
/// before (runtime/graph/call_changes.h).
bool is_recomputing();

class RecomputingScope {
public:
    RecomputingScope();
    ~RecomputingScope();
    RecomputingScope(const RecomputingScope&) = delete;

private:
    bool previous_;
};

}  // namespace catena
