#include "frontend/capture/call/written_memory.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/recorder.h"

namespace catena::capture {
namespace {

/// Whether an operation reads the elements of its input, not only where they lie.
bool reads_elements(const OpDef& op, const ArrayBody& input, const Attributes& attributes) {
    return !(op.view && op.view(stand_in(input), attributes).defined());
}

}  // namespace

void WrittenMemory::end_call() {
    watched_.clear();
    addressed_.clear();
    snapshots_.clear();
    read_.clear();
}

bool WrittenMemory::has_pointer(const ArrayBody& array) const {
    return std::ranges::find(addressed_, array.storage) != addressed_.end();
}

uint32_t WrittenMemory::pointers_to(const Storage& storage) const {
    return uint32_t(std::ranges::count(addressed_, &storage, &Ref<Storage>::get));
}

void WrittenMemory::take_pointer(const ArrayBody& array) {
    const Storage& memory = *array.storage;
    const bool is_kept = memory.is_exposed.load(std::memory_order_relaxed) || memory.is_held();
    if (is_kept && !has_pointer(array)) addressed_.push_back(array.storage);
}

std::span<const Variable* const> WrittenMemory::as_read(const OpCall& call) {
    const auto is_read = [&](const Variable& x) {
        const ArrayBody& body = *x.array().body();
        return has_pointer(body) && reads_elements(call.op, body, call.attributes);
    };
    if (std::ranges::none_of(call.inputs, [&](const Variable* x) { return is_read(*x); }))
        return call.inputs;
    read_.clear();
    read_list_.clear();
    read_.reserve(call.inputs.size());
    for (const Variable* x : call.inputs) {
        read_.push_back(is_read(*x) ? Variable(snapshot(*x->array().body()), false) : *x);
        read_list_.push_back(&read_.back());
    }
    return read_list_;
}

/// A copy; the latest one as long as nothing was written.
Array WrittenMemory::snapshot(const ArrayBody& array) {
    const RecorderScope unseen(nullptr);
    const Array copy = Array::empty(array.type, *array.storage->device);
    copy_elements(stand_in(array), copy);
    const auto known = std::ranges::find_if(
        snapshots_, [&](const Snapshot& snapshot) { return snapshot.is_of(array); });
    if (known == snapshots_.end()) {
        snapshots_.push_back({array.storage.get(), array.offset, array.type, array.strides, copy});
        return copy;
    }
    if (!same_bits(copy, known->copy)) known->copy = copy;
    return known->copy;
}

void WrittenMemory::watch(const OpCall& call, ArrayBody& read, const Values& values) {
    if (read.storage->device->is_meta() || (read.pending && !values.is_pending(read)) ||
        has_pointer(read) || !reads_elements(call.op, read, call.attributes))
        return;
    const Array input = read.pending ? values.array(values.memory().base_of(read.value))
                                     : Array(Ref<ArrayBody>(&read));
    if (watched_.read(input, read)) return;
    addressed_.push_back(read.storage);
}

}  // namespace catena::capture
