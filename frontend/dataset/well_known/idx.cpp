#include "frontend/dataset/well_known/idx.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "runtime/file/gzip_reader.h"
#include "runtime/file/limits.h"

namespace catena {
namespace {

uint32_t read_big_endian(GzipReader& reader) {
    uint8_t b[4];
    reader.read(b, 4);
    return uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
}

}  // namespace

Array read_idx(const std::string& path, int rank) {
    GzipReader reader(path);
    const uint32_t magic = read_big_endian(reader), expected = 0x0800u | uint32_t(rank);
    if (magic != expected)
        fail<FileError>(
            "{}: begins with {:#010x}; unsigned bytes in {} dimensions begin with {:#010x}", path,
            magic, rank, expected);
    Shape shape;
    int64_t count = 1;
    bool countable = true;
    for (int i = 0; i < rank; ++i) {
        shape.push_back(read_big_endian(reader));
        countable = countable && !__builtin_mul_overflow(count, shape.back(), &count);
    }
    if (!countable)
        fail<FileError>("{}: declares the shape {}, whose size overflows", path, to_string(shape));
    FileBudget(path, FileReader(path).size()).ask(uint64_t(count), "its header");
    Array bytes = Array::empty({Dtype::uint8, shape}, cpu_device());
    if (count > 0) reader.read(bytes.to_fill(), size_t(count));
    reader.finish();
    return bytes;
}

}  // namespace catena
