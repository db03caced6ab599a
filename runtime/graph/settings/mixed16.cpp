#include "runtime/graph/settings/mixed16.h"

#include <utility>

#include "runtime/graph/settings/thread_settings.h"

namespace catena {

Mixed16Scope::Mixed16Scope()
    : dtype_(&Config::dtype, Dtype::float16),
      previous_(std::exchange(thread_settings().is_mixed16, true)) {}
Mixed16Scope::~Mixed16Scope() { thread_settings().is_mixed16 = previous_; }

Dtype high_precision_dtype() {
    const auto& [config, autocast, is_mixed16] = thread_settings();
    return is_mixed16 && config.dtype == Dtype::float16 ? Dtype::float32 : config.dtype;
}

}  // namespace catena
