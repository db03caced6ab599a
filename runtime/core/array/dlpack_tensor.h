#pragma once

#include <cstdint>

#include "runtime/core/array/foreign_array.h"

namespace catena::dlpack {

// The structures of DLPack 1.0 (dlpack.h), member for member.

struct DeviceOfTensor {
    int32_t type, number;
};
struct DtypeOfTensor {
    uint8_t code, bits;
    uint16_t lanes;
};
struct Tensor {
    void* data;
    DeviceOfTensor device;
    int32_t rank;
    DtypeOfTensor dtype;
    int64_t* shape;
    int64_t* strides;  ///< The steps along the axes, in elements; null: row-major.
    uint64_t byte_offset;
};
struct Managed {  ///< The tensor of DLManagedTensor.
    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};
struct Versioned {  ///< The tensor of DLManagedTensorVersioned.
    uint32_t major, minor;
    void* context;
    void (*deleter)(Versioned*);
    uint64_t flags;
    Tensor tensor;
};

inline constexpr uint32_t major_version = 1, minor_version = 0;
inline constexpr uint64_t read_only_flag = 1;

/// DeviceError unless memory of the device can be read by the host: its own, and pinned memory.
void refuse_devices(const DeviceOfTensor& device);
/// ValueError for a version whose structure may be another one.
void refuse_versions(const Versioned& tensor);
/// DLPack's form of a dtype.
DtypeOfTensor dtype_of_tensor(Dtype dtype);
/// Where the elements are and what they are; release and others_may_write are the caller's. Errors
/// as from_dlpack's.
ForeignMemory memory_of(const Tensor& tensor, bool is_read_only);

}  // namespace catena::dlpack
