#include "frontend/capture/call/view_layout.h"

#include "frontend/capture/path/path.h"

namespace catena::capture {

Array stand_in(const ArrayBody& pending) {
    Ref<ArrayBody> body = make_ref<ArrayBody>();
    body->storage = pending.storage;
    body->offset = pending.offset;
    body->type = pending.type;
    body->strides = pending.strides;
    body->contiguous = pending.contiguous;
    return Array(std::move(body));
}

/// Whether an array begins at the start of its storage, as what an operation makes does.
bool begins_its_storage(const Array& array) { return array.body()->offset == 0; }

ViewLayout layout_of(const Step& step, const ArrayBody& viewed) {
    const Step::Call& call = *step.call;
    ViewLayout layout{.step = &step, .from = viewed.strides, .strides = {}};
    const Array view = call.device == viewed.storage->device
                           ? call.op->view(stand_in(viewed), call.attributes)
                           : Array();
    layout.is_view = view.defined();
    if (layout.is_view) {
        layout.strides = view.strides();
        layout.offset = view.body()->offset - viewed.offset;
        layout.contiguous = view.contiguous();
    }
    return layout;
}

bool Snapshot::is_of(const ArrayBody& array) const {
    return storage == array.storage.get() && offset == array.offset && type == array.type &&
           strides == array.strides;
}

}  // namespace catena::capture
