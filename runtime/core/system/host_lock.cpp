#include "runtime/core/system/host_lock.h"

#include <atomic>

namespace catena {
namespace {

std::atomic<HostLock*> host_lock = nullptr;

}  // namespace

void set_host_lock(HostLock* lock) { host_lock.store(lock, std::memory_order_release); }

WithoutHostLock::WithoutHostLock(bool is_long)
    : lock_(is_long ? host_lock.load(std::memory_order_acquire) : nullptr),
      held_(lock_ ? lock_->let_go() : nullptr) {}

WithoutHostLock::~WithoutHostLock() {
    if (held_) lock_->take(held_);
}

WithHostLock::WithHostLock()
    : lock_(host_lock.load(std::memory_order_acquire)),
      entered_(lock_ ? lock_->enter() : nullptr) {}

WithHostLock::~WithHostLock() {
    if (entered_) lock_->leave(entered_);
}

}  // namespace catena
