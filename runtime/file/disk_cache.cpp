#include "runtime/file/disk_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/file/file.h"
#include "runtime/file/file_size_signal.h"

namespace catena {

namespace fs = std::filesystem;

namespace {

constexpr char magic[8] = {'C', 'A', 'T', 'E', 'N', 'A', 'K', '2'};

/// The header before the key and the value.
struct Header {
    char magic[8];
    uint64_t key_bytes, value_bytes;
    char key[32], value[32];  ///< The fingerprints of the key and of the value.
};

/// Creates the folder, or returns why it cannot be used.
std::string prepare(const std::string& folder) {
    std::error_code error;
    fs::create_directories(fs::path(folder).parent_path(), error);
    ::mkdir(folder.c_str(), 0700);
    struct stat status;
    if (::lstat(folder.c_str(), &status) != 0)
        return fmt::format("{}: {}", folder, std::strerror(errno));
    if (!S_ISDIR(status.st_mode)) return folder + " is not a folder";
    if (status.st_uid != ::geteuid()) return folder + " belongs to another user";
    if (status.st_mode & 022) return folder + " can be written by others; its mode should be 0700";
    return "";
}

/// The file's content; none if it is missing or unreadable: a bad disk makes programs slower, not
/// wrong.
std::optional<std::string> read_file(const std::string& path, uint64_t most) {
    try {
        const FileReader file(path);
        if (file.size() > most) return std::nullopt;
        return file.read_all();
    } catch (const std::exception&) {  // Or no memory is left for it.
        return std::nullopt;
    }
}

/// The value, if the file is complete and that of this key.
std::optional<std::string> checked(const std::string& content, const std::string& name,
                                   const std::string_view* key) {
    Header header;
    if (content.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, content.data(), sizeof header);
    const uint64_t rest = content.size() - sizeof header;
    if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.key_bytes > rest ||
        header.value_bytes != rest - header.key_bytes)
        return std::nullopt;
    const std::string_view stored =
        std::string_view(content).substr(sizeof header, header.key_bytes);
    if (std::string_view(header.key, sizeof header.key) != name ||
        (key ? stored != *key : fingerprint(stored) != name))
        return std::nullopt;
    std::string value = content.substr(sizeof header + header.key_bytes);
    if (std::string_view(header.value, sizeof header.value) != fingerprint(value))
        return std::nullopt;
    return value;
}

std::string folder_from_environment() {
    auto variable = [](const char* name) { return environment::text(name).value_or(""); };
    if (const std::string folder = variable("CATENA_KERNEL_CACHE"); !folder.empty())
        return folder == "off" ? "" : folder;
    if (const std::string folder = variable("CATENA_CACHE_DIR"); !folder.empty())
        return folder + "/kernels";
    if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
        return folder + "/catena/kernels";
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.cache/catena/kernels";
}

}  // namespace

std::string fingerprint(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", uint64_t(hash.high64), uint64_t(hash.low64));
}

DiskCache::DiskCache(std::string folder, size_t limit_bytes)
    : folder_(std::move(folder)), limit_(limit_bytes) {
    if (folder_.empty()) return;
    problem_ = prepare(folder_);
    if (!problem_.empty()) folder_.clear();
}

DiskCache& DiskCache::instance() {
    static DiskCache& cache = *[] {
        const auto limit = size_t(
            environment::whole_number("CATENA_KERNEL_CACHE_DISK_MB", 0, 1 << 30).value_or(512));
        auto* made = new DiskCache(folder_from_environment(), limit << 20);
        if (!made->problem().empty())
            say(LogLevel::warning, fmt::format("compiled code is not kept: {}", made->problem()));
        return made;
    }();
    return cache;
}

std::optional<std::string> DiskCache::find(std::string_view key) {
    return on() ? look_up(fingerprint(key), &key) : std::nullopt;
}

std::optional<std::string> DiskCache::find_named(const std::string& fingerprint) {
    return on() ? look_up(fingerprint, nullptr) : std::nullopt;
}

std::optional<std::string> DiskCache::look_up(const std::string& name,
                                              const std::string_view* key) {
    const std::string path = folder_ + "/" + name;
    const std::optional<std::string> content = read_file(path, sizeof(Header) + limit_);
    std::optional<std::string> value = content ? checked(*content, name, key) : std::nullopt;
    if (value) ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // Used now.
    std::lock_guard lock(mutex_);
    ++(value ? counts_.found : counts_.missed);
    if (content && !value) ++counts_.damaged;
    return value;
}

void DiskCache::store(std::string_view key, std::string_view value) {
    if (!on() || key.size() + value.size() > limit_) return;
    const std::string name = fingerprint(key), sum = fingerprint(value);
    Header header;
    std::memcpy(header.magic, magic, sizeof magic);
    header.key_bytes = key.size();
    header.value_bytes = value.size();
    std::ranges::copy(name, header.key);
    std::ranges::copy(sum, header.value);

    std::string temporary = folder_ + "/.new-XXXXXX";
    const int file = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (file < 0) return;
    const FileSizeSignalBlocked blocked;
    auto write_all = [file](const void* from, size_t bytes) {
        const char* at = static_cast<const char*>(from);
        while (bytes > 0) {
            const ssize_t written = ::write(file, at, bytes);
            if (written <= 0) return false;
            at += written;
            bytes -= size_t(written);
        }
        return true;
    };
    const bool whole = write_all(&header, sizeof header) && write_all(key.data(), key.size()) &&
                       write_all(value.data(), value.size());
    ::close(file);
    // Not synced: after a crash the checksum detects a damaged file.
    if (!whole || ::rename(temporary.c_str(), (folder_ + "/" + name).c_str()) != 0) {
        ::unlink(temporary.c_str());
        return;
    }
    std::lock_guard lock(mutex_);
    ++counts_.stored;
    bytes_ += sizeof header + key.size() + value.size();
    if (!read_ || bytes_ > limit_) make_room();
}

/// Reads the folder; removes the least recently used files until a tenth is free, and temporary
/// files of terminated processes.
void DiskCache::make_room() {
    struct File {
        fs::file_time_type used;
        size_t bytes;
        fs::path path;
    };
    std::vector<File> files;
    std::error_code error;
    bytes_ = 0;
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
        const fs::directory_entry& entry = *at;
        std::error_code unread;
        File file{entry.last_write_time(unread), size_t(entry.file_size(unread)), entry.path()};
        if (unread) continue;
        if (file.path.filename().string().starts_with(".")) {
            if (file.used < old) fs::remove(file.path, unread);
            continue;
        }
        bytes_ += file.bytes;
        files.push_back(std::move(file));
    }
    read_ = true;
    if (bytes_ <= limit_) return;
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (bytes_ <= limit_ - limit_ / 10) break;
        if (!fs::remove(file.path, error)) continue;
        bytes_ -= file.bytes;
        ++counts_.deleted;
    }
}

DiskCache::Counts DiskCache::counts() const {
    std::lock_guard lock(mutex_);
    return counts_;
}

}  // namespace catena
