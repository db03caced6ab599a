#include "frontend/serializer/safetensors.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/bool_elements.h"
#include "runtime/file/unsigned_elements.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

/// The metadata that lists the keys of None, one a line.
constexpr std::string_view none_name = "catena.none";

std::set<std::string, std::less<>> lines_of(std::string_view text) {
    std::set<std::string, std::less<>> lines;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        lines.emplace(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// The header comes first in the file, and needs every array: they are written by finish().
class SafetensorsWriter final : public ArchiveWriter {
public:
    SafetensorsWriter(const std::string& path, const SafetensorsMetadata& metadata) : path_(path) {
        for (const auto& [key, text] : metadata) write_text(key, text);
    }

    void write(const std::string& key, const Array& array) override {
        take_name(key);
        if (array.defined()) {
            arrays_.emplace_back(key, array);
        } else {
            if (key.find('\n') != key.npos)
                fail<ValueError>(
                    "save_safetensors: {}: '{}' has no value, and its name has a line "
                    "break, so that it cannot be noted",
                    path_, key);
            none_ += (none_.empty() ? "" : "\n") + key;
        }
    }

    void write_text(const std::string& key, std::string_view text) override {
        take_name(key);
        header_.metadata.emplace(key, text);
    }

    void finish() override {
        if (!none_.empty()) header_.metadata.emplace(none_name, none_);
        const std::vector<size_t> order = order_in_file();
        const std::string text = safetensors::header_text(header_);
        AtomicFile file(path_);
        file.write(text.data(), text.size());
        for (const size_t i : order) {
            const RecorderScope paused(nullptr);
            const Array host = arrays_[i].second.to(cpu_device()).as_contiguous();
            if (host.size() > 0)
                file.write(host.elements(), size_t(host.size()) * size_of(host.dtype()));
        }
        file.commit();
    }

private:
    void take_name(const std::string& name) {
        if (name == safetensors::metadata_name || name == none_name)
            fail<ValueError>(
                "save_safetensors: {}: the name '{}' is reserved by the format; use another", path_,
                name);
        if (!names_.insert(name).second)
            fail<ValueError>(
                "save_safetensors: {}: there are two values of the name '{}'; names should differ",
                path_, name);
    }

    /// Large elements first, so that each lies at a multiple of its size.
    std::vector<size_t> order_in_file() {
        std::vector<size_t> order;
        for (size_t i = 0; i < arrays_.size(); ++i) {
            const auto& [name, array] = arrays_[i];
            header_.tensors.push_back(
                {name, &safetensors::element_type_of(array.dtype()), array.shape()});
            order.push_back(i);
        }
        std::ranges::stable_sort(order, std::ranges::greater(),
                                 [&](size_t i) { return size_of(arrays_[i].second.dtype()); });
        uint64_t end = 0;
        for (const size_t i : order) {
            const Array& array = arrays_[i].second;
            header_.tensors[i].begin = end;
            end += uint64_t(array.size()) * size_of(array.dtype());
            header_.tensors[i].end = end;
        }
        return order;
    }

    std::string path_;
    safetensors::Header header_;
    std::vector<std::pair<std::string, Array>> arrays_;
    std::set<std::string> names_;
    std::string none_;
};

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path)
    : file_(path), header_(safetensors::read_header(file_)) {
    for (size_t i = 0; i < header_.tensors.size(); ++i)
        numbers_.emplace(header_.tensors[i].name, i);
    if (const auto none = header_.metadata.find(none_name); none != header_.metadata.end()) {
        none_ = lines_of(none->second);
        header_.metadata.erase(none);
    }
    for (const std::string& key : none_)
        if (find(key)) fail<FileError>("{}: '{}' is a tensor and listed as None", path, key);
}

std::vector<std::string> SafetensorsFile::keys() const {
    std::vector<std::string> keys;
    for (const safetensors::Tensor& tensor : header_.tensors) keys.push_back(tensor.name);
    for (const std::string& key : none_) keys.push_back(key);
    for (const auto& [key, text] : header_.metadata)
        if (is_text(key)) keys.push_back(key);
    return keys;
}

const safetensors::Tensor* SafetensorsFile::find(std::string_view key) const {
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? nullptr : &header_.tensors[found->second];
}

bool SafetensorsFile::contains(std::string_view key) const {
    return find(key) || none_.contains(key) || header_.metadata.contains(key);
}

bool SafetensorsFile::is_text(std::string_view key) const {
    return header_.metadata.contains(key) && !find(key) && !none_.contains(key);
}

void SafetensorsFile::missing(std::string_view key) const {
    fail<FileError>("{}: there is no '{}'; {}", path(), key, nearest_key(key, keys()));
}

Array SafetensorsFile::read(std::string_view key) const {
    const safetensors::Tensor* const tensor = find(key);
    if (!tensor) {
        if (none_.contains(key)) return Array();
        if (is_text(key)) fail<FileError>("{}: '{}' is a text, an array is expected", path(), key);
        missing(key);
    }
    if (!tensor->type->dtype)
        fail<FileError>(
            "{}: tensor '{}' is {}, which Catena does not have; those that are read: "
            "{}",
            path(), key, tensor->type->name, safetensors::readable_types());
    const RecorderScope paused(nullptr);
    const Array array = Array::empty({*tensor->type->dtype, tensor->shape}, cpu_device());
    const size_t bytes = size_t(tensor->end - tensor->begin);
    if (bytes == 0) return array;
    char* const data = static_cast<char*>(array.to_fill());
    file_.read_at(header_.data_begin + tensor->begin, data, bytes);
    if (tensor->type->is_widened)
        widen_unsigned(array, size_t(tensor->type->bits) / 8, fmt::format("{}: '{}'", path(), key));
    settle_bools(array);
    return array;
}

std::string SafetensorsFile::read_text(std::string_view key) const {
    if (!contains(key)) missing(key);
    if (!is_text(key)) fail<FileError>("{}: '{}' is an array, a text is expected", path(), key);
    return header_.metadata.find(key)->second;
}

NamedArrays read_safetensors(const std::string& path) try {
    const SafetensorsFile file(path);
    NamedArrays arrays;
    for (const std::string& key : file.keys())
        if (!file.is_text(key)) arrays.emplace_back(key, file.read(key));
    return arrays;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("read_safetensors", path);
}

NamedArrays load_safetensors(const std::string& path) { return read_safetensors(path); }

void save_safetensors(const std::string& path, const NamedArrays& arrays,
                      const SafetensorsMetadata& metadata) try {
    SafetensorsWriter writer(path, metadata);
    for (const auto& [key, array] : arrays) writer.write(key, array);
    writer.finish();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_safetensors", path);
}

void save_safetensors(const std::string& path, const SerializeFunction& object,
                      const SafetensorsMetadata& metadata) try {
    SafetensorsWriter writer(path, metadata);
    save_to(writer, object);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_safetensors", path);
}

void load_safetensors(const std::string& path, const SerializeFunction& object,
                      const LoadOptions& options) try {
    load_from(SafetensorsFile(path), object, options);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("load_safetensors", path);
}

}  // namespace catena
