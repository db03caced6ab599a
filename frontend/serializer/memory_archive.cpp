#include "frontend/serializer/memory_archive.h"

#include <cstring>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/file/bool_elements.h"

namespace catena {
namespace {

class Reader {
public:
    Reader(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}
    bool at_end() const { return bytes_.empty(); }
    int64_t number() {
        int64_t value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string_view text() { return take(number()); }
    Array array() {
        const int64_t dtype = number(), rank = number();
        if (dtype == -1 && rank == 0) return Array();
        if (dtype < 0 || dtype >= dtype_count || rank < 0 || rank > max_rank) wrong();
        Type type{Dtype(dtype), {}};
        uint64_t bytes = size_of(type.dtype);
        bool is_empty = false,
             too_large = false;  // As of an array: a size of 0 makes the others any.
        for (int64_t i = 0; i < rank; ++i) {
            const int64_t size = number();
            if (size < 0) wrong();
            type.shape.push_back(size);
            is_empty |= size == 0;
            too_large |= __builtin_mul_overflow(bytes, uint64_t(size), &bytes);
        }
        std::string_view elements = text();
        if (is_empty ? !elements.empty() : too_large || bytes != elements.size()) wrong();
        Array array = Array::empty(type, cpu_device());
        if (!elements.empty()) std::memcpy(array.to_fill(), elements.data(), elements.size());
        settle_bools(array);
        return array;
    }

private:
    std::string_view take(int64_t count) {
        if (count < 0 || size_t(count) > bytes_.size()) wrong();
        std::string_view taken = bytes_.substr(0, size_t(count));
        bytes_.remove_prefix(size_t(count));
        return taken;
    }
    [[noreturn]] void wrong() const {
        fail<FileError>("{}: is damaged, or no packed arrays", source_);
    }
    std::string_view bytes_;
    const std::string& source_;
};

void put(std::string& bytes, int64_t number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::string& bytes, std::string_view text) {
    put(bytes, int64_t(text.size()));
    bytes += text;
}
void put(std::string& bytes, const Array& array) {
    if (!array.defined()) {
        put(bytes, -1);
        return put(bytes, 0);
    }
    Array host = array.to(cpu_device()).as_contiguous();
    put(bytes, int64_t(host.dtype()));
    put(bytes, int64_t(host.rank()));
    for (int64_t d : host.shape()) put(bytes, d);
    put(bytes, std::string_view(host.size() ? static_cast<const char*>(host.elements()) : nullptr,
                                size_t(host.size()) * size_of(host.dtype())));
}

}  // namespace

std::string pack_arrays(const std::vector<Array>& arrays) {
    std::string bytes;
    for (const Array& array : arrays) put(bytes, array);
    return bytes;
}

std::vector<Array> unpack_arrays(std::string_view bytes, const std::string& source) {
    std::vector<Array> arrays;
    for (Reader reader(bytes, source); !reader.at_end();) arrays.push_back(reader.array());
    return arrays;
}

MemoryArchive::MemoryArchive(std::string_view bytes, std::string source)
    : source_(std::move(source)) {
    Reader reader(bytes, source_);
    for (int64_t count = reader.number(); count > 0; --count) {
        std::string key(reader.text());
        arrays_[key] = reader.array();
    }
    for (int64_t count = reader.number(); count > 0; --count) {
        std::string key(reader.text());
        texts_[key] = reader.text();
    }
}

void MemoryArchive::write(const std::string& key, const Array& array) { arrays_[key] = array; }

void MemoryArchive::write_text(const std::string& key, std::string_view text) {
    texts_[key] = text;
}

std::string MemoryArchive::bytes() const {
    std::string bytes;
    put(bytes, int64_t(arrays_.size()));
    for (auto& [key, array] : arrays_) {
        put(bytes, std::string_view(key));
        put(bytes, array);
    }
    put(bytes, int64_t(texts_.size()));
    for (auto& [key, text] : texts_) {
        put(bytes, std::string_view(key));
        put(bytes, std::string_view(text));
    }
    return bytes;
}

std::vector<std::string> MemoryArchive::keys() const {
    std::vector<std::string> keys;
    for (auto& [key, array] : arrays_) keys.push_back(key);
    for (auto& [key, text] : texts_) keys.push_back(key);
    return keys;
}

bool MemoryArchive::contains(std::string_view key) const {
    return arrays_.contains(key) || texts_.contains(key);
}

void MemoryArchive::missing(std::string_view key) const {
    fail<FileError>("{}: there is no '{}'; {}", source_, key, nearest_key(key, keys()));
}

Array MemoryArchive::read(std::string_view key) const {
    auto found = arrays_.find(key);
    if (found == arrays_.end()) missing(key);
    return found->second;
}

std::string MemoryArchive::read_text(std::string_view key) const {
    auto found = texts_.find(key);
    if (found == texts_.end()) missing(key);
    return found->second;
}

}  // namespace catena
