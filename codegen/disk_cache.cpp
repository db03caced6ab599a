#include "codegen/disk_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "runtime/core/environment.h"
#include "runtime/core/error.h"
#include "runtime/file/file.h"
#include "runtime/file/file_size_signal.h"

namespace catena::codegen {

namespace fs = std::filesystem;

namespace {

constexpr char magic[8] = {'C', 'A', 'T', 'E', 'N', 'A', 'K', '1'};

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::string_view bytes) {
    return llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

/// The header before the code.
struct Header {
    char magic[8];
    uint64_t bytes;
    uint8_t key[32], value[32];
};

/// Creates the folder, or returns why it cannot be used.
std::string prepare(const std::string& folder) {
    std::error_code error;
    fs::create_directories(fs::path(folder).parent_path(), error);
    ::mkdir(folder.c_str(), 0700);
    struct stat status;
    if (::lstat(folder.c_str(), &status) != 0) return fmt::format("{}: {}", folder, std::strerror(errno));
    if (!S_ISDIR(status.st_mode)) return folder + " is not a folder";
    if (status.st_uid != ::geteuid()) return folder + " belongs to another user";
    if (status.st_mode & 022) return folder + " can be written by others; its mode should be 0700";
    return "";
}

/// None if the file is missing or unreadable: a bad disk makes programs slower, not wrong.
std::optional<std::string> read_file(const std::string& path, uint64_t most) {
    try {
        const FileReader file(path);
        if (file.size() > most) return std::nullopt;
        return file.read_all();
    } catch (const FileError&) {
        return std::nullopt;
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    }
}

/// The value, if the file is complete.
std::optional<std::string> checked(const std::string& content, const Digest& key) {
    Header header;
    if (content.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, content.data(), sizeof header);
    if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.bytes != content.size() - sizeof header ||
        std::memcmp(header.key, key.data(), key.size()) != 0)
        return std::nullopt;
    std::string value = content.substr(sizeof header);
    if (std::memcmp(header.value, sha256(value).data(), sizeof header.value) != 0) return std::nullopt;
    return value;
}

std::string folder_from_environment() {
    auto variable = [](const char* name) { return environment::text(name).value_or(""); };
    if (const std::string folder = variable("CATENA_KERNEL_CACHE"); !folder.empty())
        return folder == "off" ? "" : folder;
    if (const std::string folder = variable("CATENA_CACHE_DIR"); !folder.empty()) return folder + "/kernels";
    if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) return folder + "/catena/kernels";
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.cache/catena/kernels";
}

}  // namespace

std::string sha256_hex(std::string_view bytes) { return llvm::toHex(sha256(bytes), true); }

DiskCache::DiskCache(std::string folder, size_t limit_bytes) : folder_(std::move(folder)), limit_(limit_bytes) {
    if (folder_.empty()) return;
    problem_ = prepare(folder_);
    if (!problem_.empty()) folder_.clear();
}

DiskCache& DiskCache::instance() {
    static DiskCache& cache = *[] {
        const auto limit = size_t(environment::whole_number("CATENA_KERNEL_CACHE_DISK_MB", 0, 1 << 30).value_or(512));
        auto* made = new DiskCache(folder_from_environment(), limit << 20);
        if (!made->problem().empty())
            fmt::print(stderr, "catena: compiled code is not kept: {}\n", made->problem());
        return made;
    }();
    return cache;
}

std::optional<std::string> DiskCache::find(std::string_view key) {
    if (!on()) return std::nullopt;
    const Digest digest = sha256(key);
    const std::string path = folder_ + "/" + llvm::toHex(digest, true);
    const std::optional<std::string> content = read_file(path, sizeof(Header) + limit_);
    std::optional<std::string> value = content ? checked(*content, digest) : std::nullopt;
    if (value) ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // Used now.
    std::lock_guard lock(mutex_);
    ++(value ? counts_.found : counts_.missed);
    if (content && !value) ++counts_.damaged;
    return value;
}

void DiskCache::store(std::string_view key, std::string_view value) {
    if (!on() || value.size() > limit_) return;
    const Digest digest = sha256(key), sum = sha256(value);
    Header header;
    std::memcpy(header.magic, magic, sizeof magic);
    header.bytes = value.size();
    std::copy(digest.begin(), digest.end(), header.key);
    std::copy(sum.begin(), sum.end(), header.value);

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
    const bool whole = write_all(&header, sizeof header) && write_all(value.data(), value.size());
    ::close(file);
    // Not synced: after a crash the checksum detects a damaged file.
    if (!whole || ::rename(temporary.c_str(), (folder_ + "/" + llvm::toHex(digest, true)).c_str()) != 0) {
        ::unlink(temporary.c_str());
        return;
    }
    std::lock_guard lock(mutex_);
    ++counts_.stored;
    bytes_ += sizeof header + value.size();
    if (!read_ || bytes_ > limit_) make_room();
}

/// Reads the folder; removes the least recently used files until a tenth is free, and temporary files of terminated
/// processes.
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
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
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

const std::string& generator_version() {
    static const std::string& version = *new std::string([] {
        struct Search {
            uintptr_t here;
            std::string id;
        } search{reinterpret_cast<uintptr_t>(&generator_version), ""};
        ::dl_iterate_phdr(
            [](dl_phdr_info* info, size_t, void* data) {
                Search& s = *static_cast<Search*>(data);
                bool ours = false;
                for (int i = 0; i < info->dlpi_phnum; ++i) {
                    const auto& part = info->dlpi_phdr[i];
                    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
                    ours |= part.p_type == PT_LOAD && s.here >= begin && s.here < begin + part.p_memsz;
                }
                for (int i = 0; ours && i < info->dlpi_phnum; ++i) {
                    const auto& part = info->dlpi_phdr[i];
                    if (part.p_type != PT_NOTE) continue;
                    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
                    const char* end = at + part.p_memsz;
                    while (at + sizeof(ElfW(Nhdr)) <= end) {
                        ElfW(Nhdr) note;
                        std::memcpy(&note, at, sizeof note);
                        const char* name = at + sizeof note;
                        const char* content = name + (note.n_namesz + 3) / 4 * 4;
                        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(name, "GNU", 4))
                            s.id = "build " + llvm::toHex(llvm::StringRef(content, note.n_descsz), true);
                        at = content + (note.n_descsz + 3) / 4 * 4;
                    }
                }
                return int(ours);
            },
            &search);
        if (!search.id.empty()) return search.id;
        Dl_info info;
        struct stat status;
        if (::dladdr(reinterpret_cast<void*>(&generator_version), &info) && ::stat(info.dli_fname, &status) == 0)
            return fmt::format("{} {} {}.{}", info.dli_fname, status.st_size, status.st_mtim.tv_sec,
                               status.st_mtim.tv_nsec);
        return std::string();
    }());
    return version;
}

}  // namespace catena::codegen
