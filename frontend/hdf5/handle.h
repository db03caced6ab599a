#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "runtime/core/dtype/dtype.h"

namespace catena::hdf5 {

/// An HDF5 identifier, closed by the destructor.
class Handle {
public:
    Handle() = default;
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }
    bool valid() const { return id_ >= 0; }

private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

/// Serialises calls, as Debian's library is not thread-safe, and disables its error printing and
/// filter plug-ins.
class Lock {
public:
    Lock();

private:
    std::lock_guard<std::recursive_mutex> guard_;
};

/// The library's last error message, of the innermost call.
std::string last_error();

/// The type of elements in files and, with the host's byte order, in memory. bool is the
/// enumeration that h5py uses.
Handle type_of(Dtype dtype);

}  // namespace catena::hdf5
