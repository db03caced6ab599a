#include "runtime/graph/mixed16.h"

#include "runtime/core/environment.h"

namespace catena {
namespace {

bool& is_mixed() {
    thread_local bool of_thread = environment::text("CATENA_DTYPE") == "mixed16";
    return of_thread;
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
