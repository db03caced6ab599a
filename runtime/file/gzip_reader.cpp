#include "runtime/file/gzip_reader.h"

#include <algorithm>

#include <unistd.h>
#include <zlib.h>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"

namespace catena {
namespace {

// Smaller reads than two of zlib's buffers go through it, and it reads on to the checksum. A larger
// read ends at the last byte of the content, and zlib takes a file that is cut off there for a
// whole one; as it does where the content fills its buffer, so the size is odd.
constexpr unsigned gzip_buffer_bytes = 65539;

}  // namespace

GzipReader::GzipReader(std::string path) : path_(std::move(path)), file_(nullptr, gzclose) {
    std::string problem;
    const int descriptor = open_regular_file(path_.c_str(), problem);
    if (descriptor < 0) fail<FileError>("{}: {}", path_, problem);
    file_.reset(gzdopen(descriptor, "rb"));
    if (!file_) {
        close(descriptor);
        throw_out_of_memory(path_);
    }
    gzbuffer(file_.get(), gzip_buffer_bytes);
}

size_t GzipReader::read_some(void* to, size_t bytes) {
    size_t at = 0;
    while (at < bytes) {
        const unsigned part = unsigned(std::min<size_t>(bytes - at, gzip_buffer_bytes));
        const int got = gzread(file_.get(), static_cast<char*>(to) + at, part);
        int problem = Z_OK;
        const std::string message =
            gzerror(file_.get(), &problem);  // "<fd:3>: incorrect data check"
        if (problem == Z_MEM_ERROR) throw_out_of_memory(path_);
        // A file that is cut off is told by the error alone: gzread gives what there is.
        if (got < 0 || problem != Z_OK)
            fail<FileError>("{}: is damaged: {}", path_, message.substr(message.rfind(": ") + 2));
        at += size_t(got);
        if (unsigned(got) < part) break;
    }
    read_ += at;
    return at;
}

void GzipReader::read(void* to, size_t bytes) {
    const uint64_t before = read_;
    if (const size_t got = read_some(to, bytes); got != bytes)
        fail<FileError>("{}: ends after {} bytes of content, {} are expected", path_, read_,
                        before + bytes);
}

void GzipReader::finish() {
    char more;
    if (read_some(&more, 1) > 0)
        fail<FileError>("{}: goes on after the {} bytes of content that are expected", path_,
                        read_ - 1);
}

void GzipReader::read_to_end() {
    char nowhere[1 << 14];
    while (read_some(nowhere, sizeof nowhere) > 0) {
    }
}

}  // namespace catena
