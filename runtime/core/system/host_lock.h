#pragma once

namespace catena {

/// The lock that a host language holds while its code runs, such as Python's interpreter lock.
class HostLock {
public:
    /// Lets go of it; what take() needs to have it again. Null if this thread does not hold it.
    virtual void* let_go() noexcept = 0;
    virtual void take(void* held) noexcept = 0;
    /// Takes it where this thread does not hold it; what leave() needs then, else null.
    virtual void* enter() noexcept { return nullptr; }
    virtual void leave(void* entered) noexcept {}

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

/// While alive, this thread has the host's lock: to ask what only its holder may. One who makes it
/// holds no lock of ours.
class WithHostLock {
public:
    WithHostLock();
    ~WithHostLock();
    WithHostLock(const WithHostLock&) = delete;

private:
    HostLock* lock_;
    void* entered_;
};

}  // namespace catena
