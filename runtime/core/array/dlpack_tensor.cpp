#include "runtime/core/array/dlpack_tensor.h"

#include <array>

#include "runtime/core/system/error.h"

namespace catena::dlpack {
namespace {

constexpr int32_t cpu = 1, cuda = 2, pinned_of_cuda = 3, pinned_of_rocm = 11;

struct Known {
    uint8_t code, bits;
    Dtype dtype;
};
constexpr std::array known = {Known{0, 8, Dtype::int8},      Known{0, 16, Dtype::int16},
                              Known{0, 32, Dtype::int32},    Known{0, 64, Dtype::int64},
                              Known{1, 8, Dtype::uint8},     Known{2, 16, Dtype::float16},
                              Known{2, 32, Dtype::float32},  Known{2, 64, Dtype::float64},
                              Known{4, 16, Dtype::bfloat16}, Known{6, 8, Dtype::bool_}};
static_assert(known.size() == dtype_count);

Dtype dtype_of(const DtypeOfTensor& dtype) {
    for (const Known& each : known)
        if (each.code == dtype.code && each.bits == dtype.bits && dtype.lanes == 1)
            return each.dtype;
    fail<DtypeError>(
        "from_dlpack: Catena has no dtype of {} bits of DLPack's code {} in {} lanes: it has bool, "
        "int8, int16, int32, int64, uint8, float16, bfloat16, float32 and float64",
        dtype.bits, dtype.code, dtype.lanes);
}

Shape shape_of(const Tensor& tensor) {
    if (tensor.rank < 0 || tensor.rank > max_rank)
        fail<ShapeError>("from_dlpack: an array of {} axes: Catena's have up to {}", tensor.rank,
                         max_rank);
    if (tensor.rank > 0 && !tensor.shape)
        fail<ValueError>("from_dlpack: the shape of a tensor of {} axes is null", tensor.rank);
    Shape shape;
    for (int i = 0; i < tensor.rank; ++i) shape.push_back(tensor.shape[i]);
    for (const int64_t size : shape)
        if (size < 0)
            fail<ShapeError>("from_dlpack: the shape {} has a negative size", to_string(shape));
    return shape;
}

}  // namespace

void refuse_devices(const DeviceOfTensor& device) {
    if (device.type == cpu || device.type == pinned_of_cuda || device.type == pinned_of_rocm)
        return;
    fail<DeviceError>(
        "from_dlpack: the tensor is on {}, Catena reads those in memory of the host: bring it "
        "there first, such as by x.cpu()",
        device.type == cuda
            ? fmt::format("cuda:{}", device.number)
            : fmt::format("device {} of DLPack's type {}", device.number, device.type));
}

void refuse_versions(const Versioned& tensor) {
    if (tensor.major != major_version)
        fail<ValueError>("from_dlpack: the tensor is of DLPack {}.{}, Catena reads {}.x",
                         tensor.major, tensor.minor, major_version);
}

DtypeOfTensor dtype_of_tensor(Dtype dtype) {
    for (const Known& each : known)
        if (each.dtype == dtype) return {each.code, each.bits, 1};
    CATENA_ASSERT(false, "DLPack has each of our dtypes");
    return {};
}

ForeignMemory memory_of(const Tensor& tensor, bool is_read_only) {
    refuse_devices(tensor.device);
    ForeignMemory memory;
    memory.type = {dtype_of(tensor.dtype), shape_of(tensor)};
    memory.strides = contiguous_strides(memory.type.shape);
    if (tensor.strides)
        for (int i = 0; i < tensor.rank; ++i) memory.strides[i] = tensor.strides[i];
    if (tensor.data) memory.data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
    memory.is_read_only = is_read_only;
    return memory;
}

}  // namespace catena::dlpack
