#include "frontend/capture/graph/used_up.h"

#include "runtime/core/memory/object_pool.h"
#include "runtime/core/system/error.h"

namespace catena::capture {

void* UsedUp::operator new(size_t) { return ObjectPool<UsedUp>::allocate(); }
void UsedUp::operator delete(void* used_up) { ObjectPool<UsedUp>::free(used_up); }

void UsedUp::refuse() const {
    fail<TraceError>(
        "backward: static_graph {} ran backward() through this result itself and did not keep its "
        "graph; take "
        "the gradients inside the region, or use the result's array (unchain) where no gradient is "
        "meant to flow",
        region_);
}

}  // namespace catena::capture
