#include "codegen/stage_timer.h"

#include "passes/pipeline/dump.h"

namespace catena::codegen {

void StageTimer::lap(const char* stage) {
    auto now = std::chrono::steady_clock::now();
    if (dump_) dump_->time(stage, start_, now);
    start_ = now;
}

}  // namespace catena::codegen
