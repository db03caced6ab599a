#include "frontend/dataset/well_known/mat5.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include <zlib.h>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"

namespace catena {
namespace {

// Types of data elements; "MAT-File Format", MathWorks.
enum Element : uint32_t {
    int8 = 1,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    mat_single,
    double_ = 9,
    int64 = 12,
    uint64,
    matrix,
    compressed
};
constexpr uint32_t first_numeric_class = 6, last_numeric_class = 15, complex_flag = 0x0800;

/// Reads elements: a type, a number of bytes, and the bytes, filled up to a multiple of eight.
class Elements {
public:
    Elements(std::string_view bytes, const std::string& path, FileBudget& budget)
        : bytes_(bytes), path_(path), budget_(budget) {}
    bool done() const { return at_ == bytes_.size(); }

    struct Tagged {
        uint32_t type;
        std::string_view content;
    };
    Tagged next() {
        const uint32_t first = number(), type = first & 0xffff, small = first >> 16;
        if (small > 0) {  // Up to four bytes stand in the tag itself.
            if (small > 4) wrong(fmt::format("a small element has {} bytes", small));
            const std::string_view content = take(4).substr(0, small);
            return {type, content};
        }
        const uint32_t size = number();
        const std::string_view content = take(size);
        if (type != compressed) take(std::min<size_t>((8 - size % 8) % 8, bytes_.size() - at_));
        return {type, content};
    }
    [[noreturn]] void wrong(const std::string& what) const {
        fail<FileError>("{}: {}, before byte {} of its part", path_, what, at_);
    }
    FileBudget& budget() const { return budget_; }
    const std::string& path() const { return path_; }

private:
    std::string_view take(size_t size) {
        if (size > bytes_.size() - at_)
            wrong(fmt::format("{} bytes are expected and {} are left", size, bytes_.size() - at_));
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }
    uint32_t number() {
        uint32_t value;
        std::memcpy(&value, take(4).data(), 4);
        return value;
    }
    std::string_view bytes_;
    const std::string& path_;
    FileBudget& budget_;
    size_t at_ = 0;
};

std::optional<Dtype> dtype_of(uint32_t type) {
    switch (type) {
        case int8:
            return Dtype::int8;
        case uint8:
            return Dtype::uint8;
        case int16:
            return Dtype::int16;
        case int32:
            return Dtype::int32;
        case mat_single:
            return Dtype::float32;
        case double_:
            return Dtype::float64;
        case int64:
            return Dtype::int64;
        default:
            return std::nullopt;
    }
}

std::string inflated(std::string_view packed, const Elements& from) {
    std::string content;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw InternalError("zlib: inflateInit failed");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = uInt(packed.size());
    char block[1 << 16];
    int status = Z_OK;
    while (status == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(block);
        stream.avail_out = sizeof block;
        status = inflate(&stream, Z_NO_FLUSH);
        const size_t made = sizeof block - stream.avail_out;
        if (made == 0 && status == Z_OK) status = Z_DATA_ERROR;
        try {
            from.budget().ask(made, "its compressed data");
        } catch (...) {
            inflateEnd(&stream);
            throw;
        }
        content.append(block, made);
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END) from.wrong("compressed data are damaged");
    return content;
}

void read_matrix(std::string_view content, const Elements& from,
                 std::map<std::string, Array>& arrays) {
    Elements parts(content, from.path(), from.budget());
    const auto flags = parts.next(), dimensions = parts.next(), name = parts.next();
    if (flags.type != uint32 || flags.content.size() != 8)
        parts.wrong("a matrix should begin with its flags");
    uint32_t word;
    std::memcpy(&word, flags.content.data(), 4);
    const uint32_t kind = word & 0xff;
    if (kind < first_numeric_class || kind > last_numeric_class || word & complex_flag)
        parts.wrong(fmt::format("'{}' is no array of real numbers (class {})", name.content, kind));
    if (dimensions.type != int32 || dimensions.content.size() % 4 != 0 ||
        dimensions.content.size() / 4 > max_rank)
        parts.wrong("the sizes of a matrix are malformed");
    Shape shape;
    for (size_t i = dimensions.content.size(); i > 0; i -= 4) {
        int32_t size;
        std::memcpy(&size, dimensions.content.data() + i - 4, 4);
        if (size < 0) parts.wrong(fmt::format("a size is {}", size));
        shape.push_back(size);
    }
    const auto values = parts.next();
    const std::optional<Dtype> dtype = dtype_of(values.type);
    if (!dtype)
        parts.wrong(fmt::format("'{}' has elements of a type that Catena has not ({})",
                                name.content, values.type));
    int64_t bytes = int64_t(size_of(*dtype));
    for (const int64_t size : shape)
        if (__builtin_mul_overflow(bytes, size, &bytes))
            parts.wrong("the sizes of a matrix overflow");
    if (bytes != int64_t(values.content.size()))
        parts.wrong(fmt::format("'{}' {} takes {} bytes, there are {}", name.content,
                                to_string(shape), bytes, values.content.size()));
    Array array = Array::empty({*dtype, shape}, cpu_device());
    if (bytes > 0) std::memcpy(array.to_fill(), values.content.data(), size_t(bytes));
    arrays[std::string(name.content)] = array;
}

}  // namespace

std::map<std::string, Array> read_mat5(const std::string& path) {
    static_assert(std::endian::native == std::endian::little);
    constexpr size_t header = 128;
    const FileReader file(path);
    FileBudget budget(path, file.size());
    budget.ask(file.size(), "its size");
    const std::string bytes = file.read_all();
    if (bytes.size() < header || bytes.substr(124, 4) != std::string("\x00\x01IM", 4))
        fail<FileError>("{}: is no MATLAB 5 file (of a machine with little-endian numbers)", path);
    std::map<std::string, Array> arrays;
    Elements elements(std::string_view(bytes).substr(header), path, budget);
    while (!elements.done()) {
        const auto element = elements.next();
        if (element.type == matrix) {
            read_matrix(element.content, elements, arrays);
        } else if (element.type == compressed) {
            const std::string content = inflated(element.content, elements);
            Elements inside(content, path, budget);
            const auto held = inside.next();
            if (held.type != matrix) elements.wrong("compressed data are no matrix");
            read_matrix(held.content, inside, arrays);
        }
    }
    return arrays;
}

}  // namespace catena
