#include "idx.h"

#include <catena/catena.h>
#include <zlib.h>

#include <memory>

namespace ct = catena;

namespace {

class GzipReader {
public:
    explicit GzipReader(const std::filesystem::path& path)
        : path_(path.string()), file_(gzopen(path_.c_str(), "rb"), gzclose) {
        if (!file_) ct::fail<ct::FileError>("mnist: cannot open {}", path_);
    }
    void read(void* to, size_t bytes) {
        const int got = gzread(file_.get(), to, unsigned(bytes));
        if (got < 0 || size_t(got) != bytes)
            ct::fail<ct::FileError>("mnist: {} ends after {} bytes, {} more are expected", path_, read_,
                                    bytes);
        read_ += bytes;
    }
    uint32_t read_big_endian() {
        uint8_t b[4];
        read(b, 4);
        return uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
    size_t read_ = 0;
};

}  // namespace

IdxFile read_idx(const std::filesystem::path& path, int rank) {
    GzipReader reader(path);
    const uint32_t magic = reader.read_big_endian();
    if (magic != (0x0800u | uint32_t(rank)))
        ct::fail<ct::FileError>("mnist: {} begins with {:#010x}; bytes in {} dimensions begin with {:#010x}",
                                reader.path(), magic, rank, 0x0800u | uint32_t(rank));
    IdxFile idx;
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) {
        idx.shape.push_back(reader.read_big_endian());
        count *= idx.shape.back();
        // More than any file of this kind: the header is not to be believed.
        if (count > (int64_t(1) << 30))
            ct::fail<ct::FileError>("mnist: {} announces more than 2^30 bytes", reader.path());
    }
    idx.bytes.resize(size_t(count));
    reader.read(idx.bytes.data(), idx.bytes.size());
    return idx;
}
