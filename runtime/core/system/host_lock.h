#pragma once

namespace catena {

/// The lock that a host language holds while its code runs, such as Python's interpreter lock.
class HostLock {
public:
    /// Lets go of it; what take() needs to have it again. Null if this thread does not hold it.
    virtual void* let_go() noexcept = 0;
    virtual void take(void* held) noexcept = 0;

protected:
    ~HostLock() = default;
};

/// That of the process, which lives for ever; null: none.
void set_host_lock(HostLock* lock);

/// While alive, this thread does without the host's lock: around work that takes long and runs no
/// code of the user's. Declared before every lock that the work takes: one who waits for the host's
/// lock must hold none of ours.
class WithoutHostLock {
public:
    explicit WithoutHostLock(bool is_long = true);
    ~WithoutHostLock();
    WithoutHostLock(const WithoutHostLock&) = delete;

private:
    HostLock* lock_;
    void* held_;
};

}  // namespace catena
