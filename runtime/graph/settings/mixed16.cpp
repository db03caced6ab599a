#include "runtime/graph/settings/mixed16.h"

#include <new>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {

bool& is_mixed() try {
    static constinit PerThread<bool> of_thread;
    return of_thread.get([] { return environment::text("CATENA_DTYPE") == "mixed16"; });
} catch (const std::bad_alloc&) {
    throw_out_of_memory("the settings of a thread");
}

}  // namespace

Mixed16Scope::Mixed16Scope() : dtype_(&Config::dtype, Dtype::float16), previous_(is_mixed()) {
    is_mixed() = true;
}
Mixed16Scope::~Mixed16Scope() { is_mixed() = previous_; }

Dtype high_precision_dtype() {
    const Dtype dtype = config().dtype;
    return is_mixed() && dtype == Dtype::float16 ? Dtype::float32 : dtype;
}

}  // namespace catena
