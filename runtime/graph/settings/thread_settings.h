#pragma once

#include "runtime/core/dtype/dtype.h"
#include "runtime/graph/settings/config.h"

namespace catena {

/// All settings of a thread: those that users know by name, and those that only scopes change.
struct ThreadSettings {
    Config config;
    /// The dtype of the innermost autocast scope; float32 outside.
    Dtype autocast = Dtype::float32;
    /// Whether parameters of normalization are float32 where config.dtype is float16 (mixed16.h).
    bool is_mixed16 = false;
};
/// Those of this thread, which begins with what the environment says.
ThreadSettings& thread_settings();

}  // namespace catena
