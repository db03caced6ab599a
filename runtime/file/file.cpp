#include "runtime/file/file.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/out_of_memory.h"

namespace catena {
namespace {

constexpr size_t buffer_bytes = 1 << 18;

std::string folder_of(const std::string& path) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

int open_regular_file(const char* path, std::string& problem) {
    constexpr const char* not_regular = "is not a regular file";
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        problem = not_regular;
        return -1;
    }
    // Should another kind of file have come in its place since, opening must not wait for a writer.
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        problem = std::string("cannot be opened: ") + std::strerror(errno);
        return -1;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
    close(descriptor);
    problem = not_regular;
    return -1;
}

std::string file_buffer(uint64_t bytes, const std::string& name) {
    try {
        return std::string(size_t(bytes), '\0');
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    throw OutOfMemory(name, size_t(bytes), cpu_memory_statistics().bytes_reserved);
}

FileReader::FileReader(std::string path) : path_(std::move(path)) {
    std::string problem;
    descriptor_ = open_regular_file(path_.c_str(), problem);
    if (descriptor_ < 0) fail<FileError>("{}: {}", path_, problem);
    struct stat status;
    if (fstat(descriptor_, &status) == 0) size_ = uint64_t(status.st_size);
}

std::string FileReader::read_all() const {
    std::string content = file_buffer(size_, path_);
    read_at(0, content.data(), content.size());
    return content;
}

FileReader::~FileReader() { close(descriptor_); }

void FileReader::read_at(uint64_t offset, void* to, size_t bytes) const {
    if (offset > size_ || bytes > size_ - offset)
        fail<FileError>("{}: ends at byte {}; {} bytes were expected at byte {}", path_, size_, bytes, offset);
    char* next = static_cast<char*>(to);
    while (bytes > 0) {
        ssize_t got = pread(descriptor_, next, bytes, off_t(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail<FileError>("{}: reading at byte {} failed: {}", path_, offset, std::strerror(errno));
        if (got == 0) fail<FileError>("{}: became shorter while it was read (at byte {})", path_, offset);
        next += got;
        offset += uint64_t(got);
        bytes -= size_t(got);
    }
}

void FileSource::read(void* to, size_t bytes) {
    if (bytes > remaining())
        fail<FileError>("{}: {} bytes are missing: {} were expected at byte {}, {} are left", name_,
                        bytes - remaining(), bytes, at_, remaining());
    file_.read_at(at_, to, bytes);
    at_ += bytes;
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
    descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail<FileError>("{}: cannot be written: {}", path_, std::strerror(errno));
    buffer_.reserve(buffer_bytes);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(temporary_.c_str());
}

void AtomicFile::give_up(const char* doing, int error) {
    fail<FileError>("{}: {} failed at byte {}: {}; an older file of that name is untouched", path_, doing, offset_,
                    std::strerror(error));
}

void AtomicFile::write(const void* from, size_t bytes) {
    offset_ += bytes;
    const char* next = static_cast<const char*>(from);
    while (bytes > 0) {
        size_t part = std::min(bytes, buffer_bytes - buffer_.size());
        buffer_.append(next, part);
        next += part;
        bytes -= part;
        if (buffer_.size() == buffer_bytes) flush();
    }
}

void AtomicFile::flush() {
    const char* next = buffer_.data();
    size_t left = buffer_.size();
    while (left > 0) {
        ssize_t put = ::write(descriptor_, next, left);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) give_up("writing", errno);
        next += put;
        left -= size_t(put);
    }
    buffer_.clear();
}

void AtomicFile::commit() {
    flush();
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor_, 0666 & ~mask);  // mkostemp makes private files.
    if (fsync(descriptor_) != 0) give_up("syncing", errno);
    if (rename(temporary_.c_str(), path_.c_str()) != 0) give_up("renaming", errno);
    close(descriptor_);
    descriptor_ = -1;
    // The new name must survive a crash too; folders that cannot be synced are left to the system.
    int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

}  // namespace catena
