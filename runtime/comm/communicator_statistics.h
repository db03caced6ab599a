#pragma once

#include <cstdint>

namespace catena {

/// Counters of one communicator since it was made.
struct CommunicatorStatistics {
    int64_t bytes_sent = 0;  ///< Bytes of elements that were sent, without headers.
    /// The part of bytes_sent that transfers in the background have sent.
    int64_t background_bytes = 0;
    /// Seconds that transfers in the background took, waiting for other ranks included.
    double background_seconds = 0;
    double waited_seconds = 0;  ///< Seconds, of background_seconds, that callers waited.
    /// Seconds that transfers ran beside the callers' work.
    double hidden_seconds() const {
        return background_seconds > waited_seconds ? background_seconds - waited_seconds : 0;
    }
};

}  // namespace catena
