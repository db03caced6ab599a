#include "runtime/core/system/assertion.h"

namespace catena {

void assertion_failed(const char* condition, const char* file, int line, const std::string& note) {
    throw AssertionFailed(
        fmt::format("catena: internal error: {} ({} is false at {}:{}); please report this", note,
                    condition, file, line),
        note);
}

}  // namespace catena
