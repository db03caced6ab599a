#include "frontend/dataset/idx.h"

#include <memory>

#include <zlib.h>

#include "runtime/core/device.h"
#include "runtime/core/error.h"

namespace catena {
namespace {

class GzipReader {
public:
    explicit GzipReader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb"), gzclose) {
        if (!file_) fail<FileError>("{}: cannot be opened", path_);
    }
    void read(void* to, size_t bytes) {
        const int got = gzread(file_.get(), to, unsigned(bytes));
        if (got < 0 || size_t(got) != bytes)
            fail<FileError>("{}: ends after {} bytes of content, {} more are expected", path_, read_, bytes);
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
    for (int i = 0; i < rank; ++i) {
        shape.push_back(reader.read_big_endian());
        // More than any file of this kind: the header is not to be believed.
        if (__builtin_mul_overflow(count, shape.back(), &count) || count > (int64_t(1) << 30))
            fail<FileError>("{}: announces more than 2^30 bytes", path);
    }
    Array bytes = Array::empty({Dtype::uint8, shape}, cpu_device());
    if (count > 0) reader.read(bytes.raw_data(), size_t(count));
    return bytes;
}

}  // namespace catena
