#pragma once

namespace catena {

struct ArrayBody;

/// Notified when this thread's code reads or addresses the elements of an array: a recorder
/// (runtime/graph/call/recorder.h), whose arrays may not have elements yet.
class AccessObserver {
public:
    /// The host reads the elements of a value; throws a TraceError if that is not possible.
    virtual void host_read(ArrayBody& array) = 0;
    /// The host takes the address of the elements, and may write to them.
    virtual void addressed(ArrayBody&) {}

protected:
    ~AccessObserver() = default;
};

namespace access {
extern constinit thread_local AccessObserver* observer [[gnu::tls_model("initial-exec")]];
}
/// The observer of this thread, which is its recorder; null when nobody is to be notified.
inline AccessObserver* access_observer() { return access::observer; }
inline void set_access_observer(AccessObserver* observer) { access::observer = observer; }

}  // namespace catena
