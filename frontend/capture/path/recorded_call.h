#pragma once

#include <cstdint>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/attributes.h"

namespace catena {
struct OpDef;
}

namespace catena::capture {

/// The operation of a recorded step without its operands: equal in all iterations of a loop.
struct RecordedCall {
    const OpDef* op = nullptr;
    Attributes attributes;
    SourceLoc location;
    const char* function = "";  ///< The user's function that called it, see user_function().

    uint64_t hash() const;
    friend bool operator==(const RecordedCall& a, const RecordedCall& b);
};

}  // namespace catena::capture
