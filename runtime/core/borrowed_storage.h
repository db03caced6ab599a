#pragma once

#include <utility>

#include "runtime/core/array.h"
#include "runtime/core/device.h"

namespace catena {

/// Memory owned by somebody else, as the storage of arrays. Must outlive all its arrays; its address may be changed in
/// between.
class BorrowedStorage {
public:
    /// The reference count never reaches zero, so it is not freed into a pool.
    BorrowedStorage(void* data, size_t bytes, Device& device) : storage_(new Storage) {
        storage_->retain();
        storage_->device = &device;
        storage_->bytes = bytes;
        storage_->data = data;
    }
    ~BorrowedStorage() { delete storage_; }
    BorrowedStorage(BorrowedStorage&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}

    void move_to(void* data) { storage_->data = data; }

    /// `offset` in elements.
    Array array(const Type& type, const Strides& strides, int64_t offset) const {
        Ref<ArrayBody> body = make_ref<ArrayBody>();
        body->storage = Ref<Storage>(storage_);
        body->type.dtype = type.dtype;
        return Array(std::move(body)).view(type.shape, strides, offset);
    }

private:
    Storage* storage_;
};

}  // namespace catena
