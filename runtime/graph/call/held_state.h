#pragma once

#include "runtime/core/array/foreign_storage.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// Holds the memory of a variable's content. A state gets memory of its own first: what shares it
/// (a copy of the state, an array read before) keeps its elements at updates. Within a static
/// region that is not so.
HeldMemory hold_memory(const Variable& x);

/// Whether somebody outside may look at the array's memory, who sees updates of a state there: a
/// view of it is held, or it is somebody else's, who has it still. Memory that may only be read is
/// not: no update is written there.
inline bool is_held(const Array& array) {
    if (!array.defined()) return false;
    const Storage& memory = *array.storage();
    return memory.is_held() ||
           (memory.is_foreign && !memory.is_read_only && others_may_write(memory));
}
/// `array`, or a copy if it is held.
Array not_held(const Array& array);

/// Updates a state to `array`, where one of the two is_held(). True: its elements were written to
/// where the content lies, which stays. False: the state is to be bound to `array`, which may have
/// become a copy. Within a static region what was recorded so far is computed first, since it has
/// read the old elements, and the update stays whatever comes after it.
bool update_held(VariableBody& state, Array& array);

/// While alive, a region's code on this thread is only recorded, and its updates are undone:
/// nothing is written where somebody outside looks.
class UpdatesUndone {
public:
    UpdatesUndone();
    ~UpdatesUndone();
    UpdatesUndone(const UpdatesUndone&) = delete;

private:
    bool previous_;
};

}  // namespace catena
