#include "frontend/optimizer/gather_moments.h"

#include <algorithm>

#include "frontend/optimizer/optimizer.h"
#include "frontend/optimizer/parts.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {

bool has_parts(Optimizer& optimizer) {
    return (optimizer.exchange() && optimizer.exchange()->has_parts()) ||
           std::ranges::any_of(optimizer.slots(),
                               [](const UpdateSlot& slot) { return slot.part.has_value(); });
}

void gather_moments(Optimizer& optimizer) {
    if (optimizer.exchange()) optimizer.exchange()->gather_parts();
    for (UpdateSlot& slot : optimizer.slots()) {
        if (!slot.part) continue;
        const SavedSlot whole = whole_of(slot, optimizer.exchange().get());
        for (size_t i = 0; i < whole.moments.size(); ++i)
            slot.moments[i].set_array(whole.moments[i]);
        if (whole.master.defined()) slot.master.set_array(whole.master);
        slot.part.reset();
        note_code_change();
    }
}

}  // namespace catena
