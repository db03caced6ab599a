#pragma once

#include <cstddef>

namespace catena {

/// Bytes to or from another rank.
struct CommunicatorMessage {
    /// The other rank.
    int peer;
    /// Where the bytes are, or are to go.
    void* data;
    /// The number of bytes.
    size_t bytes;
};

}  // namespace catena
