#include "runtime/file/file.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file_size_signal.h"

namespace catena {
namespace {

constexpr size_t buffer_bytes = 1 << 18;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view partial = ".partial-";
constexpr size_t partial_letters = 6;  ///< The number of random letters that follow the suffix.

std::string folder_of(const std::string& path) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// Creates a file whose last letters of the name nobody has, and puts them there. As any new file
/// it has the access that the umask allows: mkostemp makes private ones, and to learn the umask it
/// must be changed for all threads. Negative on failure.
int create_file(std::string& name) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    constexpr int most_attempts = 100;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof random, 0) != ssize_t(sizeof random)) return -1;
        for (size_t i = name.size() - partial_letters; i < name.size();
             ++i, random /= letters.size())
            name[i] = letters[random % letters.size()];
        const int descriptor =
            open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

}  // namespace

int open_regular_file(const char* path, std::string& problem) {
    constexpr const char* not_regular = "is not a regular file";
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        problem = not_regular;
        return -1;
    }
    // If the file was replaced by a pipe since the check, open() must not block.
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

uint64_t FileReader::text_begin() const {
    std::string begin(byte_order_mark.size(), '\0');
    if (size_ < begin.size()) return 0;
    read_at(0, begin.data(), begin.size());
    return begin == byte_order_mark ? begin.size() : 0;
}

std::string FileReader::read_text() const {
    const uint64_t begin = text_begin();
    std::string content = file_buffer(size_ - begin, path_);
    read_at(begin, content.data(), content.size());
    return content;
}

FileReader::FileReader(std::string name, std::string content)
    : path_(std::move(name)), content_(std::move(content)), size_(content_.size()) {}

FileReader::~FileReader() {
    if (descriptor_ >= 0) close(descriptor_);
}

void FileReader::read_at(uint64_t offset, void* to, size_t bytes) const {
    if (offset > size_ || bytes > size_ - offset)
        fail<FileError>("{}: ends at byte {}; {} bytes were expected at byte {}", path_, size_,
                        bytes, offset);
    if (descriptor_ < 0) {
        if (bytes > 0) std::memcpy(to, content_.data() + offset, bytes);
        return;
    }
    char* next = static_cast<char*>(to);
    while (bytes > 0) {
        ssize_t got = pread(descriptor_, next, bytes, off_t(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            fail<FileError>("{}: reading at byte {} failed: {}", path_, offset,
                            std::strerror(errno));
        if (got == 0)
            fail<FileError>("{}: became shorter while it was read (at byte {})", path_, offset);
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

void remove_abandoned(const std::string& folder,
                      const std::function<bool(const std::string& name)>& wanted) {
    constexpr time_t young = 10;  // Seconds: a new file is not locked immediately.
    DIR* const entries = opendir(folder.c_str());
    if (!entries) return;
    while (const dirent* entry = readdir(entries)) {
        const std::string name = entry->d_name;
        const size_t at = name.rfind(partial);
        if (at == name.npos || at + partial.size() + partial_letters != name.size() ||
            !wanted(name.substr(0, at)))
            continue;
        const std::string path = folder + "/" + name;
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0) continue;
        struct stat status;
        if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_mtime + young < time(nullptr) && flock(file, LOCK_EX | LOCK_NB) == 0)
            unlink(path.c_str());
        close(file);
    }
    closedir(entries);
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)),
      temporary_(path_ + std::string(partial) + std::string(partial_letters, 'X')) {
    buffer_.reserve(buffer_bytes);  // What may fail comes before there is a file to remove.
    // A file may replace a file only: /dev/null or a pipe of that name must stay what it is.
    struct stat status;
    if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        fail<FileError>(
            "{}: cannot be written: there is something of that name that is not a regular file",
            path_);
    descriptor_ = create_file(temporary_);
    if (descriptor_ < 0) fail<FileError>("{}: cannot be written: {}", path_, std::strerror(errno));
    flock(descriptor_, LOCK_EX | LOCK_NB);  // Until this process ends: see remove_abandoned.
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(temporary_.c_str());
}

void AtomicFile::give_up(const char* doing, int error) {
    fail<FileError>("{}: {} failed at byte {}: {}; an older file of that name is untouched", path_,
                    doing, offset_, std::strerror(error));
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
    const FileSizeSignalBlocked blocked;
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
