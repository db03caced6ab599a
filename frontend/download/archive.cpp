#include "frontend/download/archive.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "runtime/file/gzip_reader.h"
#include "runtime/file/limits.h"
#include "runtime/file/write_file.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

// The format is POSIX.1-1988's ustar: a header of one block, then the content, filled up to whole
// blocks.
constexpr size_t block_bytes = 512;

class TarReader {
public:
    explicit TarReader(const fs::path& path)
        : path_(path.string()), file_(path_), budget_(path_, FileReader(path_).size()) {}

    /// The next member, false at the end.
    bool next() {
        skip(left_ + padding_);
        char header[block_bytes];
        if (!read_block(header) || header[0] == 0) return false;
        check(header);
        name_ = text(header, 100);
        is_file_ = header[156] == '0' || header[156] == 0;
        left_ = octal(header + 124, 12);
        padding_ = (block_bytes - left_ % block_bytes) % block_bytes;
        return true;
    }
    const std::string& name() const { return name_; }
    bool is_file() const { return is_file_; }
    std::string content() {
        budget_.ask(left_, name_);
        std::string bytes = file_buffer(left_, path_);
        read(bytes.data(), bytes.size());
        left_ = 0;
        return bytes;
    }
    [[noreturn]] void damaged(const std::string& what) const {
        fail<FileError>("{}: is no whole .tar.gz archive: {}", path_, what);
    }

private:
    static std::string text(const char* field, size_t length) {
        return {field, std::find(field, field + length, '\0')};
    }

    uint64_t octal(const char* field, size_t length) const {
        uint64_t value = 0;
        for (size_t i = 0; i < length; ++i) {
            if (field[i] == ' ' || field[i] == 0) continue;
            if (field[i] < '0' || field[i] > '7')
                damaged(fmt::format("'{}' has no octal number where one should be", name_));
            value = value * 8 + uint64_t(field[i] - '0');
        }
        return value;
    }
    void check(const char* header) const {
        uint64_t sum = 0;
        for (size_t i = 0; i < block_bytes; ++i)
            sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
        if (sum != octal(header + 148, 8)) damaged("the checksum of a header is wrong");
    }
    bool read_block(char* to) {
        const size_t got = file_.read_some(to, block_bytes);
        if (got > 0 && got < block_bytes) damaged("it ends early");
        return got > 0;
    }
    void read(char* to, uint64_t bytes) {
        if (file_.read_some(to, bytes) != bytes) damaged(fmt::format("it ends within '{}'", name_));
    }
    void skip(uint64_t bytes) {
        char nowhere[block_bytes];
        for (; bytes > 0; bytes -= std::min<uint64_t>(bytes, block_bytes))
            read(nowhere, std::min<uint64_t>(bytes, block_bytes));
    }

    std::string path_;
    GzipReader file_;
    FileBudget budget_;
    std::string name_;
    bool is_file_ = false;
    uint64_t left_ = 0, padding_ = 0;  ///< Bytes of the present member that are still to come.
};

}  // namespace

void unpack_tar_gz(const fs::path& archive, const fs::path& folder,
                   std::vector<std::string> names) {
    GzipReader(archive.string()).read_to_end();  // So that nothing of a damaged archive is stored.
    TarReader tar(archive);
    while (!names.empty() && tar.next()) {
        const auto found =
            std::find(names.begin(), names.end(), fs::path(tar.name()).filename().string());
        if (found == names.end() || !tar.is_file()) continue;
        write_file((folder / *found).string(), tar.content());
        names.erase(found);
    }
    if (!names.empty()) fail<FileError>("{}: there is no '{}' in it", archive.string(), names[0]);
}

}  // namespace catena
