#pragma once

#include <chrono>

namespace catena::passes {
class Dump;
}

namespace catena::codegen {

/// Reports the time of stages to `dump`, if given.
class StageTimer {
public:
    explicit StageTimer(passes::Dump* dump) : dump_(dump) {}
    void lap(const char* stage);

private:
    passes::Dump* dump_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace catena::codegen
