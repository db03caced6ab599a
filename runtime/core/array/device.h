#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/core/array/array.h"
#include "runtime/core/memory/memory_statistics.h"

namespace catena {

struct KernelCall;

/// Where arrays live and operations run. Devices are process-wide and never destroyed.
class Device {
public:
    virtual ~Device() = default;
    /// The device's name: "cpu", "meta", "cuda:0".
    const std::string& name() const { return name_; }
    /// Whether it is the device of arrays without memory.
    bool is_meta() const { return is_meta_; }
    /// Whether the processor can read its memory.
    bool is_host() const { return is_host_; }

    /// A block of at least `bytes`, 64-byte aligned; throws DeviceError with the sizes when full.
    virtual Ref<Storage> allocate(size_t bytes) = 0;
    /// Takes a block back; called when the last array of it is gone.
    virtual void free(Storage* storage) = 0;
    /// Runs one operation; the outputs are allocated.
    virtual void launch(const KernelCall& call) = 0;
    /// Copies the elements of a contiguous array from the host.
    virtual void copy_from_host(const void* host, const Array& to) = 0;
    /// Copies the elements of a contiguous array to the host.
    virtual void copy_to_host(const Array& from, void* host) = 0;

protected:
    Device(std::string name, bool is_meta, bool is_host)
        : name_(std::move(name)), is_meta_(is_meta), is_host_(is_host) {}

private:
    std::string name_;
    bool is_meta_, is_host_;
};

/// The host.
Device& cpu_device();
/// The device of arrays that have shapes and dtypes but no memory; operations on it compute
/// nothing.
Device& meta_device();
/// The device of that name: "cpu", "meta", "cuda:0". Any other name is a DeviceError that lists the
/// available devices or says why there is none.
Device& get_device(std::string_view name);

/// The device of new arrays on this thread: "cpu" unless a scope sets another.
Device& current_device();
/// Makes a device the thread's current one while it lives; see using_device.
class DeviceScope {
public:
    /// From now on new arrays are on this device.
    explicit DeviceScope(Device& device);
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;

private:
    Device* previous_;
};
/// Makes a device the thread's current one until the returned scope ends: `auto scope =
/// using_device("cuda:0");`.
[[nodiscard]] inline DeviceScope using_device(Device& device) { return DeviceScope(device); }
[[nodiscard]] inline DeviceScope using_device(std::string_view name) {
    return DeviceScope(get_device(name));
}

}  // namespace catena
