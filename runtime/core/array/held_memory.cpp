#include "runtime/core/array/held_memory.h"

#include <utility>

#include "runtime/core/array/device.h"
#include "runtime/core/array/pending.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// The storage of an array that is computed by now.
const Ref<Storage>& storage_of(const Array& array) {
    if (!array.defined()) fail<ValueError>("HeldMemory: the array is undefined");
    if (Pending* pending = array.body()->pending) pending->force(*array.body());
    return array.storage();
}

}  // namespace

HeldMemory::HeldMemory(Ref<Storage> storage) : storage_(std::move(storage)) {
    storage_->holders.fetch_add(1, std::memory_order_relaxed);
}

/// Unlike a pointer of raw_data(), it is known when nobody has it any longer: the memory is not
/// exposed for ever.
HeldMemory::HeldMemory(const Array& array) : HeldMemory(storage_of(array)) {
    storage_->will_change();
    if (array.device().is_host() && !storage_->is_read_only) array.to_fill();
}

HeldMemory::HeldMemory(const HeldMemory& other) : storage_(other.storage_) {
    if (storage_) storage_->holders.fetch_add(1, std::memory_order_relaxed);
}

HeldMemory& HeldMemory::operator=(HeldMemory other) noexcept {
    storage_.swap(other.storage_);
    return *this;
}

HeldMemory::~HeldMemory() {
    if (storage_) storage_->holders.fetch_sub(1, std::memory_order_release);
}

}  // namespace catena
