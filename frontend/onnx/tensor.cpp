#include "frontend/onnx/tensor.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/errors.h"
#include "frontend/onnx/unsigned_types.h"
#include "runtime/core/array/sizes.h"
#include "runtime/file/file.h"
#include "runtime/core/array/device.h"
#include "runtime/file/bool_elements.h"

namespace catena::onnx {
namespace {

using Proto = ::onnx::TensorProto;

/// ONNX's number of each dtype, in the order of Dtype.
constexpr int onnx_types[dtype_count] = {
    Proto::BOOL,  Proto::INT8,    Proto::INT16,    Proto::INT32, Proto::INT64,
    Proto::UINT8, Proto::FLOAT16, Proto::BFLOAT16, Proto::FLOAT, Proto::DOUBLE};

std::string describe(const Proto& tensor) { return "tensor '" + tensor.name() + "'"; }

Shape shape_of(const Proto& tensor, Dtype dtype) {
    if (tensor.dims_size() > max_rank)
        fail<UnsupportedError>("onnx: {} has {} axes, more than {}", describe(tensor),
                               tensor.dims_size(), max_rank);
    Shape shape;
    uint64_t bytes = size_of(dtype);
    for (int64_t size : tensor.dims()) {
        if (size < 0 || (size > 0 && bytes > (uint64_t(1) << 46) / uint64_t(size)))
            fail<FileError>("onnx: {} has an impossible size {}", describe(tensor), size);
        bytes *= uint64_t(size);
        shape.push_back(size);
    }
    return shape;
}

void check_bytes(const Proto& tensor, uint64_t given, uint64_t needed) {
    if (given != needed)
        fail<FileError>("onnx: {} holds {} bytes, its type and sizes need {}", describe(tensor),
                        given, needed);
}

/// Elements that stand one by one in a typed list, narrowed to T.
template <class T, class List>
void copy_list(const Proto& tensor, const List& list, const Array& to) {
    check_bytes(tensor, uint64_t(list.size()) * sizeof(T), uint64_t(to.size()) * sizeof(T));
    char* bytes = static_cast<char*>(to.to_fill());
    for (int i = 0; i < list.size(); ++i) {
        T element = static_cast<T>(list[i]);
        std::memcpy(bytes + size_t(i) * sizeof(T), &element, sizeof(T));
    }
}

void copy_typed(const Proto& tensor, const Array& to) {
    switch (to.dtype()) {
        case Dtype::float32:
            return copy_list<float>(tensor, tensor.float_data(), to);
        case Dtype::float64:
            return copy_list<double>(tensor, tensor.double_data(), to);
        case Dtype::int64:
            return copy_list<int64_t>(tensor, tensor.int64_data(), to);
        case Dtype::int32:
            return copy_list<int32_t>(tensor, tensor.int32_data(), to);
        default:
            if (size_of(to.dtype()) == 2)
                return copy_list<uint16_t>(tensor, tensor.int32_data(), to);
            return copy_list<uint8_t>(tensor, tensor.int32_data(), to);
    }
}

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

/// Where the elements of a tensor stand in a file.
struct External {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
};

uint64_t byte_number(const Proto& tensor, const std::string& key, const std::string& text) {
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, number);
    if (problem != std::errc() || rest != end)
        fail<FileError>("onnx: {} has the {} '{}'; expected is a number of bytes", describe(tensor),
                        key, text);
    return number;
}

External external_of(const Proto& tensor) {
    External found;
    for (const auto& entry : tensor.external_data()) {
        const std::string &key = entry.key(), &value = entry.value();
        if (key == "location") found.location = value;
        if (key == "offset") found.offset = byte_number(tensor, key, value);
        if (key == "length") found.length = byte_number(tensor, key, value);
    }
    return found;
}

/// The file must be in the model's folder: an untrusted model must not read other files.
std::string external_path(const Proto& tensor, const std::string& location,
                          const std::string& folder) {
    const std::filesystem::path path(location);
    bool inside = !location.empty() && path.is_relative();
    for (const auto& part : path) inside &= part != "..";
    if (!inside)
        fail<FileError>("onnx: {} is stored in '{}', which is outside of the model's folder",
                        describe(tensor), location);
    const std::filesystem::path root = folder.empty() ? "." : folder;
    std::error_code ignored;
    const auto real = std::filesystem::canonical(root / path, ignored);
    if (!ignored && !is_below(real, std::filesystem::canonical(root, ignored)))
        fail<FileError>("onnx: {} is stored in '{}', a link to {}, outside of the model's folder",
                        describe(tensor), location, real.string());
    return (root / path).string();
}

/// Elements that stand in a file beside the model's.
Array read_external(const Proto& tensor, const Type& type, const ModelFiles& files) {
    const External external = external_of(tensor);
    const uint64_t bytes = byte_count(type);
    const FileReader file(external_path(tensor, external.location, files.folder));
    if (external.length) check_bytes(tensor, *external.length, bytes);
    if (external.offset > file.size() || bytes > file.size() - external.offset)
        fail<FileError>("onnx: {} needs {} bytes from byte {} on of {}, which has {}",
                        describe(tensor), bytes, external.offset, file.path(), file.size());
    if (files.budget) {
        files.budget->add_file(file.path(), file.size());
        files.budget->ask(bytes, describe(tensor));
    }
    const Array array = Array::empty(type, cpu_device());
    if (bytes > 0) file.read_at(external.offset, array.to_fill(), bytes);
    settle_bools(array);
    return array;
}

/// The data must exist before memory is allocated for its declared size.
void check_present(const Proto& tensor, const Type& type) {
    const uint64_t bytes = byte_count(type);
    if (tensor.has_raw_data()) return check_bytes(tensor, tensor.raw_data().size(), bytes);
    const int64_t listed =
        std::max({tensor.float_data_size(), tensor.int32_data_size(), tensor.int64_data_size(),
                  tensor.double_data_size(), tensor.uint64_data_size()});
    check_bytes(tensor, uint64_t(listed) * size_of(type.dtype), bytes);
}

}  // namespace

