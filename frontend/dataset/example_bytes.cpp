#include "frontend/dataset/example_bytes.h"

#include <cstring>

#include "frontend/serializer/memory_archive.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

enum : uint32_t { single, tuple, dict };

struct Header {
    uint32_t kind = single, key_count = 0;
};

}  // namespace

std::string example_bytes(const Example& example) {
    const Header header{example.is_dict()    ? dict
                        : example.is_tuple() ? tuple
                                             : single,
                        uint32_t(example.keys().size())};
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    for (const std::string& key : example.keys()) {
        const uint64_t length = key.size();
        bytes.append(reinterpret_cast<const char*>(&length), sizeof length).append(key);
    }
    std::vector<Array> values;
    for (const Array& value : example.values()) values.push_back(value.to(cpu_device()));
    return bytes + pack_arrays(values);
}

Example example_from(std::string_view bytes, const std::string& source) {
    auto wrong = [&](const char* what) { fail<FileError>("{}: is no example: {}", source, what); };
    auto take = [&](void* to, size_t n) {
        if (n > bytes.size()) wrong("its bytes end early");
        if (n > 0) std::memcpy(to, bytes.data(), n);
        bytes.remove_prefix(n);
    };
    Header header;
    take(&header, sizeof header);
    if (header.kind > dict || header.key_count > bytes.size() / sizeof(uint64_t))
        wrong("it begins with other numbers");
    std::vector<std::string> keys(header.key_count);
    for (std::string& key : keys) {
        uint64_t length = 0;
        take(&length, sizeof length);
        if (length > bytes.size()) wrong("a key is longer than the rest");
        key.resize(length);
        take(key.data(), length);
    }
    std::vector<Array> values = unpack_arrays(bytes, source);
    if (header.kind == dict ? values.size() != keys.size()
                            : header.kind == single && values.size() != 1)
        wrong("it has another number of arrays");
    if (header.kind == dict) return Example(std::move(keys), std::move(values));
    if (header.kind == tuple) return Example(std::move(values));
    return Example(std::move(values[0]));
}

}  // namespace catena
