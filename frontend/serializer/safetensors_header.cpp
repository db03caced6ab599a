#include "frontend/serializer/safetensors_header.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "frontend/serializer/safetensors_json.h"
#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"

namespace catena::safetensors {
namespace {

constexpr size_t length_bytes = 8;

/// The bytes of a tensor by its type and shape.
uint64_t bytes_of(const Tensor& tensor, const std::string& file) {
    uint64_t bits = uint64_t(tensor.type->bits);
    for (const int64_t size : tensor.shape)
        if (size == 0) return 0;
    for (const int64_t size : tensor.shape)
        if (__builtin_mul_overflow(bits, uint64_t(size), &bits))
            fail<FileError>("{}: tensor '{}' is {} of shape {}, which no memory holds", file,
                            tensor.name, tensor.type->name, to_string(tensor.shape));
    if (bits % 8 != 0)
        fail<FileError>("{}: tensor '{}' is {} of shape {}, which is {} bits and no whole bytes",
                        file, tensor.name, tensor.type->name, to_string(tensor.shape), bits);
    return bits / 8;
}

void check_size(const Tensor& tensor, const std::string& file) {
    if (tensor.end < tensor.begin)
        fail<FileError>("{}: tensor '{}' ends at byte {}, before it begins at byte {}", file,
                        tensor.name, tensor.end, tensor.begin);
    const uint64_t bytes = bytes_of(tensor, file);
    if (bytes != tensor.end - tensor.begin)
        fail<FileError>(
            "{}: tensor '{}' is {} of shape {}, which takes {} bytes; its data_offsets "
            "[{},{}] are {}",
            file, tensor.name, tensor.type->name, to_string(tensor.shape), bytes, tensor.begin,
            tensor.end, tensor.end - tensor.begin);
}

/// Checks that the tensors lie one behind the other, from the first byte after the header to the
/// last one of the file.
void check_places(const Header& header, const FileReader& file) {
    std::vector<const Tensor*> by_place;
    for (const Tensor& tensor : header.tensors) {
        check_size(tensor, file.path());
        by_place.push_back(&tensor);
    }
    std::ranges::sort(by_place, [](const Tensor* a, const Tensor* b) {
        return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    uint64_t end = 0;
    std::string before = "the header";
    for (const Tensor* tensor : by_place) {
        if (tensor->begin != end)
            fail<FileError>(
                "{}: tensor '{}' begins at byte {} of the data, {} ends at byte {}: "
                "they should lie one behind the other",
                file.path(), tensor->name, tensor->begin, before, end);
        end = tensor->end;
        before = fmt::format("'{}'", tensor->name);
    }
    const uint64_t there = file.size() - header.data_begin;
    if (end > there)
        fail<FileError>("{}: {} ends at byte {} of the data, the file has {}: it was cut off",
                        file.path(), before, end, there);
    if (end < there)
        fail<FileError>("{}: {} bytes follow {}, which should be the last thing in the file",
                        file.path(), there - end, before);
}

/// The text of a JSON string; ValueError where it is not UTF-8.
std::string quoted(const std::string& text) try {
    return nlohmann::json(text).dump();
} catch (const nlohmann::json::exception&) {
    fail<ValueError>("save_safetensors: the name or text '{}' is not UTF-8", text);
}

}  // namespace

Header read_header(const FileReader& file) {
    if (file.size() < length_bytes)
        fail<FileError>(
            "{}: is no safetensors file: it has {} bytes, and the length of a header "
            "takes {}",
            file.path(), file.size(), length_bytes);
    uint64_t length = 0;
    file.read_at(0, &length, sizeof length);
    if (length > longest_header)
        fail<FileError>(
            "{}: is no safetensors file: its header would have {} bytes, the format "
            "allows {}",
            file.path(), length, longest_header);
    if (length > file.size() - length_bytes)
        fail<FileError>(
            "{}: its header has {} bytes from byte {}, the file only {}: it was cut "
            "off, or is no safetensors file",
            file.path(), length, length_bytes, file.size());
    std::string text = file_buffer(length, file.path());
    file.read_at(length_bytes, text.data(), text.size());
    if (!text.starts_with('{'))
        fail<FileError>("{}: is no safetensors file: a header should begin with '{{' at byte {}",
                        file.path(), length_bytes);
    Header header = parse_header(text, file.path());
    header.data_begin = length_bytes + length;
    FileBudget(file.path(), file.size()).check_entries(header.tensors.size());
    check_places(header, file);
    return header;
}

std::string header_text(const Header& header) {
    std::string text = "{";
    const auto begin_entry = [&](const std::string& name) {
        text += (text.size() > 1 ? "," : "") + quoted(name) + ":";
    };
    if (!header.metadata.empty()) {
        begin_entry(std::string(metadata_name));
        const char* comma = "{";
        for (const auto& [key, value] : header.metadata) {
            text += comma + quoted(key) + ":" + quoted(value);
            comma = ",";
        }
        text += "}";
    }
    for (const Tensor& tensor : header.tensors) {
        begin_entry(tensor.name);
        text += fmt::format(R"({{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                            tensor.type->name, to_string(tensor.shape), tensor.begin, tensor.end);
    }
    text += "}";
    text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
    if (text.size() > longest_header)
        fail<ValueError>(
            "save_safetensors: the names and metadata make a header of {} bytes, the "
            "format allows {}",
            text.size(), longest_header);
    const uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

}  // namespace catena::safetensors
