#include "frontend/capture/call/own_references.h"

namespace catena::capture {

void OwnReferences::count(const Values& values, const UndoLog& log) {
    shown_.clear();
    for (int v : values.memory().views())
        if (const Array& view = values.array(v);
            values.shows_outside(v) && view.body()->use_count() == 1)
            ++shown_.insert(view.storage().get(), 0);
    held_.assign(size_t(values.count()), 0);
    if (log.empty()) return;
    inputs_.clear();
    for (int v = values.first(); v < values.count(); ++v)
        if (const Array& array = values.array(v); !values.is_computed(v) && array.defined())
            inputs_.insert(array.body(), v);
    log.for_each_held([&](const Array& held) {
        if (const int* v = inputs_.find(held.body())) ++held_[size_t(*v)];
    });
}

uint32_t OwnReferences::of_storage(const Storage& storage) {
    const int* arrays = shown_.find(&storage);
    return 1 + uint32_t(arrays ? *arrays : 0);
}

}  // namespace catena::capture