int to_onnx(Dtype dtype) { return onnx_types[size_t(dtype)]; }

std::optional<Dtype> from_onnx(int type) {
    for (int i = 0; i < dtype_count; ++i)
        if (onnx_types[i] == type) return Dtype(i);
    return std::nullopt;
}

Dtype dtype_from_onnx(int type, const std::string& what) {
    if (auto dtype = from_onnx(type)) return *dtype;
    // Types newer than the installed schema.
    constexpr const char* newer[] = {
        "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
        "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0", "UINT2",          "INT2"};
    constexpr int first = 17;
    const bool known = Proto::DataType_IsValid(type);
    const std::string name = known ? Proto::DataType_Name(Proto::DataType(type))
                             : type >= first && type < first + std::ssize(newer)
                                 ? newer[type - first]
                                 : "number " + std::to_string(type);
    fail<UnsupportedError>("onnx: {} has elements of type {}, which Catena does not have", what,
                           name);
}

void write_tensor(const Array& array, const std::string& name, Proto& tensor) {
    const Array dense = array.to(cpu_device()).as_contiguous();
    tensor.set_name(name);
    tensor.set_data_type(to_onnx(array.dtype()));
    for (int64_t size : array.shape()) tensor.add_dims(size);
    tensor.set_raw_data(dense.elements(), size_t(dense.size()) * size_of(dense.dtype()));
}

Array read_tensor(const Proto& tensor, const ModelFiles& files) {
    if (const auto held = held_as(tensor.data_type()))
        return read_unsigned(tensor, shape_of(tensor, *held));
    const Dtype dtype = dtype_from_onnx(tensor.data_type(), describe(tensor));
    const Type type{dtype, shape_of(tensor, dtype)};
    const bool is_external = tensor.data_location() == Proto::EXTERNAL;
    if (is_external && byte_count(type) > 0) return read_external(tensor, type, files);
    if (!is_external) check_present(tensor, type);
    const Array array = Array::empty(type, cpu_device());
    if (array.size() == 0) return array;
    if (tensor.has_raw_data())
        std::memcpy(array.to_fill(), tensor.raw_data().data(), tensor.raw_data().size());
    else
        copy_typed(tensor, array);
    settle_bools(array);
    return array;
}

}  // namespace catena::onnx
