#pragma once

#include <utility>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"

namespace catena {

/// Memory owned by somebody else, as the storage of arrays. It must outlive all its arrays; its
/// address may be changed in between. Changes of its elements are not announced, so no derived form
/// of them is cached, unless the memory belongs to another Storage (the lender), whose forms are
/// used.
class BorrowedStorage {
public:
    /// The reference count never reaches zero, so it is not freed into a pool.
    BorrowedStorage(void* data, size_t bytes, Device& device) : storage_(new Storage) {
        storage_->retain();
        storage_->device = &device;
        storage_->bytes = bytes;
        storage_->data = data;
        storage_->expose();
    }
    ~BorrowedStorage() { delete storage_; }
    BorrowedStorage(BorrowedStorage&& other) noexcept
        : storage_(std::exchange(other.storage_, nullptr)) {}

    /// `lender`: the storage that has this memory, if one does.
    void move_to(void* data, Storage* lender = nullptr) {
        storage_->data = data;
        storage_->lender = lender;
    }

    /// An array that shows this storage from `offset` elements on.
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
