#pragma once

namespace catena {

/// True while this thread recomputes, for a backward, a call that forget() has made before. States
/// may change in it as always: they hold what they held in the first call, and are restored
/// afterwards (runtime/graph/call/call_changes.h).
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
