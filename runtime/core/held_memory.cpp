#include "runtime/core/held_memory.h"

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/pending.h"

namespace catena {

HeldMemory::HeldMemory(const Array& array) {
    if (!array.defined()) fail<ValueError>("HeldMemory: the array is undefined");
    if (array.device().is_host() && !array.storage()->is_read_only)
        array.raw_data();
    else if (Pending* pending = array.body()->pending)
        pending->force(*array.body());
    storage_ = array.storage();
    storage_->expose();
    storage_->holders.fetch_add(1, std::memory_order_relaxed);
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
