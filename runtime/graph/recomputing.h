#pragma once

namespace catena {

/// True while this thread computes what it has computed before, for a backward (forget): states that count calls, such as
/// running statistics, must not change again.
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
