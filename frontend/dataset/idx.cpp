#include "frontend/dataset/idx.h"

#include <algorithm>
#include <memory>

#include <unistd.h>
#include <zlib.h>

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"

namespace catena {
namespace {

class GzipReader {
public:
    explicit GzipReader(const std::string& path) : path_(path), file_(nullptr, gzclose) {
        std::string problem;
        const int descriptor = open_regular_file(path.c_str(), problem);
        if (descriptor < 0) fail<FileError>("{}: {}", path_, problem);
        file_.reset(gzdopen(descriptor, "rb"));
        if (!file_) {
            close(descriptor);
            throw InternalError("zlib: gzdopen failed");
        }
    }
    void read(void* to, size_t bytes) {
        for (size_t at = 0; at < bytes;) {
            const unsigned part = unsigned(std::min<size_t>(bytes - at, 1u << 30));
            const int got = gzread(file_.get(), static_cast<char*>(to) + at, part);
            if (got < 0 || unsigned(got) != part)
                fail<FileError>("{}: ends after {} bytes of content, {} more are expected", path_, read_, bytes);
            at += part;
        }
        read_ += bytes;
    }
    uint32_t read_big_endian() {
        uint8_t b[4];
        read(b, 4);
        return uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
    }

private:
    const std::string& path_;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
    size_t read_ = 0;
};

}  // namespace

Array read_idx(const std::string& path, int rank) {
    GzipReader reader(path);
    const uint32_t magic = reader.read_big_endian(), expected = 0x0800u | uint32_t(rank);
    if (magic != expected)
        fail<FileError>("{}: begins with {:#010x}; unsigned bytes in {} dimensions begin with {:#010x}", path, magic,
                        rank, expected);
    Shape shape;
    int64_t count = 1;
    bool countable = true;
    for (int i = 0; i < rank; ++i) {
        shape.push_back(reader.read_big_endian());
        countable = countable && !__builtin_mul_overflow(count, shape.back(), &count);
    }
    if (!countable) fail<FileError>("{}: declares the shape {}, whose size overflows", path, to_string(shape));
    FileBudget(path, FileReader(path).size()).ask(uint64_t(count), "its header");
    Array bytes = Array::empty({Dtype::uint8, shape}, cpu_device());
    if (count > 0) reader.read(bytes.to_fill(), size_t(count));
    return bytes;
}

}  // namespace catena
