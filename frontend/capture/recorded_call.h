#pragma once

#include <cstdint>

#include "runtime/core/system/error.h"
#include "runtime/graph/attributes.h"

namespace catena {
struct OpDef;
}

namespace catena::capture {

/// What a step of a recording says of its operation, apart from what it reads. The turns of a loop
/// say the same.
struct RecordedCall {
    const OpDef* op = nullptr;
    Attributes attributes;
    SourceLoc location;
    const char* function = "";  ///< See user_function().

    uint64_t hash() const;
    friend bool operator==(const RecordedCall& a, const RecordedCall& b);
};

}  // namespace catena::capture
